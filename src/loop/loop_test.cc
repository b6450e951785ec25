// docs/loop.md sections 1 to 3.
#include "loop/loop.h"

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/clock.h"
#include "loop/async.h"
#include "loop/loop_test_support.h"
#include "loop/pipe.h"
#include "loop/poll.h"
#include "loop/signal.h"
#include "loop/timer.h"

namespace gyre::loop {

void LoopTest::IgnoreSigpipeForTests() { IgnoreSigpipe(); }

int CountOpenFds() {
  int count = 0;
  DIR* stream = ::opendir("/proc/self/fd");
  while (::readdir(stream) != nullptr) ++count;
  ::closedir(stream);
  return count;
}

namespace {

using PhaseTest = LoopTest;
GYRE_ON_ALL_BACKENDS(PhaseTest);

struct Soon final : Completion {
  explicit Soon(base::UniqueFunction<void()> run) : fn(std::move(run)) {}
  void Complete() override { fn(); }
  base::UniqueFunction<void()> fn;
};

TEST_P(PhaseTest, EmptyLoopReturnsAtOnce) {
  EXPECT_FALSE(loop().Alive());
  EXPECT_FALSE(loop().Run());
}

// 1: the order of a turn
TEST_P(PhaseTest, RunsPhasesInOrder) {
  std::string order;
  auto timer = TimerHandle::Create(loop(), [&] { order += "timer "; });
  timer->Start(0);
  loop().SetIdleHook([&] { order += "idle "; });
  loop().SetPrepareHook([&] { order += "prepare "; });
  loop().SetImmediateHook([&] {
    order += "immediate ";
    loop().SetImmediates(Immediates::kNone);
  });
  loop().SetImmediates(Immediates::kRef);
  loop().SetCheckHook([&] { order += "check "; });
  Soon soon([&] { order += "completion "; });
  loop().CompleteSoon(&soon);
  loop().Post([&] { order += "posted "; });
  auto closing = TimerHandle::Create(loop(), [] {});
  closing->Close([&] { order += "close "; });
  loop().Run();
  EXPECT_EQ(order, "timer idle prepare completion posted immediate check close ");
}

// 1.4
TEST_P(PhaseTest, CompletionsQueuedByCompletionsWaitForTheNextTurn) {
  std::vector<uint64_t> turns;
  Soon second([&] { turns.push_back(loop().metrics().loop_count); });
  Soon first([&] {
    turns.push_back(loop().metrics().loop_count);
    loop().CompleteSoon(&second);
  });
  loop().CompleteSoon(&first);
  loop().AddKeepAlive();
  loop().Run(RunMode::kNoWait);
  loop().Run(RunMode::kNoWait);
  loop().DropKeepAlive();
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[1], turns[0] + 1);
}

TEST_P(PhaseTest, UnreferencedImmediatesDoNotKeepAlive) {
  bool ran = false;
  loop().SetImmediateHook([&] { ran = true; });
  loop().SetImmediates(Immediates::kUnref);
  EXPECT_FALSE(loop().Run());
  EXPECT_FALSE(ran);
}

TEST_P(PhaseTest, StopEndsTheRunAfterTheTurn) {
  int fired = 0;
  auto timer = TimerHandle::Create(loop(), [&] {
    if (++fired == 3) loop().Stop();
  });
  timer->Start(1, 1);
  EXPECT_TRUE(loop().Run());
  EXPECT_EQ(fired, 3);
}

using TimerTest = LoopTest;
GYRE_ON_ALL_BACKENDS(TimerTest);

// 2.3
TEST_P(TimerTest, FireInOrderOfDueTimeThenStart) {
  std::string order;
  std::vector<HandlePtr<TimerHandle>> timers;
  for (const auto& [delay, name] : std::vector<std::pair<int, char>>{{3, 'd'}, {1, 'a'}, {2, 'c'}, {1, 'b'}}) {
    timers.push_back(TimerHandle::Create(loop(), [&order, name] { order += name; }));
    timers.back()->Start(delay);
  }
  loop().Run();
  EXPECT_EQ(order, "abcd");
}

// 2.3
TEST_P(TimerTest, TimerStartedByATimerFiresInALaterTurn) {
  uint64_t outer = 0;
  uint64_t inner = 0;
  HandlePtr<TimerHandle> second = TimerHandle::Create(loop(), [&] { inner = loop().metrics().loop_count; });
  auto first = TimerHandle::Create(loop(), [&] {
    outer = loop().metrics().loop_count;
    second->Start(0);
  });
  first->Start(0);
  loop().Run();
  EXPECT_GT(inner, outer);
}

// 2.2
TEST_P(TimerTest, NeverFiresEarly) {
  for (int delay : {1, 2, 5, 13}) {
    const uint64_t start = loop().now();
    uint64_t fired = 0;
    auto timer = TimerHandle::Create(loop(), [&] { fired = loop().now(); });
    timer->Start(delay);
    loop().Run();
    EXPECT_GE(fired, start + delay);
  }
}

TEST_P(TimerTest, ManyTimersStopAndRestartKeepTheHeapInOrder) {
  std::vector<HandlePtr<TimerHandle>> timers;
  std::vector<int> fired;
  uint32_t seed = 7;
  for (int i = 0; i < 300; ++i) {
    seed = seed * 1664525 + 1013904223;
    const int delay = static_cast<int>(seed >> 16) % 20;
    timers.push_back(TimerHandle::Create(loop(), [&fired, delay] { fired.push_back(delay); }));
    timers.back()->Start(delay);
  }
  for (int i = 0; i < 300; i += 3) timers[i]->Stop();
  loop().Run();
  EXPECT_EQ(fired.size(), 200u);
  EXPECT_TRUE(std::ranges::is_sorted(fired));
}

TEST_P(TimerTest, RepeatsUntilStopped) {
  int fired = 0;
  HandlePtr<TimerHandle> timer;
  timer = TimerHandle::Create(loop(), [&] {
    if (++fired == 4) timer->Stop();
  });
  timer->Start(1, 2);
  loop().Run();
  EXPECT_EQ(fired, 4);
}

TEST_P(TimerTest, MayDropItselfInItsCallback) {
  bool fired = false;
  HandlePtr<TimerHandle> timer;
  timer = TimerHandle::Create(loop(), [&] {
    fired = true;
    timer.reset();
  });
  timer->Start(1);
  loop().Run();
  EXPECT_TRUE(fired);
}

TEST_P(TimerTest, UnreferencedTimerKeepsNothingAlive) {
  auto timer = TimerHandle::Create(loop(), [] { FAIL(); });
  timer->Start(10'000);
  timer->Unref();
  EXPECT_FALSE(loop().Run());
}

// 2.4
TEST_P(TimerTest, JavaScriptTimerRunsItsHook) {
  int runs = 0;
  loop().SetJsTimerHook([&] {
    if (++runs < 3) loop().ScheduleJsTimer(1);
  });
  loop().ScheduleJsTimer(2);
  loop().Run();
  EXPECT_EQ(runs, 3);
  loop().UnrefJsTimer();
  loop().ScheduleJsTimer(10'000);
  EXPECT_FALSE(loop().Run());
}

using WakeTest = LoopTest;
GYRE_ON_ALL_BACKENDS(WakeTest);

TEST_P(WakeTest, PostFromAnotherThreadWakesABlockedPoll) {
  loop().AddKeepAlive();
  std::thread thread([remote = loop().remote(), this] {
    for (int i = 0; i < 100; ++i) remote->Post([] {});
    remote->Post([this] { loop().DropKeepAlive(); });
  });
  loop().Run();
  thread.join();
}

TEST_P(WakeTest, PostedFunctionsRunInOrder) {
  std::vector<int> order;
  loop().AddKeepAlive();
  for (int i = 0; i < 5; ++i) loop().Post([&order, i] { order.push_back(i); });
  loop().Run(RunMode::kNoWait);
  loop().DropKeepAlive();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_P(WakeTest, PostAfterTheLoopIsGoneIsRefused) {
  std::shared_ptr<LoopRemote> remote = loop().remote();
  loop_.reset();
  EXPECT_FALSE(remote->Post([] { FAIL(); }));
  remote->Wake();
}

TEST_P(WakeTest, AsyncSendsCoalesce) {
  int calls = 0;
  auto async = AsyncHandle::Create(loop(), [&] { ++calls; });
  async->Send();
  async->Send();
  async->Send();
  loop().Run(RunMode::kNoWait);
  EXPECT_EQ(calls, 1);
  std::shared_ptr<AsyncSender> sender = async->sender();
  async.reset();
  sender->Send();
  loop().Run();
  EXPECT_EQ(calls, 1);
}

using HandleTest = LoopTest;
GYRE_ON_ALL_BACKENDS(HandleTest);

// 3.2
TEST_P(HandleTest, CloseCallbackRunsInTheClosingPhaseOnce) {
  int closed = 0;
  auto timer = TimerHandle::Create(loop(), [] {});
  timer->Close([&] { ++closed; });
  timer->Close([&] { closed += 10; });
  EXPECT_EQ(closed, 0);
  EXPECT_TRUE(loop().Alive());
  loop().Run();
  EXPECT_EQ(closed, 1);
  EXPECT_TRUE(timer->IsClosed());
}

// 3.4
TEST_P(HandleTest, DestroyingTheLoopClosesHandles) {
  int closed = 0;
  auto timer = TimerHandle::Create(loop(), [] { FAIL(); });
  timer->Start(1);
  timer->Close([&] { ++closed; });
  auto other = TimerHandle::Create(loop(), [] { FAIL(); });
  other->Start(1);
  loop_.reset();
  EXPECT_EQ(closed, 1);
  EXPECT_TRUE(other->IsClosed());
}

TEST_P(HandleTest, PollReportsReadinessAndStops) {
  FdPair pair = *MakePipe();
  int ready = 0;
  HandlePtr<PollHandle> poll;
  poll = PollHandle::Create(loop(), pair.first.get(), [&](uint32_t events) {
    EXPECT_TRUE(events & kReadable);
    // Level-triggered: reported again until read or stopped.
    if (++ready == 2) poll->Stop();
  });
  ASSERT_TRUE(poll->Start(kReadable));
  ASSERT_EQ(::write(pair.second.get(), "x", 1), 1);
  loop().Run();
  EXPECT_EQ(ready, 2);
}

TEST_P(HandleTest, LeavesNoDescriptorsBehind) {
  loop_.reset();
  const int before = CountOpenFds();
  for (int i = 0; i < 3; ++i) {
    auto made = Loop::Create({.backend = GetParam()});
    ASSERT_TRUE(made);
    (*made)->Post([] {});
    (*made)->AddKeepAlive();
    (*made)->Run(RunMode::kNoWait);
    (*made)->DropKeepAlive();
  }
  EXPECT_EQ(CountOpenFds(), before);
}

TEST(LoopKindTest, ParsesNames) {
  EXPECT_EQ(ParseBackendKind("uring"), BackendKind::kUring);
  EXPECT_EQ(ParseBackendKind(""), BackendKind::kAuto);
  EXPECT_FALSE(ParseBackendKind("kqueue").has_value());
}

}  // namespace
}  // namespace gyre::loop
