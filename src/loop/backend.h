// Backend: how a loop waits and learns of readiness. One per loop; chosen at creation.
// Thread: the loop's, except Wake().
#ifndef GYRE_LOOP_BACKEND_H_
#define GYRE_LOOP_BACKEND_H_

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "loop/fd_watcher.h"
#include "loop/loop.h"

namespace gyre::sys {
class FaultPlan;
}

namespace gyre::loop {

class UringRing;
class UringStreams;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;

  // Blocks until something is ready, Wake() was called or the time is over (-1: for ever); returns how many events
  // there are. Changes queued with QueueChange() take effect first.
  virtual size_t Wait(int64_t timeout_ms) = 0;
  // Calls the watchers of the events that Wait() found. True if more may be ready: look again without blocking.
  virtual bool Dispatch() = 0;

  // Interrupts Wait(), now or the next one. Thread: any.
  virtual void Wake() = 0;

  // `watcher.wanted()` changed.
  void QueueChange(FdWatcher& watcher) {
    if (!watcher.IsLinked()) changes_.PushBack(&watcher);
  }
  // Ends watching at once; drops events already found. The descriptor is about to be closed.
  virtual void Forget(FdWatcher& watcher) = 0;
  // EPERM if the descriptor cannot be watched.
  virtual Result<void> CheckPollable(int fd) = 0;

  virtual uint64_t Now() const = 0;  // nanoseconds
  virtual int fd() const { return -1; }
  // Completion-based streams; null where readiness is used.
  virtual UringStreams* streams() { return nullptr; }
  // The ring that waits for everything, where there is one.
  virtual UringRing* ring() { return nullptr; }
  // True if file operations must not use other threads (sim).
  virtual bool RunsFilesInline() const { return false; }

  // --- sim only ---
  // Around Run(): the fault plan to install, which asks `outer` first; null for none.
  virtual sys::FaultPlan* EnterRun(sys::FaultPlan* /*outer*/) { return nullptr; }
  // Completes in some later poll phase, after a delay from the seed.
  virtual void CompleteLater(Completion* /*completion*/) {}
  virtual void DropDeferred() {}

 protected:
  base::IntrusiveList<FdWatcher> changes_;
};

Result<std::unique_ptr<Backend>> MakeEpollBackend();
Result<std::unique_ptr<Backend>> MakeUringBackend(Loop& loop);
Result<std::unique_ptr<Backend>> MakeSimBackend(Loop& loop, const SimOptions* options);

}  // namespace gyre::loop

#endif  // GYRE_LOOP_BACKEND_H_
