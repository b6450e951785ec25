#include "loop/lanes.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "base/check.h"
#include "base/clock.h"
#include "loop/remote.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

constexpr int kMaxThreads = 1024;
constexpr size_t kStackSize = 8 * 1024 * 1024;
constexpr std::array<const char*, kLaneCount> kNames = {"crypto", "zlib", "dns", "fs", "task"};

std::atomic<lanes::JobEndedFunction> g_observer{nullptr};
std::atomic<JobId> g_next_id{1};

int SizeFromEnvironment() {
  const char* text = std::getenv("UV_THREADPOOL_SIZE");
  if (text == nullptr) return 0;
  // As atoi() on libuv, but what is below 1 counts as 1 there.
  int value = 0;
  const char* end = text + std::strlen(text);
  if (std::from_chars(text, end, value).ec == std::errc::result_out_of_range) return kMaxThreads;
  return std::max(value, 1);
}

struct SizeSource {
  std::mutex mutex;
  base::UniqueFunction<int()> function = SizeFromEnvironment;
};

SizeSource& Source() {
  static SizeSource* source = new SizeSource();
  return *source;
}

int ReadPoolSize() {
  SizeSource& source = Source();
  std::lock_guard lock(source.mutex);
  const int wanted = source.function ? source.function() : 0;
  const int fallback = std::max<int>(4, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  return std::clamp(wanted > 0 ? wanted : fallback, 1, kMaxThreads);
}

// docs/loop.md 5.3: loops come first. How much nicer a lane's threads are than the loop that started them;
// docs/decisions.md has the figures.
constexpr std::array<int, kLaneCount> kNicer = {5, 5, 1, 1, 5};

void LowerPriority(Lane lane) {
  const bool computes = lane == Lane::kCrypto || lane == Lane::kZlib || lane == Lane::kTask;
  if (computes) {
    const sched_param param = {};
    ::sched_setscheduler(0, SCHED_BATCH, &param);
  }
  const auto self = static_cast<id_t>(::syscall(SYS_gettid));
  ::setpriority(PRIO_PROCESS, self, ::getpriority(PRIO_PROCESS, self) + kNicer[static_cast<size_t>(lane)]);
}

}  // namespace

const char* LaneName(Lane lane) { return kNames[static_cast<size_t>(lane)]; }

// One lane. Never destroyed: its threads may outlive main().
class LanePool {
 public:
  explicit LanePool(Lane lane) : lane_(lane) {}
  static LanePool& Of(Lane lane) {
    static auto* pools =
        new std::array<LanePool, kLaneCount>{LanePool(Lane::kCrypto), LanePool(Lane::kZlib), LanePool(Lane::kDns),
                                             LanePool(Lane::kFs), LanePool(Lane::kTask)};
    return (*pools)[static_cast<size_t>(lane)];
  }

  JobId Submit(Loop& loop, JobLabel label, std::unique_ptr<LaneJob> owned) {
    LaneJob* job = owned.release();
    const JobId id = g_next_id.fetch_add(1, std::memory_order_relaxed);
    job->home_ = loop.remote();
    job->info_ = JobInfo{.id = id, .lane = lane_, .label = label, .queued_ns = base::MonotonicNanos()};
    loop.AddJob();
    std::unique_lock lock(mutex_);
    if (size_ == 0) size_ = ReadPoolSize();
    job->info_.ahead = static_cast<uint32_t>(waiting_ + working_);
    queue_.PushBack(job);
    ++waiting_;
    ++submitted_;
    if (idle_ >= waiting_) {
      lock.unlock();
      wake_.notify_one();
      return id;
    }
    if (threads_ < size_) StartThread();
    if (threads_ > 0) {
      lock.unlock();
      wake_.notify_one();
      return id;
    }
    // No thread at all can be had: the loop's thread does it, in its next poll phase. Until then it may be cancelled.
    lock.unlock();
    loop.Post([this, home = loop.remote().get()] { RunFirstOf(home); });
    return id;
  }

  bool Cancel(JobId id) {
    std::lock_guard lock(mutex_);
    for (LaneJob* job = queue_.Front(); job != nullptr; job = queue_.Next(job)) {
      if (job->info_.id == id) {
        CancelQueued(job);
        return true;
      }
    }
    return false;
  }

  void CancelAllOf(const LoopRemote* home) {
    std::lock_guard lock(mutex_);
    for (LaneJob* job = queue_.Front(); job != nullptr;) {
      LaneJob* next = queue_.Next(job);
      if (job->home_.get() == home) CancelQueued(job);
      job = next;
    }
  }

  int Size() {
    std::lock_guard lock(mutex_);
    return size_ != 0 ? size_ : ReadPoolSize();
  }

  std::vector<JobInfo> Snapshot() {
    std::lock_guard lock(mutex_);
    std::vector<JobInfo> jobs;
    for (LaneJob* job = running_.Front(); job != nullptr; job = running_.Next(job)) jobs.push_back(job->info_);
    for (LaneJob* job = queue_.Front(); job != nullptr; job = queue_.Next(job)) jobs.push_back(job->info_);
    return jobs;
  }

  lanes::LaneStats Stats() {
    std::lock_guard lock(mutex_);
    return {.submitted = submitted_,
            .completed = completed_,
            .waiting = static_cast<uint32_t>(waiting_),
            .running = static_cast<uint32_t>(working_),
            .threads = static_cast<uint32_t>(threads_)};
  }

