#include "loop/remote.h"

#include <utility>

#include "loop/backend.h"

namespace gyre::loop {

bool LoopRemoteImpl::Post(base::UniqueFunction<void()> fn) {
  std::lock_guard lock(mutex_);
  if (backend_ == nullptr) return false;
  posted_.push_back(std::move(fn));
  Signal();
  return true;
}

bool LoopRemoteImpl::PushDone(LaneJob* job) {
  std::lock_guard lock(mutex_);
  if (backend_ == nullptr) return false;
  done_.PushBack(job);
  Signal();
  return true;
}

void LoopRemoteImpl::Wake() {
  std::lock_guard lock(mutex_);
  if (backend_ != nullptr) backend_->Wake();
}

void LoopRemoteImpl::Signal() {
  has_work_.store(true, std::memory_order_seq_cst);
  if (asleep_.exchange(false, std::memory_order_seq_cst)) backend_->Wake();
}

bool LoopRemoteImpl::PrepareToSleep() {
  asleep_.store(true, std::memory_order_seq_cst);
  if (!has_work_.load(std::memory_order_seq_cst)) return true;
  asleep_.store(false, std::memory_order_relaxed);
  return false;
}

size_t LoopRemoteImpl::RunQueued(Loop& loop) {
  if (!HasWork()) return 0;
  base::IntrusiveList<LaneJob> done;
  {
    std::lock_guard lock(mutex_);
    has_work_.store(false, std::memory_order_relaxed);
    std::swap(posted_, running_);
    done.Append(done_);
  }
  // Moved out before anything runs: a callback may run a nested turn, which uses running_ again.
  std::vector<base::UniqueFunction<void()>> batch = std::move(running_);
  running_.clear();
  size_t count = 0;
  while (LaneJob* job = done.PopFront()) {
    ++count;
    FinishLaneJob(loop, job);
  }
  for (auto& fn : batch) {
    ++count;
    fn();
    fn = nullptr;
  }
  batch.clear();
  if (running_.capacity() == 0) running_ = std::move(batch);
  return count;
}

void LoopRemoteImpl::TakeDone(base::IntrusiveList<LaneJob>& out) {
  std::lock_guard lock(mutex_);
  out.Append(done_);
}

void LoopRemoteImpl::Detach() {
  // Destroyed after the lock is free: what is dropped may post again.
  std::vector<base::UniqueFunction<void()>> dropped;
  std::lock_guard lock(mutex_);
  backend_ = nullptr;
  dropped = std::move(posted_);
}

}  // namespace gyre::loop
