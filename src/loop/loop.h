// Loop: one event loop, its phases, its clock, and what keeps it alive. docs/loop.md specifies it.
// Thread: the thread that runs it; Post() and LoopRemote from any thread.
// Owner: the runtime. Destroying a loop closes all its handles and runs their closing phase.
#ifndef GYRE_LOOP_LOOP_H_
#define GYRE_LOOP_LOOP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/intrusive_list.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "loop/fs_changes.h"
#include "loop/handle.h"

namespace gyre::loop {

class Backend;
class LoopRemoteImpl;
class SignalWatch;
class InotifyHub;
class TimerHandle;
class TimerQueue;
class UringFiles;
struct SimOptions;

enum class BackendKind : uint8_t { kAuto, kUring, kEpoll, kSim };

// "auto", "uring", "epoll", "sim" (the values of GYRE_LOOP), or nothing for another word.
std::optional<BackendKind> ParseBackendKind(std::string_view name);

struct LoopOptions {
  // kAuto: what GYRE_LOOP says, else the mix that measures best and that the kernel allows. A forced backend
  // that the kernel refuses is an error.
  BackendKind backend = BackendKind::kAuto;
  // Only for kSim; null means the defaults of sim.h with seed 1.
  const SimOptions* sim = nullptr;
};

enum class RunMode : uint8_t {
  kDefault,  // until nothing keeps it alive or Stop()
  kOnce,     // one turn, may block in poll
  kNoWait,   // one turn, does not block
};

enum class Phase : uint8_t { kOutside, kTimers, kPending, kIdle, kPrepare, kPoll, kCheck, kClosing };

// Whether immediates wait for the check phase. kUnref ones run if the loop turns, but do not keep it alive.
enum class Immediates : uint8_t { kNone, kUnref, kRef };

// Counters since the loop's start. A copy; cheap.
struct LoopMetrics {
  uint64_t loop_count = 0;      // turns
  uint64_t events = 0;          // completions and readiness events handled
  uint64_t events_waiting = 0;  // of these, already there when poll was entered
  uint64_t idle_ns = 0;         // blocked in poll
};

// What another thread may read while the loop runs (the stall watch). Relaxed atomics: each value is
// true, together they may be of two moments.
struct LoopActivity {
  std::atomic<Phase> phase{Phase::kOutside};
  // MonotonicNanos() at which the loop last came back from waiting; 0 while it waits or is not running.
  std::atomic<uint64_t> busy_since_ns{0};
  // When it first ran; how long it has waited since, and since when it waits now (0 while it does not).
  std::atomic<uint64_t> started_ns{0};
  std::atomic<uint64_t> idle_ns{0};
  std::atomic<uint64_t> waits_since_ns{0};
  // Events of this turn not handled yet.
  std::atomic<uint32_t> events_waiting{0};
  std::atomic<uint64_t> loop_count{0};
  // What runs now: set by the scope that enters JavaScript. `cause` is a string literal.
  std::atomic<const char*> cause{nullptr};
  std::atomic<uint64_t> cause_id{0};
};

// Something to run in the loop's poll phase. Intrusive: embed it in the operation; no allocation.
class Completion : public base::ListNode<Completion> {
 public:
  virtual void Complete() = 0;
  // Instead of Complete() when the loop is destroyed first; must not run user code.
  virtual void Drop() {}

 protected:
  ~Completion() = default;
};

// The part of a loop that other threads hold. Outlives the loop.
// Thread: any.
class LoopRemote {
 public:
  virtual ~LoopRemote() = default;
  // Runs `fn` on the loop's thread in its poll phase, in the order of posting. False (and `fn` dropped) when
  // the loop is gone. Posting does not keep the loop alive.
  virtual bool Post(base::UniqueFunction<void()> fn) = 0;
  // Interrupts a blocking poll without running anything.
  virtual void Wake() = 0;
};

class Loop {
 public:
  static Result<std::unique_ptr<Loop>> Create(const LoopOptions& options = {});
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs turns: (timers) pending, idle, prepare, poll, check, closing, timers. True if something still keeps
  // the loop alive.
  bool Run(RunMode mode = RunMode::kDefault);
  // Ends Run() after the present turn. Thread: the loop's.
  void Stop();
  bool IsRunning() const { return running_; }
  // Referenced active handles, KeepAlive() counts, closing handles or referenced immediates exist.
  bool Alive() const;

  // --- time ---
  // The cached clock in milliseconds since an arbitrary start, as of the last UpdateTime(): what timers
  // compare with. Virtual under the sim backend.
  uint64_t now() const { return now_ns_ / 1'000'000u; }
  uint64_t now_ns() const { return now_ns_; }
  void UpdateTime();
  // The clock uncached: MonotonicNanos(), or virtual time under sim.
  uint64_t HrTime() const;

  // --- what keeps the loop alive besides handles (libuv's active requests) ---
  void AddKeepAlive() { ++keep_alive_; }
  // Operations in flight: file operations, jobs on lanes, requests.
  uint64_t operations() const { return keep_alive_; }
  void DropKeepAlive();

