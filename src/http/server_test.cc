#include "http/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "loop/loop_test_support.h"
#include "loop/pipe.h"

namespace gyre::http {
namespace {

using loop::BackendKind;
using loop::BackendName;
using loop::RunMode;

/// Answers each request at once, or leaves it to the test; notes what it is told.
class TestSink final : public Sink, private loop::StreamObserver {
 public:
  void BeginTurn(Connection&) override { turns++; }
  void EndTurn(Connection&) override {}
  Verdict OnRequest(Connection& connection, const codec::http1::Head& head) override {
    last = &connection;
    log += std::string(head.target) + " ";
    if (head.upgrade) return Verdict::kUpgrade;
    if (answer) Answer(connection, head.keep_alive);
    return Verdict::kServe;
  }
  void Answer(Connection& connection, bool keep = true) {
    connection.Append(text);
    connection.AnswerDone(keep ? Connection::After::kKeep : Connection::After::kClose);
  }
  void OnBody(Connection& connection, std::string_view piece) override {
    body += piece;
    if (pause_on_body) connection.Pause();
  }
  void OnRequestEnd(Connection&, const codec::http1::FieldBlock&) override { log += "end "; }
  void OnUpgrade(Connection& connection, std::string_view rest) override {
    log += "upgrade ";
    upgraded = loop::PipeHandle::Create(connection.server()->loop());
    std::string unread;
    if (!connection.HandOver(*upgraded, &unread)) return upgraded.reset();
    after_upgrade = std::string(rest) + unread;
    EXPECT_TRUE(upgraded->ReadStart(this).has_value());
  }
  void OnParseError(Connection& connection, std::string_view, size_t) override {
    log += codec::http1::ErrorName(connection.parser().error());
    connection.Append("bad");
    connection.CloseSoon();
  }
  void OnRawInput(Connection&, std::string_view) override {}
  void OnPeerEnd(Connection& connection) override {
    log += "eof ";
    if (close_at_end) connection.CloseSoon();
  }
  void OnReadError(Connection& connection, const Error&) override { connection.Close(); }
  void OnDrained(Connection&) override { drained++; }
  void OnWriteError(Connection& connection, const Error&) override {
    log += "write-error ";
    connection.Close();
  }
  void OnIdle(Connection& connection) override {
    log += "idle ";
    connection.Close();
  }
  void OnClosed(Connection&) override { closed++; }
  // What comes once the stream was handed over.
  void OnData(loop::StreamHandle&, std::span<const uint8_t> data) override {
    after_upgrade.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  void OnEnd(loop::StreamHandle&) override { log += "upgraded-eof "; }
  void OnReadError(loop::StreamHandle&, const Error&) override {}

  bool answer = true;
  bool close_at_end = true;
  bool pause_on_body = false;
  std::string text = "ok.";
  std::string log, body;
  Connection* last = nullptr;
  loop::HandlePtr<loop::PipeHandle> upgraded;
  std::string after_upgrade;
  int turns = 0, drained = 0, closed = 0;
};

class HttpServerTest : public loop::LoopTest {
 protected:
  void SetUp() override {
    LoopTest::SetUp();
    if (IsSkipped()) return;
    ServerOptions options;
    options.idle_ms = 50;
    server_ = std::make_unique<Server>(loop(), sink_, options);
    auto pair = loop::MakeSocketPair();
    ASSERT_TRUE(pair.has_value());
    client_ = std::move(pair->first);
    connection_ = server_->Accept(std::move(pair->second), Server::Transport::kPipe);
    ASSERT_NE(connection_, nullptr);
  }
  void TearDown() override {
    server_.reset();
    if (loop_ != nullptr) loop_->Run();
    LoopTest::TearDown();
  }

