#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/owned_fd.h"
#include "loop/backend.h"
#include "loop/sim.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kLookNanos = 100'000;
// Far from 0, so that a mistake with times before the start shows.
constexpr uint64_t kStart = 1'000'000 * kMs;

using Random = std::mt19937_64;

bool Chance(Random& random, uint32_t percent) { return percent != 0 && random() % 100 < percent; }

// Fails and shortens system calls as the seed says; asks a plan that a test installed first.
class SimFaults final : public sys::FaultPlan {
 public:
  SimFaults(const SimOptions& options, Random& random) : options_(options), random_(random) {}
  void set_outer(FaultPlan* outer) { outer_ = outer; }

  int Fail(sys::Call call, int fd) override {
    if (outer_ != nullptr) {
      if (const int error = outer_->Fail(call, fd); error != 0) return error;
    }
    switch (call) {
      case sys::Call::kReceive:
        if (Chance(random_, options_.would_block)) return EAGAIN;
        return Chance(random_, options_.reset) ? ECONNRESET : 0;
      case sys::Call::kSend:
        if (Chance(random_, options_.would_block)) return EAGAIN;
        if (Chance(random_, options_.no_buffers)) return ENOBUFS;
        return Chance(random_, options_.reset) ? EPIPE : 0;
      case sys::Call::kAccept:
        if (Chance(random_, options_.would_block)) return EAGAIN;
        return Chance(random_, options_.no_descriptors) ? EMFILE : 0;
      case sys::Call::kSocket:
      case sys::Call::kOpen:
        return Chance(random_, options_.no_descriptors) ? EMFILE : 0;
      default:
        return 0;
    }
  }

  size_t Limit(sys::Call call, int fd, size_t wanted) override {
    if (outer_ != nullptr) wanted = outer_->Limit(call, fd, wanted);
    if (wanted <= 1 || !Chance(random_, options_.short_transfer)) return wanted;
    return 1 + random_() % wanted;
  }

 private:
  const SimOptions& options_;
  Random& random_;
  FaultPlan* outer_ = nullptr;
};

class SimBackend final : public Backend {
 public:
  SimBackend(Loop& loop, const SimOptions& options, base::OwnedFd wake)
      : loop_(loop), options_(options), random_(options.seed), faults_(options_, random_), wake_(std::move(wake)) {}

  const char* name() const override { return "sim"; }
  uint64_t Now() const override { return now_; }
  bool RunsFilesInline() const override { return true; }

  sys::FaultPlan* EnterRun(sys::FaultPlan* outer) override {
    faults_.set_outer(outer);
    return &faults_;
  }

  size_t Wait(int64_t timeout_ms) override {
    ApplyChanges();
    // A loop that only looks must see time pass, or what it looks for would never come.
    if (timeout_ms == 0) now_ += kLookNanos;
    const uint64_t deadline = timeout_ms < 0 ? UINT64_MAX : now_ + static_cast<uint64_t>(timeout_ms) * kMs;
    if (Look(0) && timeout_ms != 0) return CollectDue();
    while (CollectDue() == 0 && now_ < deadline) {
      const uint64_t next = std::min(deadline, NextDue());
      if (next == UINT64_MAX || IsOutsideAwaited()) {
        // Something real has to happen; it takes real time.
        const uint64_t before = base::MonotonicNanos();
        const bool woken = Look(RealTimeout(next));
        now_ = std::min(next, now_ + (base::MonotonicNanos() - before));
        if (woken) return CollectDue();
        continue;
      }
      if (Look(static_cast<int>(options_.grace_ms))) return CollectDue();
      // What the grace brought may come before what was next.
      now_ = std::max(now_, std::min(next, NextDue()));
    }
    return due_.size();
  }

  bool Dispatch() override {
    std::vector<Event> batch = std::move(due_);
    due_.clear();
    if (options_.reorder) std::shuffle(batch.begin(), batch.end(), random_);
    dispatching_ = &batch;
    for (size_t i = 0; i < batch.size(); ++i) {
      const Event event = batch[i];
      batch[i].watcher = nullptr;
      if (event.completion != nullptr) {
        event.completion->Complete();
      } else if (event.watcher != nullptr) {
        DispatchWatcher(*event.watcher);
      }
    }
    dispatching_ = nullptr;
    return false;
  }

  void Wake() override {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  }

