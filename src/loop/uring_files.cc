#include "loop/uring_files.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <unordered_map>

#include "base/owned_fd.h"
#include "loop/backend.h"
#include "loop/uring_ring.h"

namespace gyre::loop {
namespace {

constexpr unsigned kEntries = 64;
constexpr unsigned kCompletions = 1024;

constexpr std::array kOpcodes = {IORING_OP_OPENAT,   IORING_OP_CLOSE,    IORING_OP_READ,    IORING_OP_READV,
                                 IORING_OP_WRITE,    IORING_OP_WRITEV,   IORING_OP_FSYNC,   IORING_OP_STATX,
                                 IORING_OP_RENAMEAT, IORING_OP_UNLINKAT, IORING_OP_MKDIRAT, IORING_OP_LINKAT,
                                 IORING_OP_SYMLINKAT};

// What this file or kernel cannot do in the ring.
bool IsRefusal(int result) {
  return result == -EAGAIN || result == -EOPNOTSUPP || result == -EINVAL || result == -EINTR;
}

class UringFilesImpl final : public UringFiles {
 public:
  // `own` is null where the backend's ring carries the files too.
  UringFilesImpl(Loop& loop, UringRing* ring, std::unique_ptr<UringRing> own, base::OwnedFd ready)
      : loop_(loop),
        own_(std::move(own)),
        ring_(*ring),
        ready_(std::move(ready)),
        watcher_(loop.backend(), this, [](void* self, uint32_t) { static_cast<UringFilesImpl*>(self)->OnReady(); }) {
    if (own_ == nullptr) return;
    watcher_.SetFd(ready_.get());
    watcher_.Want(kReadable);
  }
  ~UringFilesImpl() override { watcher_.Stop(); }

  void Submit(std::unique_ptr<fs::FileJob> job, Start start) override {
    auto* op = new FileOp(*this);  // the ring's until it completes
    io_uring_sqe* sqe = ring_.Prepare(op);
    if (job->OnRing()) {
      job->Prepare(*sqe);
    } else {
      sqe->opcode = IORING_OP_NOP;
    }
    if (start == Start::kQueued) sqe->flags |= IOSQE_ASYNC;
    op->id = job->id();
    op->job = std::move(job);
    loop_.AddJob();
    ops_[op->id] = op;
    ring_.Submit();
  }

  bool Cancel(fs::OpId id) override {
    auto found = ops_.find(id);
    if (found == ops_.end()) return false;
    ring_.Cancel(found->second);
    return true;
  }

  void CancelAll() override {
    draining_ = true;
    for (auto& [id, op] : ops_) ring_.Cancel(op);
    ring_.Flush();
  }

  void Drain() override {
    ring_.Flush();
    ring_.Dispatch(kCompletions);
  }

  void Flush() override {
    if (own_ != nullptr && own_->HasPrepared()) own_->Flush();
  }

 private:
  class FileOp final : public UringOp {
   public:
    explicit FileOp(UringFilesImpl& files) : files_(files) {}
    void OnCompletion(int result, uint32_t) override {
      std::unique_ptr<FileOp> owned(this);
      files_.Completed(id, std::move(job), result);
    }
    fs::OpId id = 0;
    std::unique_ptr<fs::FileJob> job;

   private:
    UringFilesImpl& files_;
  };

  void OnReady() {
    uint64_t count;
    [[maybe_unused]] const ssize_t got = ::read(ready_.get(), &count, sizeof(count));
    own_->Flush();
    if (own_->Dispatch(kCompletions) < kCompletions) return;
    // There may be more, in the ring or in the kernel's overflow list, of which the event has told already.
    const uint64_t again = 1;
    [[maybe_unused]] const ssize_t put = ::write(ready_.get(), &again, sizeof(again));
  }

  void Completed(fs::OpId id, std::unique_ptr<fs::FileJob> job, int result) {
    ops_.erase(id);
    loop_.DropJob();
    if (draining_) return;
    if (result == -ECANCELED) {
      job->SetCanceled();
    } else if (!job->OnRing() || IsRefusal(result)) {
      fs::FileJob::MoveToLane(std::move(job));
      return;
    } else {
      job->Finish(result);
    }
    fs::FileJob::End(std::move(job));
  }

  Loop& loop_;
  std::unique_ptr<UringRing> own_;
  UringRing& ring_;
  // Signalled by the own ring: epoll does not see work that a DEFER_TASKRUN ring has put off.
  base::OwnedFd ready_;
  FdWatcher watcher_;
  bool draining_ = false;
  std::unordered_map<fs::OpId, FileOp*> ops_;
};

}  // namespace

std::unique_ptr<UringFiles> UringFiles::Create(Loop& loop) {
  UringRing* ring = loop.backend().ring();
  std::unique_ptr<UringRing> own;
  if (ring == nullptr) {
    Result<std::unique_ptr<UringRing>> made = UringRing::Create(kEntries, kCompletions);
    if (!made) return nullptr;
    own = std::move(*made);
    ring = own.get();
  }
  for (const int opcode : kOpcodes) {
    if (!ring->Supports(opcode)) return nullptr;
  }
  base::OwnedFd ready;
  if (own != nullptr) {
    ready.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!ready || io_uring_register_eventfd(&own->raw(), ready.get()) != 0) return nullptr;
  }
  return std::make_unique<UringFilesImpl>(loop, ring, std::move(own), std::move(ready));
}

}  // namespace gyre::loop
