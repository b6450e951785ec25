// What the system does to a loop: group G of the fault list (68, 72 to 79), where it is not beside the part concerned.
#include "sys/fault.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/fs_ops.h"
#include "loop/loop_test_support.h"
#include "loop/pipe.h"
#include "loop/poll.h"
#include "loop/timer.h"

namespace gyre::loop {
namespace {

using FaultTest = LoopTest;
GYRE_ON_ALL_BACKENDS(FaultTest);

class FailCall : public sys::FaultPlan {
 public:
  FailCall(sys::Call call, int err) : call_(call), err_(err) {}
  int Fail(sys::Call call, int) override { return call == call_ ? err_ : 0; }

 private:
  sys::Call call_;
  int err_;
};

// G74
TEST(RingFaultTest, RefusedRingFallsBackToEpoll) {
  FailCall plan(sys::Call::kRingSetup, EPERM);
  sys::ScopedFaultPlan faults(&plan);
  auto automatic = Loop::Create({.backend = BackendKind::kAuto});
  ASSERT_TRUE(automatic);
  int done = 0;
  fs::Submit(**automatic, fs::Mkdir{.path = "/proc/none"}, [&](Result<void> result) { done += result ? 0 : 1; });
  (*automatic)->Run();
  EXPECT_EQ(done, 1);
  EXPECT_STREQ((*automatic)->backend_name(), "epoll");
  auto forced = Loop::Create({.backend = BackendKind::kUring});
  ASSERT_FALSE(forced);
  EXPECT_EQ(forced.error().err, EPERM);
  EXPECT_STREQ(forced.error().syscall, "io_uring_setup");
}

// The ring is there, but not its buffers: streams work by readiness.
TEST(RingFaultTest, RefusedBufferRingFallsBackToReadiness) {
  auto made = Loop::Create({.backend = BackendKind::kUring});
  if (!made) GTEST_SKIP() << "io_uring is refused here";
  FailCall plan(sys::Call::kRingBuffers, ENOMEM);
  sys::ScopedFaultPlan faults(&plan);
  FdPair pair = *MakeSocketPair();
  auto a = PipeHandle::Create(**made);
  auto b = PipeHandle::Create(**made);
  ASSERT_TRUE(a->Open(std::move(pair.first)));
  ASSERT_TRUE(b->Open(std::move(pair.second)));
  Recorder recorder;
  recorder.on_data = [&](StreamHandle&) {
    a.reset();
    b.reset();
  };
  ASSERT_TRUE(b->ReadStart(&recorder));
  a->WriteBytes(ToVector("still"), {});
  (*made)->Run();
  EXPECT_EQ(recorder.text, "still");
}

// G75: far more completions at once than the queue holds
TEST_P(FaultTest, CompletionQueueOverflowLosesNothing) {
  constexpr int kCount = 5000;
  rlimit limit;
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2 * kCount + 200) GTEST_SKIP() << "needs more descriptors";
  if (GetParam() == BackendKind::kSim) GTEST_SKIP() << "has no queue";
  std::vector<FdPair> pairs;
  std::vector<HandlePtr<PollHandle>> polls(kCount);
  int ready = 0;
  for (int i = 0; i < kCount; ++i) {
    pairs.push_back(*MakePipe());
    polls[i] = PollHandle::Create(loop(), pairs[i].first.get(), [&, i](uint32_t) {
      ++ready;
      polls[i].reset();
    });
    ASSERT_TRUE(polls[i]->Start(kReadable));
  }
  loop().Run(RunMode::kNoWait);
  for (FdPair& pair : pairs) ASSERT_EQ(::write(pair.second.get(), "x", 1), 1);
  loop().Run();
  EXPECT_EQ(ready, kCount);
}

// G76: more data at once than there are buffers
TEST_P(FaultTest, ReceiveBuffersRunOutAndComeBack) {
  constexpr int kCount = 100;
  const std::string text(60'000, 'b');
  std::vector<HandlePtr<PipeHandle>> streams;
  std::vector<std::unique_ptr<Recorder>> recorders;
  int finished = 0;
  for (int i = 0; i < kCount; ++i) {
    FdPair pair = *MakeSocketPair();
    ASSERT_EQ(::send(pair.first.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    streams.push_back(PipeHandle::Create(loop()));
    ASSERT_TRUE(streams.back()->Open(std::move(pair.second)));
    recorders.push_back(std::make_unique<Recorder>());
    recorders.back()->on_end = [&](StreamHandle& stream) {
      ++finished;
      stream.Close();
    };
    ASSERT_TRUE(streams.back()->ReadStart(recorders.back().get()));
  }
  loop().Run();
  EXPECT_EQ(finished, kCount);
  for (auto& recorder : recorders) EXPECT_EQ(recorder->text, text);
}

// G79: timers only know the monotonic clock. Its source is checked here; jumps cannot be made in a test.
TEST_P(FaultTest, TimersKeepToTheMonotonicClock) {
  const uint64_t first = loop().HrTime();
  uint64_t last = first;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = loop().HrTime();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST_P(FaultTest, FailedCreationLeavesNothingBehind) {
  if (GetParam() == BackendKind::kSim) GTEST_SKIP();
  const int before = CountOpenFds();
  FailCall plan(sys::Call::kEventFd, EMFILE);
  {
    sys::ScopedFaultPlan faults(&plan);
    auto made = Loop::Create({.backend = GetParam()});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().err, EMFILE);
  }
  EXPECT_EQ(CountOpenFds(), before);
}

// G68 with real exhaustion: no spin, others turned away, recovery.
TEST_P(FaultTest, RealDescriptorExhaustionOnAccept) {
  const int peer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<base::OwnedFd> hoard;
  rlimit old;
  ::getrlimit(RLIMIT_NOFILE, &old);
  // Before listening: the ring takes the limit that is in force when it is told to accept.
  rlimit small = {.rlim_cur = static_cast<rlim_t>(peer) + 10, .rlim_max = old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &small);
  Acceptor acceptor(loop());
  auto listener = TcpHandle::Create(loop());
  ASSERT_TRUE(listener->Bind(*sys::SocketAddress::FromIp("127.0.0.1", 0)));
  ASSERT_TRUE(listener->Listen(10, &acceptor));
  const sys::SocketAddress address = *listener->LocalAddress();
  loop().Run(RunMode::kNoWait);
  while (true) {
    base::OwnedFd fd(::dup(peer));
    if (!fd) break;
    hoard.push_back(std::move(fd));
  }
  ASSERT_EQ(::connect(peer, address.get(), address.length()), 0);
  auto watchdog = TimerHandle::Create(loop(), [] {});
  watchdog->Start(50, 50);
  for (int i = 0; i < 200 && acceptor.errors.empty(); ++i) loop().Run(RunMode::kOnce);
  EXPECT_EQ(acceptor.errors, std::vector<int>{EMFILE});
  EXPECT_EQ(acceptor.accepted, 0);
  const uint64_t turns = loop().metrics().loop_count;
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kOnce);
  EXPECT_LE(loop().metrics().loop_count - turns, 3u);
  char byte;
  EXPECT_EQ(::recv(peer, &byte, 1, MSG_DONTWAIT), 0) << "turned away";
  hoard.clear();
  ::setrlimit(RLIMIT_NOFILE, &old);
  const int second = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(second, address.get(), address.length()), 0);
  for (int i = 0; i < 200 && acceptor.accepted == 0; ++i) loop().Run(RunMode::kOnce);
  EXPECT_EQ(acceptor.accepted, 1);
  ::close(peer);
  ::close(second);
}

// G69: the system's table is full, also for the reserve: the listener rests and comes back.
TEST_P(FaultTest, FullFileTablePausesTheListener) {
  class Full : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override {
      if (call != sys::Call::kAccept || !full) return 0;
      ++attempts;
      return ENFILE;
    }
    bool full = true;
    int attempts = 0;
  } plan;
  sys::ScopedFaultPlan faults(&plan);
  Acceptor acceptor(loop());
  auto listener = TcpHandle::Create(loop());
  ASSERT_TRUE(listener->Bind(*sys::SocketAddress::FromIp("127.0.0.1", 0)));
  ASSERT_TRUE(listener->Listen(10, &acceptor));
  const sys::SocketAddress address = *listener->LocalAddress();
  loop().Run(RunMode::kNoWait);
  const auto connect = [&] {
    base::OwnedFd peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(peer.get(), address.get(), address.length()), 0);
    return peer;
  };
  base::OwnedFd first = connect();
  auto watchdog = TimerHandle::Create(loop(), [] {});
  watchdog->Start(10, 10);
  for (int i = 0; i < 200 && acceptor.errors.empty(); ++i) loop().Run(RunMode::kOnce);
  EXPECT_EQ(acceptor.errors, std::vector<int>{ENFILE});
  for (int i = 0; i < 20; ++i) loop().Run(RunMode::kNoWait);
  EXPECT_LT(plan.attempts, 10) << "no spin";
  plan.full = false;
  base::OwnedFd second = connect();
  for (int i = 0; i < 1000 && acceptor.accepted == 0; ++i) loop().Run(RunMode::kOnce);
  EXPECT_GE(acceptor.accepted, 1);
}

