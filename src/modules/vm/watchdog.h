// Ends JavaScript that runs for too long: after a time, or when SIGINT comes.
//
// Thread: made and destroyed on the isolate's thread; it waits on one of its own, and only asks V8 to terminate.
#ifndef GYRE_MODULES_VM_WATCHDOG_H_
#define GYRE_MODULES_VM_WATCHDOG_H_

#include <v8.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/js.h"

namespace gyre::vm {

class Watchdog {
 public:
  Watchdog(v8::Isolate* isolate, uint32_t milliseconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  bool timed_out() const { return timed_out_; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::atomic<bool> timed_out_ = false;
  std::thread thread_;
};

/// While one exists SIGINT terminates the isolate's JavaScript instead of the process. They nest.
class SigintWatchdog {
 public:
  explicit SigintWatchdog(v8::Isolate* isolate);
  ~SigintWatchdog();
  SigintWatchdog(const SigintWatchdog&) = delete;
  SigintWatchdog& operator=(const SigintWatchdog&) = delete;
  bool interrupted() const { return interrupted_; }

 private:
  friend struct SigintWatch;
  v8::Isolate* isolate_;
  std::atomic<bool> interrupted_ = false;
};

/// What a run of JavaScript may take: `milliseconds` (0: any time), and SIGINT if it `breaks_on_sigint`.
class RunLimit {
 public:
  RunLimit(v8::Isolate* isolate, uint32_t milliseconds, bool breaks_on_sigint);
  /// After the run: nothing is watched any more. True if it was ended; the error that says so is pending.
  bool WasHit(const engine::Js& js);

 private:
  uint32_t milliseconds_;
  std::optional<Watchdog> time_;
  std::optional<SigintWatchdog> sigint_;
};

}  // namespace gyre::vm

#endif  // GYRE_MODULES_VM_WATCHDOG_H_