  void Send(std::string_view text) {
    ASSERT_EQ(send(client_.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// What the server has written so far.
  void Receive() {
    char buffer[65536];
    ssize_t size;
    while ((size = recv(client_.get(), buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) received_.append(buffer, size);
    if (size == 0) ended_ = true;
  }
  template <class Condition>
  void RunUntil(Condition condition) {
    for (int i = 0; i < 20'000 && !condition(); ++i) {
      loop().Run(RunMode::kNoWait);
      Receive();
    }
    EXPECT_TRUE(condition()) << "log: " << sink_.log << " received: " << received_.substr(0, 200);
  }

  TestSink sink_;
  std::unique_ptr<Server> server_;
  Connection* connection_ = nullptr;
  base::OwnedFd client_;
  std::string received_;
  bool ended_ = false;
};
GYRE_ON_ALL_BACKENDS(HttpServerTest);

const std::string kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kUpgrade = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";

TEST_P(HttpServerTest, AnswersARequest) {
  Send(kGet);
  RunUntil([&] { return received_ == "ok."; });
  EXPECT_EQ(sink_.log, "/a end ");
  EXPECT_TRUE(connection_->idle());
}

TEST_P(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  std::string all, expected;
  for (int i = 0; i < 100; i++) {
    all += kGet;
    expected += "ok.";
  }
  Send(all);
  RunUntil([&] { return received_ == expected; });
}

TEST_P(HttpServerTest, WritesOutsideOfATurnGoOut) {
  sink_.answer = false;
  Send(kGet);
  RunUntil([&] { return sink_.last != nullptr; });
  sink_.Answer(*sink_.last);
  RunUntil([&] { return received_ == "ok."; });
}

TEST_P(HttpServerTest, ClosesAfterTheAnswerThatSaysSo) {
  Send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + kGet);
  RunUntil([&] { return ended_; });
  EXPECT_EQ(received_, "ok.");
  EXPECT_EQ(sink_.log, "/a ");
  RunUntil([&] { return sink_.closed == 1; });
}

TEST_P(HttpServerTest, RefusesWhatIsNoHttp) {
  Send("\x16\x03\x01");
  RunUntil([&] { return ended_; });
  EXPECT_EQ(received_, "bad");
}

TEST_P(HttpServerTest, PausesAndResumesABody) {
  sink_.answer = false;
  sink_.pause_on_body = true;
  Send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
  RunUntil([&] { return sink_.body == "abc"; });
  Send("def" + kGet);
  for (int i = 0; i < 50; i++) loop().Run(RunMode::kNoWait);
  EXPECT_EQ(sink_.body, "abc");
  sink_.pause_on_body = false;
  connection_->Resume();
  RunUntil([&] { return sink_.log == "/a end /a end "; });
  EXPECT_EQ(sink_.body, "abcdef");
}

TEST_P(HttpServerTest, HoldsWhatTheKernelDoesNotTake) {
  server_->options().idle_ms = 0;  // under sim, time runs faster than the reader
  sink_.text.assign(32 << 20, 'x');
  Send(kGet);
  for (int i = 0; i < 50; i++) loop().Run(RunMode::kNoWait);
  EXPECT_GT(connection_->pending(), 0u);
  RunUntil([&] { return received_.size() == sink_.text.size(); });
  RunUntil([&] { return sink_.drained > 0; });
}

TEST_P(HttpServerTest, LetsIdleConnectionsGo) {
  Send(kGet);
  RunUntil([&] { return received_ == "ok."; });
  for (int i = 0; i < 1000 && sink_.closed == 0; i++) {
    if (loop().Run(RunMode::kNoWait)) usleep(1000);
  }
  EXPECT_EQ(sink_.log, "/a end idle ");
}

// A program that computed for longer than a connection may be idle: the request that came meanwhile has not been read,
// but is no less there.
TEST_P(HttpServerTest, AnswersWhatCameWhileTheLoopWasHeldUp) {
  if (GetParam() == BackendKind::kSim) GTEST_SKIP() << "time stands still while callbacks run";
  Send(kGet);
  RunUntil([&] { return received_ == "ok."; });
  loop().Post([&] {
    Send(kGet);
    usleep(250'000);
  });
  RunUntil([&] { return ended_ || received_ == "ok.ok."; });
  EXPECT_EQ(received_, "ok.ok.");
  EXPECT_FALSE(ended_);
}

TEST_P(HttpServerTest, GivesTheStreamUpForAnUpgrade) {
  Send(kUpgrade + "rest");
  RunUntil([&] { return sink_.upgraded != nullptr; });
  EXPECT_EQ(sink_.log, "/a upgrade ");
  EXPECT_EQ(sink_.after_upgrade, "rest");
  sink_.upgraded->WriteBytes({'r', 'a', 'w'}, nullptr);
  RunUntil([&] { return received_ == "raw"; });
  RunUntil([&] { return sink_.closed == 1; });
  sink_.upgraded.reset();
}

// Also what the kernel had read ahead for the connection, in several pieces.
TEST_P(HttpServerTest, AnUpgradeLosesNothingOfWhatFollows) {
  std::string rest(150'000, 'x');
  Send(kUpgrade + rest.substr(0, 100'000));
  Send(rest.substr(100'000));
  RunUntil([&] { return sink_.after_upgrade.size() == rest.size(); });
  EXPECT_EQ(sink_.after_upgrade, rest);
  Send("more");
  client_.Reset();
  RunUntil([&] { return sink_.log == "/a upgrade upgraded-eof "; });
  EXPECT_EQ(sink_.after_upgrade, rest + "more");
  sink_.upgraded.reset();
}

TEST_P(HttpServerTest, AnUpgradeLosesNothingOfWhatWaitsToBeWritten) {
  server_->options().idle_ms = 0;  // under sim, time runs faster than the reader
  sink_.text.assign(8 << 20, 'x');
  Send(kGet + kUpgrade);
  for (int i = 0; i < 2000 && sink_.upgraded == nullptr; i++) loop().Run(RunMode::kNoWait);
  ASSERT_NE(sink_.upgraded, nullptr);
  sink_.upgraded->WriteBytes({'r', 'a', 'w'}, nullptr);
  RunUntil([&] { return received_.ends_with("raw"); });
  EXPECT_EQ(received_.size(), sink_.text.size() + 3);
  sink_.upgraded.reset();
}

TEST_P(HttpServerTest, DoesNotWaitForEverForAReaderThatReadsNothing) {
  sink_.text.assign(8 << 20, 'x');
  Send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  auto clock = loop::TimerHandle::Create(loop(), [] {});
  clock->Start(1, 1);
  for (int i = 0; i < 1000 && sink_.closed == 0; i++) loop().Run(RunMode::kOnce);
  clock.reset();
  EXPECT_EQ(sink_.closed, 1);
}

TEST_P(HttpServerTest, TellsOfTheEndOnceAndStillAnswers) {
  sink_.answer = false;
  sink_.close_at_end = false;
  Send(kGet);
  RunUntil([&] { return sink_.last != nullptr; });
  ASSERT_EQ(shutdown(client_.get(), SHUT_WR), 0);
  RunUntil([&] { return sink_.log.ends_with("eof "); });
  sink_.Answer(*sink_.last, false);
  RunUntil([&] { return ended_; });
  EXPECT_EQ(sink_.log, "/a end eof ");
  EXPECT_EQ(received_, "ok.");
}

TEST_P(HttpServerTest, SurvivesItsServer) {
  Send(kGet);
  RunUntil([&] { return received_ == "ok."; });
  server_.reset();
  RunUntil([&] { return ended_; });
  EXPECT_EQ(sink_.closed, 0);
}

}  // namespace
}  // namespace gyre::http
