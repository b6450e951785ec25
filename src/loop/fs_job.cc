#include "loop/fs_job.h"

#include <memory>

#include "loop/backend.h"
#include "loop/uring_files.h"

namespace gyre::loop::fs {
namespace {

// Jobs on a lane carry an id of their own; ids of the other paths are told apart by this bit.
constexpr OpId kNotOnLane = OpId{1} << 63;

}  // namespace

OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job) {
  job->loop_ = &loop;
  const FileOpTraits& traits = job->traits_;
  if (traits.try_fast && job->TryFast()) {
    loop.AddKeepAlive();
    loop.CompleteSoon(job.release());
    return kNotOnLane;
  }
  if (loop.backend().RunsFilesInline()) {
    job->Work();
    loop.AddKeepAlive();
    loop.backend().CompleteLater(job.release());
    return kNotOnLane;
  }
  if (traits.on_ring) {
    if (UringFiles* files = loop.files()) {
      static thread_local uint64_t next_id = 0;
      const OpId id = kNotOnLane | ++next_id;
      job->id_ = id;
      job = files->Submit(std::move(job));
      if (job == nullptr) return id;
    }
  }
  const uint64_t origin = loop.activity().cause_id.load(std::memory_order_relaxed);
  const char* kind = traits.kind;
  return lanes::Submit(loop, Lane::kFs, {.kind = kind, .origin = origin}, std::move(job));
}

bool Cancel(Loop& loop, OpId id) {
  if ((id & kNotOnLane) == 0) return lanes::Cancel(Lane::kFs, id);
  if (id == kNotOnLane) return false;  // it had finished at once
  UringFiles* files = loop.files();
  return files != nullptr && files->Cancel(id);
}

void FileJob::Done(Result<void> result) {
  // The lane's outcome only tells whether the work was done; the operation's own result is in the job.
  if (!result) SetCanceled();
  Report();
}

void FileJob::Complete() {
  std::unique_ptr<FileJob> owned(this);
  loop_->DropKeepAlive();
  Report();
}

void FileJob::Drop() { delete this; }

}  // namespace gyre::loop::fs
