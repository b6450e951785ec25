// TimerHandle: runs a function once or repeatedly in the timers phase. Timers compare in whole milliseconds and never
// fire early; equal due times fire in the order of starting.
// Thread: the loop's.
#ifndef GYRE_LOOP_TIMER_H_
#define GYRE_LOOP_TIMER_H_

#include <cstdint>

#include "loop/handle.h"

namespace gyre::loop {

using TimerCallback = base::UniqueFunction<void()>;

class TimerHandle final : public Handle {
 public:
  // `callback` runs on each expiry.
  static HandlePtr<TimerHandle> Create(Loop& loop, TimerCallback callback);

  // (Re)starts: due `delay_ms` after loop.now(); then every `repeat_ms` if that is not 0.
  void Start(uint64_t delay_ms, uint64_t repeat_ms = 0);
  void Stop();
  // Restarts with the repeat interval as delay; does nothing without one.
  void Again();
  void SetRepeat(uint64_t repeat_ms) { repeat_ms_ = repeat_ms; }
  uint64_t repeat() const { return repeat_ms_; }
  // Milliseconds until due; 0 when overdue or stopped.
  uint64_t DueIn() const;
  HandleFacts Describe() const override { return {.type = "timer", .due_ms = DueIn(), .repeat_ms = repeat_ms_}; }

 private:
  friend class TimerQueue;
  TimerHandle(Loop& loop, TimerCallback callback);
  ~TimerHandle() override;
  void OnClose() override;

  static constexpr uint32_t kNotQueued = UINT32_MAX;
  TimerCallback callback_;
  uint64_t due_ms_ = 0;
  uint64_t repeat_ms_ = 0;
  uint64_t start_id_ = 0;
  uint32_t heap_index_ = kNotQueued;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_TIMER_H_
