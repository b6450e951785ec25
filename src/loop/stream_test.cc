// docs/loop.md section 4.
#include "loop/stream.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/loop_test_support.h"
#include "loop/pipe.h"
#include "loop/poll.h"
#include "loop/tcp.h"
#include "loop/timer.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

using sys::SocketAddress;

class StreamTest : public LoopTest {
 protected:
  void SetUp() override {
    LoopTest::SetUp();
    if (IsSkipped()) return;
    acceptor_ = std::make_unique<Acceptor>(loop());
    listener_ = TcpHandle::Create(loop());
    ASSERT_TRUE(listener_->Bind(*SocketAddress::FromIp("127.0.0.1", 0)));
    ASSERT_TRUE(listener_->Listen(511, acceptor_.get()));
    address_ = *listener_->LocalAddress();
  }
  void TearDown() override {
    listener_.reset();
    client_.reset();
    acceptor_.reset();
    if (loop_ != nullptr) loop_->Run();
    LoopTest::TearDown();
  }

  // Connects client_ and runs until both sides have their stream.
  void Connect() {
    client_ = TcpHandle::Create(loop());
    bool connected = false;
    ASSERT_TRUE(client_->Connect(address_, [&](Result<void> result) {
      ASSERT_TRUE(result) << result.error().err;
      connected = true;
    }));
    EXPECT_FALSE(connected) << "3.3: not inside the call";
    while (!connected || acceptor_->connections.empty()) loop().Run(RunMode::kOnce);
    server_ = acceptor_->connections.back().get();
  }

