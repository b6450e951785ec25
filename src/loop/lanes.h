// Lanes: named sets of threads with a queue each, for work that blocks or computes. A full lane never delays another.
// Process-wide, shared by all loops; threads start when needed and sleep when idle.
// Thread: Submit and Cancel from a loop's thread; Snapshot and SetObserver from any.
// Ownership: a lane owns the job until it is done, then the loop does until Done() returned. A job whose loop is gone
// is deleted on the lane's thread, without Done().
#ifndef GYRE_LOOP_LANES_H_
#define GYRE_LOOP_LANES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "loop/loop.h"

namespace gyre::loop {

enum class Lane : uint8_t { kCrypto, kZlib, kDns, kFs, kTask };
inline constexpr int kLaneCount = 5;
const char* LaneName(Lane lane);  // "crypto", "zlib", "dns", "fs", "task"

using JobId = uint64_t;

// What a job is and where it came from.
struct JobLabel {
  const char* kind = "";  // a string literal: "pbkdf2", "gzip", "getaddrinfo", "read", ...
  uint64_t origin = 0;    // LoopActivity::cause_id when submitted, or what the submitter likes
};

// The times of a job, MonotonicNanos(); 0: not yet.
struct JobInfo {
  JobId id = 0;
  Lane lane = Lane::kCrypto;
  JobLabel label;
  uint64_t queued_ns = 0;
  uint64_t started_ns = 0;
  uint64_t ended_ns = 0;
  // Jobs waiting or running on this lane when this one was queued.
  uint32_t ahead = 0;
};

// A unit of work. Derive from it to keep all of a job in one allocation, or use the Submit() with functions.
class LaneJob : public base::ListNode<LaneJob> {
 public:
  virtual ~LaneJob() = default;
  // On a lane thread. Must not touch the loop, V8, or anything that the loop's thread may touch meanwhile.
  virtual void Work() = 0;
  // On the loop's thread, in the poll phase. `result` fails with ECANCELED if the job was cancelled before it began.
  virtual void Done(Result<void> result) = 0;
  const JobInfo& info() const { return info_; }

 private:
  friend class LanePool;
  friend class LanePost;
  JobInfo info_;
  bool canceled_ = false;
  std::shared_ptr<LoopRemote> home_;
};

namespace lanes {

// Queues a job. It keeps the loop alive until it is done.
JobId Submit(Loop& loop, Lane lane, JobLabel label, std::unique_ptr<LaneJob> job);
JobId Submit(Loop& loop, Lane lane, JobLabel label, base::UniqueFunction<void()> work,
             base::UniqueFunction<void(Result<void>)> done);

// Takes a job that has not begun off the queue; its Done() then runs with ECANCELED. False if it has begun or ended.
bool Cancel(Lane lane, JobId id);

// Cancels all jobs of a loop that have not begun (teardown).
void CancelAllOf(Loop& loop);

// Where the size of a lane is read when its first job is submitted (on the submitting thread). The default reads
// UV_THREADPOOL_SIZE from the environment. Return <= 0 for "not set".
void SetPoolSizeSource(base::UniqueFunction<int()> source);
// Threads that the lane has or will have: 1..1024, default the larger of 4 and the number of cores.
int PoolSize(Lane lane);

// Jobs waiting and running, oldest first. Thread: any.
std::vector<JobInfo> Snapshot(Lane lane);

// Told of each job when it ends (on the lane's thread; info is complete). Null removes it. Must be thread-safe and
// quick.
using JobEndedFunction = void (*)(const JobInfo& info);
void SetJobEndedObserver(JobEndedFunction observer);

struct LaneStats {
  uint64_t submitted = 0;
  uint64_t completed = 0;
  uint32_t waiting = 0;
  uint32_t running = 0;
  uint32_t threads = 0;
};
LaneStats Stats(Lane lane);

}  // namespace lanes
}  // namespace gyre::loop

#endif  // GYRE_LOOP_LANES_H_
