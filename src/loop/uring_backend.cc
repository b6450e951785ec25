// The uring backend: one ring waits for everything. Readiness is a one-shot poll that is renewed with the next wait;
// streams use multishot receive and accept (uring_streams.h).
#include "loop/uring_backend.h"

#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/owned_fd.h"
#include "loop/backend.h"
#include "loop/uring_streams.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

constexpr unsigned kEntries = 256;
constexpr unsigned kCompletions = 4096;
// What one Dispatch() handles; docs/loop.md 1.3.
constexpr unsigned kBatch = 256;

}  // namespace

// A poll in flight. Detached when its watcher loses interest; goes back to the pool with its last completion.
class UringBackend::PollOp final : public UringOp {
 public:
  explicit PollOp(UringBackend& backend) : backend_(backend) {}
  void OnCompletion(int result, uint32_t flags) override {
    if ((flags & IORING_CQE_F_MORE) != 0) return;
    FdWatcher* const watcher = std::exchange(watcher_, nullptr);
    backend_.free_polls_.push_back(this);
    if (watcher == nullptr) return;
    watcher->set_armed(0);
    watcher->set_backend_data(nullptr);
    backend_.QueueChange(*watcher);  // renewed unless interest ends
    if (result < 0) {
      // ECANCELED comes only to detached operations. Anything else: reading or writing will tell.
      watcher->Dispatch(watcher->wanted() & (kReadable | kWritable));
      return;
    }
    const uint32_t events = static_cast<uint32_t>(result) & (watcher->wanted() | kError | kHangUp);
    if (events != 0 && watcher->wanted() != 0) watcher->Dispatch(events);
  }

 private:
  friend class UringBackend;
  UringBackend& backend_;
  FdWatcher* watcher_ = nullptr;
};

UringBackend::UringBackend(Loop& loop, std::unique_ptr<UringRing> ring, base::OwnedFd wake)
    : loop_(loop),
      ring_(std::move(ring)),
      wake_(std::move(wake)),
      wake_watcher_(*this, this, [](void* self, uint32_t) { static_cast<UringBackend*>(self)->DrainWake(); }) {
  wake_watcher_.SetFd(wake_.get());
  wake_watcher_.Want(kReadable);
}

UringBackend::~UringBackend() {
  wake_watcher_.Stop();
  wake_watcher_.SetFd(-1);
  // Operations die with the ring; until then the kernel may write to what they point to.
  while (ring_->in_flight() > 0) {
    ring_->Wait(10);
    if (ring_->Dispatch(kCompletions) == 0) break;
  }
}

uint64_t UringBackend::Now() const { return base::MonotonicNanos(); }

UringStreams* UringBackend::streams() {
  if (!streams_probed_) {
    streams_probed_ = true;
    streams_ = UringStreams::Create(loop_, *ring_);
  }
  return streams_.get();
}

size_t UringBackend::Wait(int64_t timeout_ms) {
  while (FdWatcher* watcher = changes_.PopFront()) Apply(*watcher);
  if (streams_ != nullptr) streams_->ArmWaiting();
  ring_->Wait(timeout_ms);
  return ring_->Ready();
}

bool UringBackend::Dispatch() { return ring_->Dispatch(kBatch) == kBatch; }

void UringBackend::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void UringBackend::DrainWake() {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
}

void UringBackend::Apply(FdWatcher& watcher) {
  if (watcher.armed() == watcher.wanted()) return;
  if (watcher.armed() != 0) Detach(watcher);
  if (watcher.wanted() == 0) return;
  PollOp* op = TakePollOp();
  op->watcher_ = &watcher;
  watcher.set_backend_data(op);
  watcher.set_armed(watcher.wanted());
  io_uring_sqe* sqe = ring_->Prepare(op);
  io_uring_prep_poll_add(sqe, watcher.fd(), watcher.wanted());
  sqe->user_data = reinterpret_cast<uint64_t>(static_cast<UringOp*>(op));
}

void UringBackend::Detach(FdWatcher& watcher) {
  auto* op = static_cast<PollOp*>(watcher.backend_data());
  CHECK(op != nullptr);
  op->watcher_ = nullptr;
  watcher.set_backend_data(nullptr);
  watcher.set_armed(0);
  ring_->Cancel(op);
}

void UringBackend::Forget(FdWatcher& watcher) {
  if (watcher.armed() == 0) return;
  Detach(watcher);
  // Now: a poll in flight keeps the file open, and its peer or its address waiting, after close(2).
  ring_->Flush();
}

Result<void> UringBackend::CheckPollable(int fd) {
  struct stat info;
  if (::fstat(fd, &info) == -1) return base::ErrFromErrno("poll");
  if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return Err(EPERM, "poll");
  return {};
}

UringBackend::PollOp* UringBackend::TakePollOp() {
  if (!free_polls_.empty()) {
    PollOp* op = free_polls_.back();
    free_polls_.pop_back();
    return op;
  }
  all_polls_.push_back(std::make_unique<PollOp>(*this));
  return all_polls_.back().get();
}

Result<std::unique_ptr<Backend>> MakeUringBackend(Loop& loop) {
  Result<std::unique_ptr<UringRing>> ring = UringRing::Create(kEntries, kCompletions);
  if (!ring) return Err(std::move(ring.error()));
  if (int err = sys::InjectedError(sys::Call::kEventFd)) return Err(err, "eventfd");
  base::OwnedFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return base::ErrFromErrno("eventfd");
  return std::make_unique<UringBackend>(loop, std::move(*ring), std::move(wake));
}

}  // namespace gyre::loop