// Peers that connect and reset, over and over (C39): descriptors come back.
TEST_P(FaultTest, ConnectAndResetOverAndOver) {
  Acceptor acceptor(loop());
  Recorder recorder;
  auto listener = TcpHandle::Create(loop());
  ASSERT_TRUE(listener->Bind(*sys::SocketAddress::FromIp("127.0.0.1", 0)));
  ASSERT_TRUE(listener->Listen(511, &acceptor));
  const sys::SocketAddress address = *listener->LocalAddress();
  int ended = 0;
  recorder.on_end = [&](StreamHandle& stream) {
    ++ended;
    stream.Close();
  };
  acceptor.on_connection = [&](TcpHandle& stream) { ASSERT_TRUE(stream.ReadStart(&recorder)); };
  loop().Run(RunMode::kNoWait);
  const int before = CountOpenFds();
  constexpr int kRounds = 20;
  constexpr int kPeers = 50;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kPeers; ++i) {
      const int peer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      ASSERT_EQ(::connect(peer, address.get(), address.length()), 0);
      const linger rst = {.l_onoff = 1, .l_linger = 0};
      ::setsockopt(peer, SOL_SOCKET, SO_LINGER, &rst, sizeof(rst));
      ::close(peer);
    }
    for (int i = 0; i < 100 && ended < (round + 1) * kPeers; ++i) loop().Run(RunMode::kNoWait);
  }
  // A peer that was reset before it was accepted may never show.
  for (int i = 0; i < 100 && ended < acceptor.accepted; ++i) loop().Run(RunMode::kOnce);
  EXPECT_EQ(ended, acceptor.accepted);
  for (int i = 0; i < 5; ++i) loop().Run(RunMode::kNoWait);
  EXPECT_EQ(CountOpenFds(), before);
}

}  // namespace
}  // namespace gyre::loop