 private:
  void StartThread() {
    if (sys::InjectedError(sys::Call::kThread) != 0) return;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, kStackSize);
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    // The new thread inherits the mask: signals are for loops.
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread;
    const int error = pthread_create(
        &thread, &attributes,
        [](void* pool) -> void* {
          static_cast<LanePool*>(pool)->ThreadMain();
          return nullptr;
        },
        this);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    pthread_attr_destroy(&attributes);
    if (error == 0) ++threads_;
  }

  void ThreadMain() {
    ::pthread_setname_np(::pthread_self(), kNames[static_cast<size_t>(lane_)]);
    LowerPriority(lane_);
    std::unique_lock lock(mutex_);
    while (true) {
      while (queue_.IsEmpty()) {
        ++idle_;
        wake_.wait(lock);
        --idle_;
      }
      LaneJob* job = queue_.PopFront();
      --waiting_;
      running_.PushBack(job);
      ++working_;
      job->info_.started_ns = base::MonotonicNanos();
      lock.unlock();
      job->Work();
      lock.lock();
      job->info_.ended_ns = base::MonotonicNanos();
      job->Unlink();
      --working_;
      ++completed_;
      lock.unlock();
      HandBack(job);
      lock.lock();
    }
  }

  // On the loop's thread: the oldest job of this loop, if a thread that came meanwhile has not taken it.
  void RunFirstOf(const LoopRemote* home) {
    std::unique_lock lock(mutex_);
    LaneJob* job = queue_.Front();
    while (job != nullptr && job->home_.get() != home) job = queue_.Next(job);
    if (job == nullptr) return;
    job->Unlink();
    --waiting_;
    lock.unlock();
    job->info_.started_ns = base::MonotonicNanos();
    job->Work();
    job->info_.ended_ns = base::MonotonicNanos();
    lock.lock();
    ++completed_;
    lock.unlock();
    HandBack(job);
  }

  // Thread: the one that worked.
  static void HandBack(LaneJob* job) {
    if (auto observer = g_observer.load(std::memory_order_acquire)) observer(job->info_);
    // Once pushed, the job may be deleted by the loop at any moment: keep its home alive for the push.
    const std::shared_ptr<LoopRemote> home = job->home_;
    if (!static_cast<LoopRemoteImpl*>(home.get())->PushDone(job)) {
      // Its loop was destroyed after waiting in vain. What the job owns may belong to that loop's thread: leaked on
      // purpose.
    }
  }

  void CancelQueued(LaneJob* job) {
    job->Unlink();
    --waiting_;
    job->canceled_ = true;
    static_cast<LoopRemoteImpl*>(job->home_.get())->PushDone(job);
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  const Lane lane_;
  base::IntrusiveList<LaneJob> queue_;
  base::IntrusiveList<LaneJob> running_;
  int waiting_ = 0;
  int working_ = 0;
  int idle_ = 0;
  int threads_ = 0;
  int size_ = 0;
  uint64_t submitted_ = 0;
  uint64_t completed_ = 0;
};

// The way a job ends on its loop; a friend of LaneJob.
class LanePost {
 public:
  static void Finish(Loop& loop, LaneJob* job) {
    std::unique_ptr<LaneJob> owned(job);
    loop.DropJob();
    if (job->canceled_) {
      job->Done(Err(ECANCELED, job->info_.label.kind));
    } else {
      job->Done({});
    }
  }
};

void FinishLaneJob(Loop& loop, LaneJob* job) { LanePost::Finish(loop, job); }

namespace lanes {
namespace {

class FunctionJob final : public LaneJob {
 public:
  FunctionJob(base::UniqueFunction<void()> work, base::UniqueFunction<void(Result<void>)> done)
      : work_(std::move(work)), done_(std::move(done)) {}
  void Work() override { work_(); }
  void Done(Result<void> result) override {
    if (done_) done_(std::move(result));
  }

 private:
  base::UniqueFunction<void()> work_;
  base::UniqueFunction<void(Result<void>)> done_;
};

}  // namespace

JobId Submit(Loop& loop, Lane lane, JobLabel label, std::unique_ptr<LaneJob> job) {
  return LanePool::Of(lane).Submit(loop, label, std::move(job));
}

JobId Submit(Loop& loop, Lane lane, JobLabel label, base::UniqueFunction<void()> work,
             base::UniqueFunction<void(Result<void>)> done) {
  return Submit(loop, lane, label, std::make_unique<FunctionJob>(std::move(work), std::move(done)));
}

bool Cancel(Lane lane, JobId id) { return LanePool::Of(lane).Cancel(id); }

void CancelAllOf(Loop& loop) {
  for (int lane = 0; lane < kLaneCount; ++lane) {
    LanePool::Of(static_cast<Lane>(lane)).CancelAllOf(loop.remote().get());
  }
}

void SetPoolSizeSource(base::UniqueFunction<int()> source) {
  std::lock_guard lock(Source().mutex);
  Source().function = std::move(source);
}

int PoolSize(Lane lane) { return LanePool::Of(lane).Size(); }

std::vector<JobInfo> Snapshot(Lane lane) { return LanePool::Of(lane).Snapshot(); }

void SetJobEndedObserver(JobEndedFunction observer) { g_observer.store(observer, std::memory_order_release); }

LaneStats Stats(Lane lane) { return LanePool::Of(lane).Stats(); }

}  // namespace lanes
}  // namespace gyre::loop
