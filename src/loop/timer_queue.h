// TimerQueue: the heap of started timers of a loop.
// Thread: the loop's. Invariant: heap order by (due, start id); each timer knows its index.
#ifndef GYRE_LOOP_TIMER_QUEUE_H_
#define GYRE_LOOP_TIMER_QUEUE_H_

#include <cstdint>
#include <vector>

#include "loop/timer.h"

namespace gyre::loop {

class TimerQueue {
 public:
  void Insert(TimerHandle* timer);
  void Remove(TimerHandle* timer);
  bool IsEmpty() const { return heap_.empty(); }
  uint64_t NextDueMs() const { return heap_.front()->due_ms_; }
  // Fires what is due at `now_ms`, except what is started meanwhile.
  void Run(uint64_t now_ms);

 private:
  static bool Before(const TimerHandle* a, const TimerHandle* b) {
    return a->due_ms_ != b->due_ms_ ? a->due_ms_ < b->due_ms_ : a->start_id_ < b->start_id_;
  }
  void Place(TimerHandle* timer, uint32_t index) {
    heap_[index] = timer;
    timer->heap_index_ = index;
  }
  void SiftUp(uint32_t index);
  void SiftDown(uint32_t index);

  std::vector<TimerHandle*> heap_;
  uint64_t next_id_ = 0;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_TIMER_QUEUE_H_
