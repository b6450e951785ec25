#include "loop/timer.h"

#include <algorithm>

#include "loop/loop.h"
#include "loop/timer_queue.h"

namespace gyre::loop {

HandlePtr<TimerHandle> TimerHandle::Create(Loop& loop, TimerCallback callback) {
  return HandlePtr<TimerHandle>(new TimerHandle(loop, std::move(callback)));
}

TimerHandle::TimerHandle(Loop& loop, TimerCallback callback) : Handle(loop), callback_(std::move(callback)) {}

TimerHandle::~TimerHandle() = default;

void TimerHandle::Start(uint64_t delay_ms, uint64_t repeat_ms) {
  if (IsClosing()) return;
  Stop();
  const uint64_t now = loop().now();
  due_ms_ = delay_ms > UINT64_MAX - now ? UINT64_MAX : now + delay_ms;
  repeat_ms_ = repeat_ms;
  loop().timers().Insert(this);
  SetActive(true);
}

void TimerHandle::Stop() {
  if (heap_index_ == kNotQueued) return;
  loop().timers().Remove(this);
  SetActive(false);
}

void TimerHandle::Again() {
  if (repeat_ms_ != 0) Start(repeat_ms_, repeat_ms_);
}

uint64_t TimerHandle::DueIn() const {
  if (heap_index_ == kNotQueued) return 0;
  const uint64_t now = loop().now();
  return due_ms_ > now ? due_ms_ - now : 0;
}

void TimerHandle::OnClose() { Stop(); }

void TimerQueue::Insert(TimerHandle* timer) {
  timer->start_id_ = next_id_++;
  heap_.push_back(timer);
  timer->heap_index_ = static_cast<uint32_t>(heap_.size() - 1);
  SiftUp(timer->heap_index_);
}

void TimerQueue::Remove(TimerHandle* timer) {
  const uint32_t index = timer->heap_index_;
  timer->heap_index_ = TimerHandle::kNotQueued;
  TimerHandle* last = heap_.back();
  heap_.pop_back();
  if (last == timer) return;
  Place(last, index);
  SiftUp(index);
  SiftDown(last->heap_index_);
}

void TimerQueue::SiftUp(uint32_t index) {
  TimerHandle* timer = heap_[index];
  while (index > 0) {
    const uint32_t parent = (index - 1) / 2;
    if (!Before(timer, heap_[parent])) break;
    Place(heap_[parent], index);
    index = parent;
  }
  Place(timer, index);
}

void TimerQueue::SiftDown(uint32_t index) {
  TimerHandle* timer = heap_[index];
  const uint32_t size = static_cast<uint32_t>(heap_.size());
  while (true) {
    uint32_t child = 2 * index + 1;
    if (child >= size) break;
    if (child + 1 < size && Before(heap_[child + 1], heap_[child])) ++child;
    if (!Before(heap_[child], timer)) break;
    Place(heap_[child], index);
    index = child;
  }
  Place(timer, index);
}

void TimerQueue::Run(uint64_t now_ms) {
  const uint64_t limit = next_id_;
  while (!heap_.empty()) {
    TimerHandle* timer = heap_.front();
    if (timer->due_ms_ > now_ms || timer->start_id_ >= limit) break;
    timer->Stop();
    timer->Again();
    timer->callback_();
  }
}

}  // namespace gyre::loop
