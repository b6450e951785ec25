// docs/loop.md 5.1 to 5.4.
#include "loop/lanes.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/clock.h"
#include "loop/loop_test_support.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

using LanesTest = LoopTest;
GYRE_ON_ALL_BACKENDS(LanesTest);

TEST_P(LanesTest, WorkRunsElsewhereAndDoneRunsHere) {
  const std::thread::id here = std::this_thread::get_id();
  std::thread::id worked;
  bool done = false;
  lanes::Submit(
      loop(), Lane::kTask, {.kind = "test"}, [&] { worked = std::this_thread::get_id(); },
      [&](Result<void> result) {
        EXPECT_TRUE(result);
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_EQ(loop().activity().phase.load(), Phase::kPoll);
        done = true;
      });
  EXPECT_TRUE(loop().Alive());
  loop().Run();
  EXPECT_TRUE(done);
  EXPECT_NE(worked, here);
}

// 5.1
TEST_P(LanesTest, AFullLaneDelaysNoOther) {
  std::latch release(1);
  const int size = lanes::PoolSize(Lane::kCrypto);
  std::atomic<int> hashed = 0;
  for (int i = 0; i < size * 2; ++i) {
    lanes::Submit(loop(), Lane::kCrypto, {.kind = "hash"}, [&] { release.wait(); }, [&](Result<void>) { ++hashed; });
  }
  bool looked_up = false;
  lanes::Submit(
      loop(), Lane::kDns, {.kind = "lookup"}, [] {},
      [&](Result<void>) {
        looked_up = true;
        EXPECT_EQ(hashed, 0);
        release.count_down();
      });
  loop().Run();
  EXPECT_TRUE(looked_up);
  EXPECT_EQ(hashed, size * 2);
}

// 5.4
TEST_P(LanesTest, CancelsOnlyWhatHasNotBegun) {
  std::latch release(1);
  const int size = lanes::PoolSize(Lane::kZlib);
  std::latch begun(size);
  std::vector<JobId> running;
  for (int i = 0; i < size; ++i) {
    running.push_back(lanes::Submit(
        loop(), Lane::kZlib, {.kind = "gzip"},
        [&] {
          begun.count_down();
          release.wait();
        },
        [](Result<void> result) { EXPECT_TRUE(result); }));
  }
  begun.wait();
  int canceled = 0;
  const JobId queued = lanes::Submit(
      loop(), Lane::kZlib, {.kind = "gzip"}, [] { FAIL(); },
      [&](Result<void> result) {
        EXPECT_EQ(result.error().err, ECANCELED);
        ++canceled;
      });
  EXPECT_EQ(lanes::Snapshot(Lane::kZlib).size(), static_cast<size_t>(size) + 1);
  EXPECT_TRUE(lanes::Cancel(Lane::kZlib, queued));
  EXPECT_FALSE(lanes::Cancel(Lane::kZlib, queued));
  EXPECT_FALSE(lanes::Cancel(Lane::kZlib, running[0]));
  EXPECT_EQ(canceled, 0);
  release.count_down();
  loop().Run();
  EXPECT_EQ(canceled, 1);
}

TEST_P(LanesTest, JobsTellTheirTimes) {
  class Timed final : public LaneJob {
   public:
    explicit Timed(JobInfo& out) : out_(out) {}
    void Work() override {}
    void Done(Result<void>) override { out_ = info(); }
    JobInfo& out_;
  };
  JobInfo seen;
  lanes::Submit(loop(), Lane::kTask, {.kind = "timed", .origin = 7}, std::make_unique<Timed>(seen));
  loop().Run();
  EXPECT_STREQ(seen.label.kind, "timed");
  EXPECT_EQ(seen.label.origin, 7u);
  EXPECT_GT(seen.queued_ns, 0u);
  EXPECT_GE(seen.started_ns, seen.queued_ns);
  EXPECT_GE(seen.ended_ns, seen.started_ns);
}

// 5.3
TEST_P(LanesTest, ThreadsRunBehindLoops) {
  int mine = ::getpriority(PRIO_PROCESS, 0);
  int theirs = 0;
  lanes::Submit(loop(), Lane::kCrypto, {},
                [&] { theirs = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid))); }, {});
  loop().Run();
  EXPECT_GT(theirs, mine);
}

// Fault G78
TEST_P(LanesTest, RefusedThreadsMakeTheLoopWork) {
  class NoThreads : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override { return call == sys::Call::kThread ? EAGAIN : 0; }
  } plan;
  sys::ScopedFaultPlan faults(&plan);
  int done = 0;
  const int count = lanes::PoolSize(Lane::kTask) * 3;
  for (int i = 0; i < count; ++i) {
    lanes::Submit(loop(), Lane::kTask, {}, [] {}, [&](Result<void> result) { done += result ? 1 : 0; });
  }
  loop().Run();
  EXPECT_EQ(done, count);
}

// A job that no thread will take is not waited for.
TEST_P(LanesTest, DestroyingTheLoopDropsWhatItWouldHaveDoneItself) {
  class NoThreads : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override { return call == sys::Call::kThread ? EAGAIN : 0; }
  } plan;
  sys::ScopedFaultPlan faults(&plan);
  auto dropped = std::make_shared<int>(1);
  lanes::Submit(loop(), Lane::kDns, {}, [] {}, [dropped](Result<void>) { FAIL(); });
  const uint64_t before = base::MonotonicNanos();
  loop_.reset();
  EXPECT_LT(base::MonotonicNanos() - before, 5'000'000'000u);
  EXPECT_EQ(dropped.use_count(), 1);
}

TEST_P(LanesTest, DestroyingTheLoopWaitsForJobsAndDropsThem) {
  std::atomic<bool> worked = false;
  auto dropped = std::make_shared<int>(1);
  std::latch begun(1);
  lanes::Submit(
      loop(), Lane::kFs, {},
      [&] {
        begun.count_down();
        ::usleep(2000);
        worked = true;
      },
      [dropped](Result<void>) { FAIL(); });
  begun.wait();
  loop_.reset();
  EXPECT_TRUE(worked);
  EXPECT_EQ(dropped.use_count(), 1);
}

TEST_P(LanesTest, ManyJobsFromTwoLoops) {
  static constexpr int kJobs = 2000;
  const auto run = [kind = GetParam()] {
    auto made = Loop::Create({.backend = kind});
    ASSERT_TRUE(made);
    int done = 0;
    for (int i = 0; i < kJobs; ++i) {
      lanes::Submit(**made, static_cast<Lane>(i % kLaneCount), {.kind = "many"}, [] {}, [&](Result<void>) { ++done; });
    }
    (*made)->Run();
    EXPECT_EQ(done, kJobs);
  };
  std::thread other(run);
  run();
  other.join();
}

}  // namespace
}  // namespace gyre::loop
