// docs/loop.md 6.3 to 6.4: the sim backend.
#include "loop/sim.h"

#include <algorithm>

#include "base/clock.h"
#include "loop/fs_ops.h"
#include "loop/loop_test_support.h"
#include "loop/timer.h"

namespace gyre::loop {
namespace {

std::unique_ptr<Loop> MakeSim(const SimOptions& options) {
  return *Loop::Create({.backend = BackendKind::kSim, .sim = &options});
}

TEST(SimTest, TimeJumps) {
  auto loop = MakeSim({.grace_ms = 0});
  const uint64_t real = base::MonotonicNanos();
  const uint64_t start = loop->now();
  uint64_t fired = 0;
  auto timer = TimerHandle::Create(*loop, [&] { fired = loop->now(); });
  timer->Start(24 * 3600 * 1000);
  loop->Run();
  EXPECT_EQ(fired, start + 24 * 3600 * 1000);
  EXPECT_LT(base::MonotonicNanos() - real, 10'000'000'000u);
}

// A little world of connections and timers; what happened, in order.
std::string Story(const SimOptions& options) {
  auto loop = MakeSim(options);
  std::string story;
  Acceptor acceptor(*loop);
  std::vector<std::unique_ptr<Recorder>> recorders;
  auto listener = TcpHandle::Create(*loop);
  if (!listener->Bind(*sys::SocketAddress::FromIp("127.0.0.1", 0))) return "no bind";
  if (!listener->Listen(10, &acceptor)) return "no listen";
  acceptor.on_connection = [&](TcpHandle& stream) {
    recorders.push_back(std::make_unique<Recorder>());
    Recorder& recorder = *recorders.back();
    recorder.on_data = [&](StreamHandle&) { story += "d" + std::to_string(recorder.text.size()) + " "; };
    recorder.on_end = [&](StreamHandle&) { story += "end "; };
    (void)stream.ReadStart(&recorder);
  };
  std::vector<HandlePtr<TcpHandle>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(TcpHandle::Create(*loop));
    TcpHandle& client = *clients.back();
    (void)client.Connect(*listener->LocalAddress(), [&story, &client, i](Result<void> result) {
      story += "c" + std::to_string(i) + (result ? " " : "! ");
      client.WriteBytes(std::vector<uint8_t>(100 + 10 * static_cast<size_t>(i), 'x'),
                        [&story, i](Result<void> r) { story += "w" + std::to_string(i) + (r ? " " : "! "); });
      client.Shutdown({});
    });
  }
  auto timer = TimerHandle::Create(*loop, [&] {
    story += "timer";
    listener.reset();
    clients.clear();
    acceptor.connections.clear();
  });
  timer->Start(200);
  loop->Run();
  return story;
}

TEST(SimTest, SameSeedSameStory) {
  const SimOptions options = {.seed = 42};
  const std::string first = Story(options);
  EXPECT_EQ(first, Story(options));
  EXPECT_TRUE(first.ends_with("timer")) << first;
}

TEST(SimTest, SeedsReachDifferentStoriesAndNoneLosesData) {
  std::vector<std::string> stories;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    stories.push_back(Story({.seed = seed, .max_delay_ms = 5, .short_transfer = 50, .would_block = 30, .grace_ms = 0}));
    const std::string& story = stories.back();
    for (const char* total : {"d100 ", "d110 ", "d120 ", "d130 "}) {
      EXPECT_NE(story.find(total), std::string::npos) << "seed " << seed << ": " << story;
    }
  }
  std::ranges::sort(stories);
  EXPECT_NE(std::ranges::unique(stories).begin(), stories.begin() + 1);
}

TEST(SimTest, ResetsAndMissingBuffersEndCleanly) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string story = Story({.seed = seed, .no_buffers = 20, .reset = 30, .grace_ms = 0});
    EXPECT_TRUE(story.ends_with("timer")) << "seed " << seed << ": " << story;
  }
}

TEST(SimTest, FewDescriptorsDoNotSpin) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string story = Story({.seed = seed, .no_descriptors = 40, .grace_ms = 0});
    EXPECT_FALSE(story.empty());
  }
}

TEST(SimTest, FileOperationsEndInAnotherOrder) {
  auto order = [](uint64_t seed) {
    auto loop = MakeSim({.seed = seed, .max_delay_ms = 10, .grace_ms = 0});
    std::string result;
    for (int i = 0; i < 8; ++i) {
      fs::Submit(*loop, fs::Readlink{.path = "/proc/self"}, [&result, i](Result<std::string> r) {
        EXPECT_TRUE(r);
        result += std::to_string(i);
      });
    }
    loop->Run();
    return result;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_EQ(order(1).size(), 8u);
  EXPECT_TRUE(order(1) != order(2) || order(2) != order(3));
}

}  // namespace
}  // namespace gyre::loop
