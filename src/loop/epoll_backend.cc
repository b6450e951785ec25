// The epoll backend: readiness, with interest changes told to the kernel once before each wait.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/check.h"
#include "base/clock.h"
#include "base/owned_fd.h"
#include "loop/backend.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

class EpollBackend final : public Backend {
 public:
  EpollBackend(base::OwnedFd epoll, base::OwnedFd wake) : epoll_(std::move(epoll)), wake_(std::move(wake)) {}

  const char* name() const override { return "epoll"; }
  int fd() const override { return epoll_.get(); }
  uint64_t Now() const override { return base::MonotonicNanos(); }

  Result<void> Init() {
    epoll_event event = {.events = EPOLLIN, .data = {.ptr = nullptr}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) == -1) {
      return base::ErrFromErrno("epoll_ctl");
    }
    return {};
  }

  size_t Wait(int64_t timeout_ms) override {
    ApplyChanges();
    next_ = 0;
    count_ = 0;
    // A descriptor that epoll refuses (a regular file) is always ready.
    if (!always_ready_.IsEmpty()) timeout_ms = 0;
    const int timeout = timeout_ms < 0 ? -1 : static_cast<int>(timeout_ms > INT_MAX ? INT_MAX : timeout_ms);
    const int count = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout);
    if (count == -1) {
      CHECK(errno == EINTR);
      return 0;
    }
    count_ = static_cast<size_t>(count);
    return count_;
  }

  bool Dispatch() override {
    const size_t count = count_;
    while (next_ < count_) {
      const epoll_event event = events_[next_++];
      auto* watcher = static_cast<FdWatcher*>(event.data.ptr);
      if (watcher == nullptr) {
        if (event.events != 0) DrainWake();
        continue;
      }
      // Interest may have been dropped by an earlier callback of this batch.
      const uint32_t events = event.events & (watcher->wanted() | kError | kHangUp);
      if (events != 0 && watcher->wanted() != 0) watcher->Dispatch(events);
    }
    DispatchAlwaysReady();
    return count == events_.size();
  }

  void Wake() override {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  }

  void Forget(FdWatcher& watcher) override {
    if (watcher.armed() == 0) return;
    if (watcher.armed() == kAlwaysReady) {
      watcher.set_armed(0);
      return;
    }
    epoll_event event = {};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watcher.fd(), &event);
    watcher.set_armed(0);
    for (size_t i = next_; i < count_; ++i) {
      if (events_[i].data.ptr == &watcher) events_[i] = {};
    }
  }

  Result<void> CheckPollable(int fd) override {
    epoll_event event = {};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == -1) {
      if (errno == EEXIST) return {};
      return base::ErrFromErrno("epoll_ctl");
    }
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &event);
    return {};
  }

 private:
  // No event mask of the kernel: marks a watcher that is on always_ready_.
  static constexpr uint32_t kAlwaysReady = 0x8000'0000;

  void ApplyChanges() {
    while (FdWatcher* watcher = changes_.PopFront()) Apply(*watcher);
  }

  void Apply(FdWatcher& watcher) {
    if (watcher.armed() == kAlwaysReady) {
      if (watcher.wanted() != 0) {
        always_ready_.PushBack(&watcher);
      } else {
        watcher.set_armed(0);
      }
      return;
    }
    if (watcher.wanted() == watcher.armed()) return;
    epoll_event event = {.events = watcher.wanted(), .data = {.ptr = &watcher}};
    const int operation =
        watcher.wanted() == 0 ? EPOLL_CTL_DEL : (watcher.armed() == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD);
    int result = ::epoll_ctl(epoll_.get(), operation, watcher.fd(), &event);
    // The same open file may be registered through a descriptor that was closed behind our back.
    if (result == -1 && operation == EPOLL_CTL_ADD && errno == EEXIST) {
      result = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, watcher.fd(), &event);
    }
    if (result == -1 && operation == EPOLL_CTL_MOD && errno == ENOENT) {
      result = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, watcher.fd(), &event);
    }
    if (result == 0 || operation == EPOLL_CTL_DEL) {
      watcher.set_armed(watcher.wanted());
      return;
    }
    // EPERM: a regular file, always ready. ENOMEM, ENOSPC, EBADF: reading or writing will tell the error.
    watcher.set_armed(kAlwaysReady);
    always_ready_.PushBack(&watcher);
  }

  void DispatchAlwaysReady() {
    if (always_ready_.IsEmpty()) return;
    base::IntrusiveList<FdWatcher> batch;
    batch.Append(always_ready_);
    while (FdWatcher* watcher = batch.PopFront()) {
      if (watcher->wanted() == 0) {
        watcher->set_armed(0);
        continue;
      }
      always_ready_.PushBack(watcher);
      watcher->Dispatch(watcher->wanted() & (kReadable | kWritable));
    }
  }

  void DrainWake() {
    uint64_t count;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
  }

  base::OwnedFd epoll_;
  base::OwnedFd wake_;
  base::IntrusiveList<FdWatcher> always_ready_;
  size_t next_ = 0;
  size_t count_ = 0;
  std::array<epoll_event, 256> events_;
};

}  // namespace

Result<std::unique_ptr<Backend>> MakeEpollBackend() {
  base::OwnedFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return base::ErrFromErrno("epoll_create1");
  if (int err = sys::InjectedError(sys::Call::kEventFd)) return Err(err, "eventfd");
  base::OwnedFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return base::ErrFromErrno("eventfd");
  auto backend = std::make_unique<EpollBackend>(std::move(epoll), std::move(wake));
  if (Result<void> ready = backend->Init(); !ready) return Err(std::move(ready.error()));
  return backend;
}

}  // namespace gyre::loop