  template <class Condition>
  void RunUntil(Condition condition) {
    for (int i = 0; i < 100'000 && !condition(); ++i) loop().Run(RunMode::kOnce);
    EXPECT_TRUE(condition());
  }

  std::unique_ptr<Acceptor> acceptor_;
  HandlePtr<TcpHandle> listener_;
  HandlePtr<TcpHandle> client_;
  TcpHandle* server_ = nullptr;
  SocketAddress address_;
};
GYRE_ON_ALL_BACKENDS(StreamTest);

TEST_P(StreamTest, ConnectsAcceptsAndNamesBothEnds) {
  Connect();
  EXPECT_EQ(client_->PeerAddress()->port(), address_.port());
  EXPECT_EQ(server_->PeerAddress()->port(), client_->LocalAddress()->port());
  EXPECT_EQ(server_->PeerAddress()->ToString(), "127.0.0.1");
  EXPECT_TRUE(client_->SetNoDelay(true));
  EXPECT_TRUE(client_->SetKeepAlive(true, 60));
}

TEST_P(StreamTest, EchoesAndEnds) {
  Connect();
  Recorder at_server;
  at_server.on_data = [&](StreamHandle& stream) {
    stream.WriteBytes(ToVector(at_server.text), {});
    at_server.text.clear();
  };
  at_server.on_end = [](StreamHandle& stream) { stream.Shutdown({}); };
  ASSERT_TRUE(server_->ReadStart(&at_server));
  Recorder at_client;
  at_client.on_data = [&](StreamHandle& stream) {
    if (at_client.text.size() == 5) stream.Shutdown({});
  };
  ASSERT_TRUE(client_->ReadStart(&at_client));
  client_->WriteBytes(ToVector("hello"), {});
  RunUntil([&] { return at_client.ended; });
  EXPECT_EQ(at_client.text, "hello");
  EXPECT_TRUE(at_server.ended);
  EXPECT_EQ(client_->bytes_read(), 5u);
  EXPECT_EQ(client_->bytes_written(), 5u);
}

// Both are there when the loop looks: what the kernel wakes up for twice, it may look at once.
TEST_P(StreamTest, ReadsWhatCameBeforeAResetAndThenTheReset) {
  base::OwnedFd peer(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(peer.get(), address_.get(), address_.length()), 0);
  RunUntil([&] { return !acceptor_->connections.empty(); });
  Recorder at_server;
  ASSERT_TRUE(acceptor_->connections.back()->ReadStart(&at_server));
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
  ASSERT_EQ(::send(peer.get(), "abc", 3, 0), 3);
  const linger now = {.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(peer.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
  peer.Reset();
  bool late = false;
  const HandlePtr<TimerHandle> timer = TimerHandle::Create(loop(), [&] { late = true; });
  timer->Start(5000);
  RunUntil([&] { return late || at_server.error != 0 || at_server.ended; });
  EXPECT_EQ(at_server.text, "abc");
  EXPECT_EQ(at_server.error, ECONNRESET);
}

// Interest by edges: nothing that was there is forgotten.
TEST_P(StreamTest, ReadsWhatCameWithTheEnd) {
  Connect();
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
  ASSERT_EQ(::send(client_->fd(), "abc", 3, 0), 3);
  ASSERT_EQ(::shutdown(client_->fd(), SHUT_WR), 0);
  RunUntil([&] { return at_server.ended; });
  EXPECT_EQ(at_server.text, "abc");
}

TEST_P(StreamTest, WhatCameWhileItDidNotReadIsReadWhenItDoesAgain) {
  Connect();
  Recorder at_server;
  at_server.on_data = [&](StreamHandle& stream) {
    stream.ReadStop();
    (void)::send(client_->fd(), "more", 4, 0);
    if (at_server.calls % 2 == 0) return;  // begins in a later turn
    ASSERT_TRUE(stream.ReadStart(&at_server));
  };
  ASSERT_TRUE(server_->ReadStart(&at_server));
  ASSERT_EQ(::send(client_->fd(), "abc", 3, 0), 3);
  for (int round = 1; round < 8; ++round) {
    RunUntil([&] { return !server_->IsReading(); });
    for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
    ASSERT_TRUE(server_->ReadStart(&at_server));
  }
  RunUntil([&] { return at_server.text.size() >= 3 + 4 * 13; });
}

TEST_P(StreamTest, AnEventThatCameWhileAnotherCallbackHadStoppedReadingIsNotLost) {
  Connect();
  TcpHandle* const first = server_;
  HandlePtr<TcpHandle> peer = std::move(client_);
  Connect();
  TcpHandle* const second = server_;
  Recorder at_first;
  Recorder at_second;
  // Whoever is called first stops the other, whose event then finds nobody, and starts it again at the end of the turn.
  HandlePtr<TimerHandle> timer;
  const auto nudge = [&](StreamHandle& other, Recorder& recorder) {
    if (recorder.calls > 0 || timer != nullptr) return;
    other.ReadStop();
    timer = TimerHandle::Create(loop(), [&] { ASSERT_TRUE(other.ReadStart(&recorder)); });
    timer->Start(0);
  };
  at_first.on_data = [&](StreamHandle&) { nudge(*second, at_second); };
  at_second.on_data = [&](StreamHandle&) { nudge(*first, at_first); };
  ASSERT_TRUE(first->ReadStart(&at_first));
  ASSERT_TRUE(second->ReadStart(&at_second));
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
  ASSERT_EQ(::send(peer->fd(), "one", 3, 0), 3);
  ASSERT_EQ(::send(client_->fd(), "two", 3, 0), 3);
  RunUntil([&] { return at_first.text == "one" && at_second.text == "two"; });
}

TEST_P(StreamTest, ReadsBehindUrgentData) {
  Connect();
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
  const int peer = client_->fd();
  ASSERT_EQ(::send(peer, "ab", 2, 0), 2);
  ASSERT_EQ(::send(peer, "!", 1, MSG_OOB), 1);
  ASSERT_EQ(::send(peer, "cd", 2, 0), 2);
  RunUntil([&] { return at_server.text == "abcd"; });
}

TEST_P(StreamTest, AFloodIsReadToItsEnd) {
  Connect();
  const int size = 6 << 20;
  for (int fd : {server_->fd(), client_->fd()}) {
    ::setsockopt(fd, SOL_SOCKET, fd == client_->fd() ? SO_SNDBUF : SO_RCVBUF, &size, sizeof(size));
  }
  // More than one readiness may read.
  const std::string flood(4 << 20, 'x');
  size_t sent = 0;
  while (sent < flood.size()) {
    const ssize_t wrote = ::send(client_->fd(), flood.data(), flood.size() - sent, MSG_DONTWAIT);
    if (wrote < 0) break;
    sent += static_cast<size_t>(wrote);
  }
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  RunUntil([&] { return at_server.text.size() == sent; });
}

// A file of so many bytes, whose name is gone already.
base::OwnedFd MakeFile(const std::string& text) {
  base::OwnedFd file(::memfd_create("stream_test", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return file;
}

std::string Pattern(size_t size) {
  std::string text(size, 0);
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 31 % 23 + i / 65536 % 3);
  return text;
}

class FileWrite final : public WriteOp {
 public:
  struct Outcome {
    bool done = false;
    int error = 0;
    size_t sent = 0;
    int file_error = 0;
  };
  FileWrite(base::OwnedFd file, int64_t offset, size_t size, Outcome& outcome, size_t keep = 0) : outcome_(outcome) {
    SetFile(std::move(file), offset, size, keep);
  }
  void OnDone(Result<void> result) override {
    outcome_ = {
        .done = true, .error = result ? 0 : result.error().err, .sent = file_sent(), .file_error = file_error()};
  }

 private:
  Outcome& outcome_;
};

TEST_P(StreamTest, FilesGoOutInTheirPlaceAmongWrites) {
  Connect();
  const std::string text = Pattern(9'000'000);
  Recorder at_client;
  ASSERT_TRUE(client_->ReadStart(&at_client));
  server_->WriteBytes(ToVector("head "), {});
  FileWrite::Outcome part;
  FileWrite::Outcome rest;
  server_->Write(std::make_unique<FileWrite>(MakeFile(text), 1000, 8'000'000, part));
  server_->WriteBytes(ToVector(" between "), {});
  base::OwnedFd file = MakeFile(text);
  ASSERT_EQ(::lseek(file.get(), 8'999'000, SEEK_SET), 8'999'000);
  server_->Write(std::make_unique<FileWrite>(std::move(file), -1, 5'000'000, rest));
  server_->WriteBytes(ToVector(" tail"), {});
  EXPECT_FALSE(part.done) << "4.3: not inside the call";
  server_->Shutdown({});
  RunUntil([&] { return at_client.ended; });
  EXPECT_EQ(at_client.text, "head " + text.substr(1000, 8'000'000) + " between " + text.substr(8'999'000) + " tail");
  EXPECT_EQ(part.sent, 8'000'000u);
  EXPECT_EQ(rest.sent, 1000u) << "ends early at the end of the file";
  EXPECT_EQ(rest.error, 0);
  EXPECT_EQ(rest.file_error, 0);
  EXPECT_EQ(server_->write_queue_size(), 0u);
}

TEST_P(StreamTest, TheEndOfAFileIsKept) {
  Connect();
  Recorder at_client;
  ASSERT_TRUE(client_->ReadStart(&at_client));
  const std::string text = Pattern(300'000);
  FileWrite::Outcome most;
  FileWrite::Outcome none;
  server_->Write(std::make_unique<FileWrite>(MakeFile(text), 10, 400'000, most, 1000));
  server_->Write(std::make_unique<FileWrite>(MakeFile(text), 299'500, 400'000, none, 1000));
  server_->Shutdown({});
  RunUntil([&] { return at_client.ended; });
  EXPECT_EQ(at_client.text, text.substr(10, 298'990));
  EXPECT_EQ(most.sent, 298'990u);
  EXPECT_EQ(none.sent, 0u);
}

TEST_P(StreamTest, AFileThatCannotBeSentHarmsNoOtherWrite) {
  Connect();
  Recorder at_client;
  ASSERT_TRUE(client_->ReadStart(&at_client));
  FileWrite::Outcome outcome;
  server_->Write(std::make_unique<FileWrite>(base::OwnedFd(::open("/", O_RDONLY | O_CLOEXEC)), 0, 1000, outcome));
  server_->WriteBytes(ToVector("tail"), {});
  server_->Shutdown({});
  RunUntil([&] { return at_client.ended; });
  EXPECT_EQ(at_client.text, "tail");
  EXPECT_EQ(outcome.sent, 0u);
  EXPECT_EQ(outcome.error, 0);
  EXPECT_NE(outcome.file_error, 0);
}

TEST_P(StreamTest, ClosingWhileAFileGoesOutLeavesNothingOpen) {
  const int before = CountOpenFds();
  Connect();
  FileWrite::Outcome outcome;
  // The peer does not read: it cannot end.
  server_->Write(std::make_unique<FileWrite>(MakeFile(Pattern(30'000'000)), 0, 30'000'000, outcome));
  loop().Run(RunMode::kNoWait);
  acceptor_->connections.clear();
  client_.reset();
  RunUntil([&] { return outcome.done && CountOpenFds() <= before; });
  EXPECT_EQ(outcome.error, ECANCELED);
}

TEST_P(StreamTest, APeerThatResetsEndsAFileWithItsError) {
  Connect();
  FileWrite::Outcome outcome;
  server_->Write(std::make_unique<FileWrite>(MakeFile(Pattern(30'000'000)), 0, 30'000'000, outcome));
  for (int i = 0; i < 3; ++i) loop().Run(RunMode::kNoWait);
  ASSERT_TRUE(client_->CloseReset());
  RunUntil([&] { return outcome.done; });
  EXPECT_TRUE(outcome.error == ECONNRESET || outcome.error == EPIPE) << outcome.error;
  EXPECT_LT(outcome.sent, 30'000'000u);
}

TEST_P(StreamTest, LargeWritesArriveWholeAndInOrder) {
  Connect();
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  std::string sent;
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    std::string part(3'000'000, static_cast<char>('a' + i));
    sent += part;
    client_->WriteBytes(ToVector(part), [&, i](Result<void> result) {
      EXPECT_TRUE(result);
      EXPECT_EQ(done++, i) << "4.3: in order";
    });
  }
  EXPECT_EQ(done, 0);
  EXPECT_GT(client_->write_queue_size(), 0u);
  client_->Shutdown([&](Result<void> result) {
    EXPECT_TRUE(result);
    EXPECT_EQ(done, 5) << "4.4: after the queued writes";
  });
  RunUntil([&] { return at_server.ended; });
  EXPECT_EQ(at_server.text, sent);
  EXPECT_EQ(client_->write_queue_size(), 0u);
}

TEST_P(StreamTest, TryWriteTakesWhatFitsOnly) {
  Connect();
  std::string chunk(1 << 20, 'x');
  size_t total = 0;
  for (int i = 0; i < 100; ++i) {
    Result<size_t> wrote = client_->TryWrite(AsBytes(chunk));
    ASSERT_TRUE(wrote);
    if (*wrote == 0) break;
    total += *wrote;
  }
  EXPECT_GT(total, 0u);
  EXPECT_EQ(*client_->TryWrite(AsBytes(chunk)), 0u);
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  RunUntil([&] { return at_server.text.size() == total; });
}

TEST_P(StreamTest, ReadStopHoldsDataBackUntilReadStart) {
  Connect();
  Recorder at_server;
  at_server.on_data = [](StreamHandle& stream) { stream.ReadStop(); };
  ASSERT_TRUE(server_->ReadStart(&at_server));
  ASSERT_EQ(*client_->TryWrite(AsBytes("one")), 3u);
  RunUntil([&] { return at_server.text == "one"; });
  ASSERT_EQ(*client_->TryWrite(AsBytes("two")), 3u);
  for (int i = 0; i < 5; ++i) loop().Run(RunMode::kNoWait);
  EXPECT_EQ(at_server.text, "one");
  ASSERT_TRUE(server_->ReadStart(&at_server));
  RunUntil([&] { return at_server.text == "onetwo"; });
}

TEST_P(StreamTest, ReadsIntoTheCallersBuffer) {
  Connect();
  std::vector<uint8_t> mine(8);
  class InMine : public Recorder {
   public:
    explicit InMine(std::vector<uint8_t>& buffer) : buffer_(buffer) {}
    void OnData(StreamHandle& stream, std::span<const uint8_t> data) override {
      EXPECT_EQ(data.data(), buffer_.data());
      EXPECT_LE(data.size(), buffer_.size());
      Recorder::OnData(stream, data);
    }
    std::vector<uint8_t>& buffer_;
  } at_server(mine);
  server_->SetReadBuffer(mine);
  ASSERT_TRUE(server_->ReadStart(&at_server));
  ASSERT_EQ(*client_->TryWrite(AsBytes("0123456789abcdefXYZ")), 19u);
  RunUntil([&] { return at_server.text.size() == 19; });
  EXPECT_EQ(at_server.text, "0123456789abcdefXYZ");
}

TEST_P(StreamTest, ClosingCancelsWritesBeforeTheCloseCallback) {
  Connect();
  std::string order;
  for (int i = 0; i < 2; ++i) {
    client_->WriteBytes(std::vector<uint8_t>(8'000'000), [&](Result<void> result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().err, ECANCELED);
      order += "write ";
    });
  }
  client_->Shutdown([&](Result<void> result) {
    EXPECT_EQ(result.error().err, ECANCELED);
    order += "shutdown ";
  });
  client_->Close([&] { order += "close"; });
  EXPECT_EQ(order, "");
  RunUntil([&] { return order.ends_with("close"); });
  EXPECT_EQ(order, "write write shutdown close");
}

TEST_P(StreamTest, DroppingAStreamInItsDataCallbackIsSafe) {
  Connect();
  Recorder at_client;
  at_client.on_data = [&](StreamHandle&) { client_.reset(); };
  ASSERT_TRUE(client_->ReadStart(&at_client));
  ASSERT_TRUE(server_->TryWrite(AsBytes("bye")));
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  RunUntil([&] { return at_server.ended || at_server.error != 0; });
  EXPECT_EQ(at_client.text, "bye");
}

TEST_P(StreamTest, ResetIsReportedToTheReader) {
  Connect();
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  ASSERT_TRUE(client_->CloseReset());
  RunUntil([&] { return at_server.error != 0; });
  EXPECT_EQ(at_server.error, ECONNRESET);
  EXPECT_FALSE(at_server.ended);
}

TEST_P(StreamTest, RefusedConnectionCompletesLater) {
  const SocketAddress gone = address_;
  listener_.reset();
  loop().Run();
  auto tcp = TcpHandle::Create(loop());
  int error = 0;
  ASSERT_TRUE(tcp->Connect(gone, [&](Result<void> result) { error = result.error().err; }));
  EXPECT_EQ(error, 0);
  RunUntil([&] { return error != 0; });
  EXPECT_EQ(error, ECONNREFUSED);
}

TEST_P(StreamTest, AddressInUseIsReportedByListen) {
  auto second = TcpHandle::Create(loop());
  ASSERT_TRUE(second->Bind(address_));
  Acceptor acceptor(loop());
  Result<void> listening = second->Listen(1, &acceptor);
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().err, EADDRINUSE);
}

TEST_P(StreamTest, WriteToAResetPeerFailsAllQueuedWrites) {
  Connect();
  acceptor_->connections.back()->CloseReset();
  for (int i = 0; i < 4; ++i) loop().Run(RunMode::kNoWait);
  int failed = 0;
  for (int i = 0; i < 3; ++i) {
    client_->WriteBytes(ToVector("data"), [&](Result<void> result) { failed += result ? 0 : 1; });
  }
  RunUntil([&] { return failed > 0; });
}

TEST_P(StreamTest, ManyConnectionsEcho) {
  constexpr int kCount = 50;
  std::vector<std::unique_ptr<Recorder>> at_server;
  acceptor_->on_connection = [&](TcpHandle& stream) {
    at_server.push_back(std::make_unique<Recorder>());
    Recorder& recorder = *at_server.back();
    recorder.on_data = [&recorder](StreamHandle& stream) {
      stream.WriteBytes(ToVector(recorder.text), {});
      recorder.text.clear();
    };
    ASSERT_TRUE(stream.ReadStart(&recorder));
  };
  std::vector<HandlePtr<TcpHandle>> clients;
  std::vector<std::unique_ptr<Recorder>> at_client;
  int finished = 0;
  for (int i = 0; i < kCount; ++i) {
    clients.push_back(TcpHandle::Create(loop()));
    at_client.push_back(std::make_unique<Recorder>());
    TcpHandle& client = *clients.back();
    Recorder& recorder = *at_client.back();
    recorder.on_data = [&](StreamHandle&) { finished += recorder.text.size() == 1000 ? 1 : 0; };
    ASSERT_TRUE(client.Connect(address_, [&client, &recorder](Result<void> result) {
      ASSERT_TRUE(result);
      ASSERT_TRUE(client.ReadStart(&recorder));
      client.WriteBytes(std::vector<uint8_t>(1000, 'm'), {});
    }));
  }
  RunUntil([&] { return finished == kCount; });
}

// Fault G68: EMFILE on accept does not spin, and recovers.
TEST_P(StreamTest, DescriptorExhaustionTurnsPeersAwayAndRecovers) {
  class Exhausted : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override {
      if (call != sys::Call::kAccept) return 0;
      // The first attempt finds no descriptor; turning away (with the reserve) works.
      return attempts++ == 0 ? EMFILE : 0;
    }
    int attempts = 0;
  } plan;
  auto peer = TcpHandle::Create(loop());
  Recorder at_peer;
  bool connected = false;
  {
    sys::ScopedFaultPlan faults(&plan);
    ASSERT_TRUE(peer->Connect(address_, [&](Result<void>) {
      connected = true;
      (void)peer->ReadStart(&at_peer);
    }));
    RunUntil([&] { return connected && (at_peer.ended || at_peer.error != 0); });
    EXPECT_LT(plan.attempts, 10) << "no spin";
  }
  EXPECT_EQ(acceptor_->errors, std::vector<int>{EMFILE});
  EXPECT_EQ(acceptor_->accepted, 0);
  Connect();
  EXPECT_EQ(acceptor_->accepted, 1);
}

TEST_P(StreamTest, ShortReadsAndInterruptedCallsAreInvisible) {
  Connect();
  class Nasty : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override {
      const bool io = call == sys::Call::kReceive || call == sys::Call::kSend;
      return io && ++count % 3 == 0 ? EAGAIN : 0;
    }
    size_t Limit(sys::Call, int, size_t wanted) override { return wanted > 7 ? 7 : wanted; }
    int count = 0;
  } plan;
  sys::ScopedFaultPlan faults(&plan);
  Recorder at_server;
  ASSERT_TRUE(server_->ReadStart(&at_server));
  std::string sent;
  for (int i = 0; i < 500; ++i) sent += static_cast<char>('a' + i % 26);
  client_->WriteBytes(ToVector(sent), {});
  RunUntil([&] { return at_server.text.size() == sent.size(); });
  EXPECT_EQ(at_server.text, sent);
}

TEST_P(StreamTest, WritingToAClosedStreamIsCanceled) {
  Connect();
  int canceled = 0;
  const auto count = [&](Result<void> result) { canceled += !result && result.error().err == ECANCELED ? 1 : 0; };
  client_->Close([&] { client_->WriteBytes(ToVector("in the close callback"), count); });
  client_->WriteBytes(ToVector("closing"), count);
  RunUntil([&] { return canceled == 2; });
  client_->WriteBytes(ToVector("closed"), count);
  RunUntil([&] { return canceled == 3; });
}

TEST_P(StreamTest, HandlesMayOutliveTheirLoop) {
  Connect();
  HandlePtr<TcpHandle> other = std::move(client_);
  Recorder recorder;
  ASSERT_TRUE(other->ReadStart(&recorder));
  listener_.reset();
  acceptor_.reset();
  auto poll = PollHandle::Create(loop(), 0, [](uint32_t) {});
  (void)poll->Start(kReadable);
  loop_.reset();
  EXPECT_TRUE(other->IsClosed());
  poll.reset();
}

class PipeTest : public LoopTest {};
GYRE_ON_ALL_BACKENDS(PipeTest);

TEST_P(PipeTest, LocalSocketsConnectByPath) {
  const std::string path = testing::TempDir() + "gyre-pipe-" + std::to_string(::getpid()) + BackendName(GetParam());
  class Server : public ListenObserver {
   public:
    explicit Server(Loop& loop) : loop_(loop) {}
    void OnConnection(StreamHandle&, base::OwnedFd fd) override {
      stream = PipeHandle::Create(loop_);
      ASSERT_TRUE(stream->Open(std::move(fd)));
      ASSERT_TRUE(stream->ReadStart(&recorder));
    }
    void OnAcceptError(StreamHandle&, const Error&) override { FAIL(); }
    Loop& loop_;
    HandlePtr<PipeHandle> stream;
    Recorder recorder;
  } server(loop());
  auto listener = PipeHandle::Create(loop());
  ASSERT_TRUE(listener->Bind(path));
  ASSERT_TRUE(listener->Listen(10, &server));
  EXPECT_EQ(*listener->LocalName(), path);
  auto client = PipeHandle::Create(loop());
  ASSERT_TRUE(client->Connect(path, [&](Result<void> result) {
    ASSERT_TRUE(result);
    client->WriteBytes(ToVector("over the path"), {});
    client->Shutdown({});
  }));
  server.recorder.on_end = [&](StreamHandle&) {
    server.stream.reset();
    client.reset();
    listener.reset();
  };
  loop().Run();
  EXPECT_EQ(server.recorder.text, "over the path");
  EXPECT_EQ(::access(path.c_str(), F_OK), -1) << "unlinked when closed";
}

TEST_P(PipeTest, MissingPathIsReported) {
  auto client = PipeHandle::Create(loop());
  int error = 0;
  ASSERT_TRUE(client->Connect("/nonexistent/socket", [&](Result<void> result) { error = result.error().err; }));
  loop().Run();
  EXPECT_EQ(error, ENOENT);
}

TEST_P(PipeTest, AnonymousPipesReadAndEnd) {
  FdPair pair = *MakePipe();
  auto reader = PipeHandle::Create(loop());
  auto writer = PipeHandle::Create(loop());
  ASSERT_TRUE(reader->Open(std::move(pair.first)));
  ASSERT_TRUE(writer->Open(std::move(pair.second)));
  EXPECT_FALSE(reader->IsWritable());
  EXPECT_FALSE(writer->IsReadable());
  Recorder recorder;
  ASSERT_TRUE(reader->ReadStart(&recorder));
  std::string sent(300'000, 'p');
  writer->WriteBytes(ToVector(sent), [&](Result<void>) { writer.reset(); });
  recorder.on_end = [&](StreamHandle&) { reader.reset(); };
  loop().Run();
  EXPECT_EQ(recorder.text.size(), sent.size());
  EXPECT_TRUE(recorder.ended);
}

// 4.6, fault G77
TEST_P(PipeTest, WritingToAClosedPipeIsEpipe) {
  FdPair pair = *MakePipe();
  auto writer = PipeHandle::Create(loop());
  ASSERT_TRUE(writer->Open(std::move(pair.second)));
  pair.first.Reset();
  int error = 0;
  writer->WriteBytes(ToVector("x"), [&](Result<void> result) { error = result.error().err; });
  loop().Run();
  EXPECT_EQ(error, EPIPE);
}

TEST_P(PipeTest, IpcCarriesDescriptors) {
  FdPair pair = *MakeSocketPair();
  auto a = PipeHandle::Create(loop(), PipeHandle::Ipc::kYes);
  auto b = PipeHandle::Create(loop(), PipeHandle::Ipc::kYes);
  ASSERT_TRUE(a->Open(std::move(pair.first)));
  ASSERT_TRUE(b->Open(std::move(pair.second)));
  FdPair carried = *MakePipe();
  class WithFd : public WriteOp {
   public:
    explicit WithFd(int fd) {
      AddBuffer("m", 1);
      SetSendFd(fd);
    }
    void OnDone(Result<void> result) override { EXPECT_TRUE(result); }
  };
  a->Write(std::make_unique<WithFd>(carried.second.get()));
  Recorder recorder;
  recorder.on_data = [&](StreamHandle& stream) {
    ASSERT_TRUE(stream.HasReceivedFds());
    base::OwnedFd fd = stream.TakeReceivedFd();
    EXPECT_EQ(::write(fd.get(), "!", 1), 1);
    a.reset();
    b.reset();
  };
  ASSERT_TRUE(b->ReadStart(&recorder));
  loop().Run();
  char byte = 0;
  EXPECT_EQ(::read(carried.first.get(), &byte, 1), 1);
  EXPECT_EQ(byte, '!');
}

}  // namespace
}  // namespace gyre::loop