  // --- hooks of the engine. One each; an empty function removes it. ---
  // Runs in the check phase when immediates wait: runs them all (the ones that were there when it began).
  void SetImmediateHook(base::UniqueFunction<void()> hook);
  // While not kNone, poll does not block.
  void SetImmediates(Immediates state) { immediates_ = state; }
  Immediates immediates() const { return immediates_; }
  // The single timer behind all JavaScript timers. The hook runs in the timers phase when it is due;
  // it reschedules the next one itself.
  void SetJsTimerHook(base::UniqueFunction<void()> hook);
  void ScheduleJsTimer(uint64_t delay_ms);
  void StopJsTimer();
  void RefJsTimer();
  void UnrefJsTimer();
  // General hooks of each turn (idle runs before prepare; an idle hook makes poll not block). They keep
  // nothing alive.
  void SetIdleHook(base::UniqueFunction<void()> hook);
  void SetPrepareHook(base::UniqueFunction<void()> hook);
  void SetCheckHook(base::UniqueFunction<void()> hook);

  // --- work for the poll phase ---
  // Thread-safe, see LoopRemote::Post().
  void Post(base::UniqueFunction<void()> fn);
  const std::shared_ptr<LoopRemote>& remote() const { return remote_; }
  // From the loop's own thread, without allocation or system call: `completion` runs in the next poll phase,
  // which will not block. It must live until then, or Unlink() itself.
  void CompleteSoon(Completion* completion);

  // --- insight ---
  LoopMetrics metrics() const;
  LoopActivity& activity() { return activity_; }
  // "epoll", "uring", "epoll+uring" (sockets by epoll, files by the ring) or "sim".
  const char* backend_name() const;
  // The descriptor that becomes readable when the loop has work, for embedding; -1 if there is none.
  int backend_fd() const;
  // Milliseconds until poll would have to return: 0 do not block, -1 for ever.
  int64_t PollTimeout() const;
  // Calls `visit` for each open handle (process.getActiveResourcesInfo and the leak checks of tests).
  void ForEachHandle(base::UniqueFunction<void(Handle&)> visit);

  // --- for the loop's own parts ---
  Backend& backend() { return *backend_; }
  TimerQueue& timers() { return *timers_; }
  // 64 KiB into which all streams read; made on first use. Valid only inside a data callback.
  std::span<uint8_t> SharedReadBuffer();
  // The shared buffer itself, for a data callback that wants to keep what it got without a copy: null unless `data`
  // lies at its beginning. The loop makes itself another.
  std::unique_ptr<uint8_t[]> TakeSharedReadBuffer(std::span<const uint8_t> data);
  // The ring for file operations, or null where the lanes do them. Made on first use.
  UringFiles* files();
  // What file operations in flight change.
  ChangesInFlight& changes() { return changes_; }
  void CountEvents(uint64_t count) { metrics_.events += count; }
  bool HasJobs() const { return jobs_ > 0; }
  LoopRemoteImpl& remote_impl() { return *remote_impl_; }
  // Jobs on lanes or rings that will come back to this loop; destruction waits for them.
  void AddJob() {
    ++jobs_;
    AddKeepAlive();
  }
  void DropJob() {
    --jobs_;
    DropKeepAlive();
  }
  std::unique_ptr<SignalWatch>& signal_watch() { return signal_watch_; }
  std::unique_ptr<InotifyHub>& inotify() { return inotify_; }

 private:
  friend class Handle;
  Loop();
  bool RunTurns(RunMode mode);
  void RunTimers();
  void RunPoll(int64_t timeout_ms);
  void RunCompletions();
  void RunImmediates();
  void RunHook(base::UniqueFunction<void()>& hook, Phase phase);
  void DrainJobs();
  void RunClosing();
  void QueueClosing(Handle* handle);
  void CloseAllHandles();
  void EnterPhase(Phase phase) { activity_.phase.store(phase, std::memory_order_relaxed); }

  uint64_t now_ns_ = 0;
  uint64_t active_handles_ = 0;  // active and referenced
  uint64_t keep_alive_ = 0;
  uint64_t jobs_ = 0;
  Immediates immediates_ = Immediates::kNone;
  bool running_ = false;
  bool stop_ = false;
  bool files_probed_ = false;
  BackendKind kind_ = BackendKind::kAuto;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<TimerQueue> timers_;
  std::shared_ptr<LoopRemote> remote_;
  LoopRemoteImpl* remote_impl_ = nullptr;  // what remote_ points to
  std::unique_ptr<UringFiles> files_;
  ChangesInFlight changes_;
  std::unique_ptr<SignalWatch> signal_watch_;
  std::unique_ptr<InotifyHub> inotify_;
  base::IntrusiveList<Handle> handles_;
  base::IntrusiveList<Handle> closing_;
  base::IntrusiveList<Completion> completions_;
  HandlePtr<TimerHandle> js_timer_;
  base::UniqueFunction<void()> immediate_hook_;
  base::UniqueFunction<void()> js_timer_hook_;
  base::UniqueFunction<void()> idle_hook_;
  base::UniqueFunction<void()> prepare_hook_;
  base::UniqueFunction<void()> check_hook_;
  std::unique_ptr<uint8_t[]> read_buffer_;
  LoopMetrics metrics_;
  LoopActivity activity_;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_LOOP_H_
