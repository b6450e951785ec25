#include "loop/fs_job.h"

#include <memory>

#include "loop/backend.h"
#include "loop/uring_files.h"

namespace gyre::loop::fs {
namespace {

// Jobs on a lane carry an id of their own; ids of the other paths are told apart by this bit.
constexpr OpId kNotOnLane = OpId{1} << 63;

// Whether threads of the lane are at work on what this operation looks at or changes: it then queues behind them.
bool IsBehindLane(const ChangesInFlight& changes, const FileJob& job) {
  if (changes.on_lane.None()) return false;
  if (!job.Looks()) return changes.on_lane.MayAffect(job.change());
  return job.fd() == -1 || changes.on_lane.MayAffect(job.fd());
}

}  // namespace

OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job) {
  job->loop_ = &loop;
  ChangesInFlight& changes = loop.changes();
  if (job->TryFast(changes.all)) {
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
  job->change_ = FileChanges::MarkOf(job->Changes(), job->fd());
  // What a change may concern goes the way of the changes, or the ring would find it in memory at once.
  const bool behind = job->Looks() && !changes.all.None();
  if ((job->OnRing() || behind) && !IsBehindLane(changes, *job)) {
    if (UringFiles* files = loop.files()) {
      static thread_local uint64_t next_id = 0;
      const OpId id = kNotOnLane | ++next_id;
      job->id_ = id;
      job->BeginChange(/*on_lane=*/false);
      files->Submit(std::move(job), behind ? UringFiles::Start::kQueued : UringFiles::Start::kAtOnce);
      return id;
    }
  }
  job->BeginChange(/*on_lane=*/true);
  const uint64_t origin = loop.activity().cause_id.load(std::memory_order_relaxed);
  const char* kind = job->kind();
  return lanes::Submit(loop, Lane::kFs, {.kind = kind, .origin = origin}, std::move(job));
}

bool Cancel(Loop& loop, OpId id) {
  if ((id & kNotOnLane) == 0) return lanes::Cancel(Lane::kFs, id);
  if (id == kNotOnLane) return false;  // it had finished at once
  UringFiles* files = loop.files();
  return files != nullptr && files->Cancel(id);
}

void FileJob::BeginChange(bool on_lane) {
  change_on_lane_ = on_lane;
  loop_->changes().all.Begin(change_);
  if (on_lane) loop_->changes().on_lane.Begin(change_);
}

void FileJob::EndChange() {
  loop_->changes().all.End(change_);
  if (change_on_lane_) loop_->changes().on_lane.End(change_);
}

void FileJob::MoveToLane(std::unique_ptr<FileJob> job) {
  job->EndChange();
  job->BeginChange(/*on_lane=*/true);
  Loop& loop = *job->loop_;
  const char* kind = job->kind();
  lanes::Submit(loop, Lane::kFs, {.kind = kind}, std::move(job));
}

void FileJob::End(std::unique_ptr<FileJob> job) {
  job->EndChange();
  job->Report();
}

void FileJob::Done(Result<void> result) {
  // The lane's outcome only tells whether the work was done; the operation's own result is in the job.
  if (!result) SetCanceled();
  EndChange();
  Report();
}

void FileJob::Complete() {
  std::unique_ptr<FileJob> owned(this);
  loop_->DropKeepAlive();
  Report();
}

void FileJob::Drop() { delete this; }

}  // namespace gyre::loop::fs
