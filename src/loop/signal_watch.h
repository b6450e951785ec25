// SignalWatch: the signals one loop watches. A signal handler finds it through a process-wide list, counts the signal
// in it and wakes the loop, which then calls its SignalHandles. Thread: Count() in any thread's signal context; the
// rest the loop's. Invariant: the parts a signal handler touches (SignalMailbox) are never freed, only reused.
#ifndef GYRE_LOOP_SIGNAL_WATCH_H_
#define GYRE_LOOP_SIGNAL_WATCH_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fd_watcher.h"

namespace gyre::loop {

class Loop;
class SignalHandle;

inline constexpr int kSignalLimit = 65;

struct SignalMailbox {
  std::atomic<bool> in_use{false};
  std::atomic<int> wake_fd{-1};
  std::array<std::atomic<uint32_t>, kSignalLimit> wanted{};  // handles of this loop that watch the signal
  std::array<std::atomic<uint32_t>, kSignalLimit> counts{};  // caught and not delivered yet
  SignalMailbox* next = nullptr;
};

class SignalWatch {
 public:
  // The loop's watch; made when first asked for.
  static Result<SignalWatch*> Of(Loop& loop);
  ~SignalWatch();

  Result<void> Add(SignalHandle* handle, int signum);
  void Remove(SignalHandle* handle, int signum);

 private:
  SignalWatch(Loop& loop, base::OwnedFd wake);
  void OnReady();

  base::OwnedFd wake_;
  FdWatcher watcher_;
  SignalMailbox* mailbox_;
  std::vector<SignalHandle*> handles_;  // entries become null while delivering
  bool delivering_ = false;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_SIGNAL_WATCH_H_
