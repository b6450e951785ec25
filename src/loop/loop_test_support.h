// What the loop's tests share: a fixture that runs each test on every backend, and recorders for streams.
#ifndef GYRE_LOOP_LOOP_TEST_SUPPORT_H_
#define GYRE_LOOP_LOOP_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/tcp.h"

namespace gyre::loop {

inline std::string BackendName(BackendKind kind) {
  switch (kind) {
    case BackendKind::kAuto:
      return "auto";
    case BackendKind::kUring:
      return "uring";
    case BackendKind::kEpoll:
      return "epoll";
    case BackendKind::kSim:
      return "sim";
  }
  return "?";
}

class LoopTest : public testing::TestWithParam<BackendKind> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Loop>> made = Loop::Create({.backend = GetParam()});
    if (!made && GetParam() == BackendKind::kUring) GTEST_SKIP() << "io_uring is refused here";
    ASSERT_TRUE(made) << made.error().syscall;
    loop_ = std::move(*made);
    IgnoreSigpipeForTests();
  }
  static void IgnoreSigpipeForTests();

  Loop& loop() { return *loop_; }
  std::unique_ptr<Loop> loop_;
};

#define GYRE_ON_ALL_BACKENDS(Fixture)                                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                                             \
      Backends, Fixture,                                                                                \
      testing::Values(BackendKind::kEpoll, BackendKind::kUring, BackendKind::kSim, BackendKind::kAuto), \
      [](const auto& info) { return BackendName(info.param); })

// Collects what a stream brings.
class Recorder : public StreamObserver {
 public:
  virtual ~Recorder() = default;
  void OnData(StreamHandle& stream, std::span<const uint8_t> data) override {
    text.append(reinterpret_cast<const char*>(data.data()), data.size());
    ++calls;
    if (on_data) on_data(stream);
  }
  void OnEnd(StreamHandle& stream) override {
    ended = true;
    if (on_end) on_end(stream);
  }
  void OnReadError(StreamHandle& stream, const Error& error) override {
    this->error = error.err;
    if (on_end) on_end(stream);
  }
  std::string text;
  int calls = 0;
  bool ended = false;
  int error = 0;
  base::UniqueFunction<void(StreamHandle&)> on_data;
  base::UniqueFunction<void(StreamHandle&)> on_end;
};

// Keeps or drops what a listener accepts.
class Acceptor : public ListenObserver {
 public:
  explicit Acceptor(Loop& loop) : loop_(loop) {}
  virtual ~Acceptor() = default;
  void OnConnection(StreamHandle&, base::OwnedFd fd) override {
    ++accepted;
    auto tcp = TcpHandle::Create(loop_);
    ASSERT_TRUE(tcp->Open(std::move(fd)));
    TcpHandle& stream = *tcp;
    connections.push_back(std::move(tcp));
    if (on_connection) on_connection(stream);
  }
  void OnAcceptError(StreamHandle& listener, const Error& error) override {
    errors.push_back(error.err);
    if (on_error) on_error(listener);
  }
  std::vector<HandlePtr<TcpHandle>> connections;
  std::vector<int> errors;
  int accepted = 0;
  base::UniqueFunction<void(TcpHandle&)> on_connection;
  base::UniqueFunction<void(StreamHandle&)> on_error;

 private:
  Loop& loop_;
};

inline std::span<const uint8_t> AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline std::vector<uint8_t> ToVector(std::string_view text) { return {text.begin(), text.end()}; }

// The number of open descriptors, for leak checks.
int CountOpenFds();

}  // namespace gyre::loop

#endif  // GYRE_LOOP_LOOP_TEST_SUPPORT_H_