  void Forget(FdWatcher& watcher) override {
    std::erase(watchers_, &watcher);
    watcher.set_armed(0);
    const auto is_its = [&](const Event& event) { return event.watcher == &watcher; };
    std::erase_if(pending_, is_its);
    std::erase_if(due_, is_its);
    if (dispatching_ == nullptr) return;
    for (Event& event : *dispatching_) {
      if (event.watcher == &watcher) event.watcher = nullptr;
    }
  }

  Result<void> CheckPollable(int fd) override {
    struct stat info;
    if (::fstat(fd, &info) == -1) return base::ErrFromErrno("poll");
    if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return Err(EPERM, "poll");
    return {};
  }

  void CompleteLater(Completion* completion) override {
    pending_.push_back({.due = now_ + Delay(), .watcher = nullptr, .completion = completion});
  }

  void DropDeferred() override {
    for (const std::vector<Event>& events : {std::move(pending_), std::move(due_)}) {
      for (const Event& event : events) {
        if (event.completion != nullptr) event.completion->Drop();
      }
    }
    pending_.clear();
    due_.clear();
  }

 private:
  // Something that happened and is reported at `due`.
  struct Event {
    uint64_t due = 0;
    FdWatcher* watcher = nullptr;
    Completion* completion = nullptr;
  };

  uint64_t Delay() { return options_.max_delay_ms == 0 ? 0 : random_() % (options_.max_delay_ms + 1) * kMs; }

  void ApplyChanges() {
    while (FdWatcher* watcher = changes_.PopFront()) {
      const bool known = std::ranges::find(watchers_, watcher) != watchers_.end();
      if (watcher->wanted() != 0 && !known) watchers_.push_back(watcher);
      if (watcher->wanted() == 0 && known) Forget(*watcher);
      watcher->set_armed(watcher->wanted());
    }
  }

  bool IsOutsideAwaited() const {
    if (loop_.HasJobs()) return true;
    return std::ranges::any_of(watchers_, [](const FdWatcher* watcher) { return watcher->waits_for_outside(); });
  }

  int RealTimeout(uint64_t next) const {
    if (next == UINT64_MAX) return -1;
    return static_cast<int>(std::min<uint64_t>((next - now_) / kMs + 1, 1000));
  }

  // Asks the kernel what is ready. True if the loop was woken by another thread.
  bool Look(int real_timeout_ms) {
    std::vector<pollfd> fds = {{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    for (const FdWatcher* watcher : watchers_) {
      fds.push_back({.fd = watcher->fd(), .events = static_cast<short>(watcher->wanted()), .revents = 0});
    }
    if (::poll(fds.data(), fds.size(), real_timeout_ms) <= 0) return false;
    for (size_t i = 1; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      FdWatcher* watcher = watchers_[i - 1];
      const auto same = [&](const Event& event) { return event.watcher == watcher; };
      if (std::ranges::any_of(pending_, same) || std::ranges::any_of(due_, same)) continue;
      pending_.push_back({.due = now_ + Delay(), .watcher = watcher, .completion = nullptr});
    }
    if ((fds[0].revents & POLLIN) == 0) return false;
    uint64_t count;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
    return true;
  }

  uint64_t NextDue() const {
    uint64_t next = UINT64_MAX;
    for (const Event& event : pending_) next = std::min(next, event.due);
    return next;
  }

  size_t CollectDue() {
    for (const Event& event : pending_) {
      if (event.due <= now_) due_.push_back(event);
    }
    std::erase_if(pending_, [this](const Event& event) { return event.due <= now_; });
    return due_.size();
  }

  void DispatchWatcher(FdWatcher& watcher) {
    if (watcher.wanted() == 0) return;
    // It may have been served since.
    pollfd fd = {.fd = watcher.fd(), .events = static_cast<short>(watcher.wanted()), .revents = 0};
    if (::poll(&fd, 1, 0) <= 0) return;
    const auto ready = static_cast<uint32_t>(fd.revents);
    const uint32_t events = ready & (watcher.wanted() | kError | kHangUp);
    if (events != 0) watcher.Dispatch(events);
  }

  Loop& loop_;
  const SimOptions options_;
  Random random_;
  SimFaults faults_;
  base::OwnedFd wake_;
  uint64_t now_ = kStart;
  std::vector<FdWatcher*> watchers_;
  std::vector<Event> pending_;
  std::vector<Event> due_;
  std::vector<Event>* dispatching_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Backend>> MakeSimBackend(Loop& loop, const SimOptions* options) {
  base::OwnedFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return base::ErrFromErrno("eventfd");
  return std::make_unique<SimBackend>(loop, options != nullptr ? *options : SimOptions{}, std::move(wake));
}

}  // namespace gyre::loop
