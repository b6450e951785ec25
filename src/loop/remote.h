// LoopRemoteImpl: the queue through which other threads reach a loop.
// Thread: Post, PushDone, Wake any; the rest the loop's. Invariant: a loop that is about to block either sees what was
// queued or is woken.
#ifndef GYRE_LOOP_REMOTE_H_
#define GYRE_LOOP_REMOTE_H_

#include <atomic>
#include <mutex>
#include <vector>

#include "loop/lanes.h"
#include "loop/loop.h"

namespace gyre::loop {

class LoopRemoteImpl final : public LoopRemote {
 public:
  explicit LoopRemoteImpl(Backend* backend) : backend_(backend) {}

  bool Post(base::UniqueFunction<void()> fn) override;
  void Wake() override;
  // Hands a finished job back. False when the loop is gone: the caller keeps the job.
  bool PushDone(LaneJob* job);

  bool HasWork() const { return has_work_.load(std::memory_order_acquire); }
  // Before blocking: from now on queueing wakes the backend. False if there is work already.
  bool PrepareToSleep();
  void StayAwake() { asleep_.store(false, std::memory_order_relaxed); }
  // Runs what was queued when called. Returns how many.
  size_t RunQueued(Loop& loop);
  // Takes finished jobs only, without running them (teardown).
  void TakeDone(base::IntrusiveList<LaneJob>& out);
  // The loop ends: nothing is taken any more; what was posted is dropped.
  void Detach();

 private:
  void Signal();

  std::atomic<bool> has_work_{false};
  std::atomic<bool> asleep_{false};
  std::mutex mutex_;
  Backend* backend_;  // null once detached
  std::vector<base::UniqueFunction<void()>> posted_;
  std::vector<base::UniqueFunction<void()>> running_;  // only the loop's thread; keeps its capacity
  base::IntrusiveList<LaneJob> done_;
};

// Ends a job on its loop: reports the outcome and deletes it. Defined by lanes.cc.
void FinishLaneJob(Loop& loop, LaneJob* job);

}  // namespace gyre::loop

#endif  // GYRE_LOOP_REMOTE_H_
