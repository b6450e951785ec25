// docs/loop.md section 7.
#include "loop/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "loop/fs_event.h"
#include "loop/fs_ops.h"
#include "loop/loop_test_support.h"
#include "loop/pipe.h"
#include "loop/signal.h"
#include "loop/timer.h"
#include "loop/udp.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

using ProcessTest = LoopTest;
GYRE_ON_ALL_BACKENDS(ProcessTest);

SpawnOptions Shell(const std::string& script) {
  return {.file = "sh", .args = {"sh", "-c", script}, .stdio = {{}, {}, {}}};
}

TEST_P(ProcessTest, ReportsExitStatusAndSignal) {
  std::vector<ProcessExit> exits;
  const auto record = [&](ProcessExit exit) { exits.push_back(exit); };
  auto first = ProcessHandle::Spawn(loop(), Shell("exit 7"), record);
  ASSERT_TRUE(first);
  loop().Run();
  auto second = ProcessHandle::Spawn(loop(), Shell("kill -9 $$"), record);
  ASSERT_TRUE(second);
  loop().Run();
  ASSERT_EQ(exits.size(), 2u);
  EXPECT_EQ(exits[0].status, 7);
  EXPECT_EQ(exits[0].signal, 0);
  EXPECT_EQ(exits[1].status, 0);
  EXPECT_EQ(exits[1].signal, SIGKILL);
  EXPECT_EQ(first->process->Kill(SIGTERM).error().err, ESRCH);
}

TEST_P(ProcessTest, PipesCarryStandardStreams) {
  SpawnOptions options = Shell("cat; echo done >&2");
  options.stdio = {
      {.kind = StdioSlot::Kind::kPipe}, {.kind = StdioSlot::Kind::kPipe}, {.kind = StdioSlot::Kind::kPipe}};
  bool exited = false;
  auto child = ProcessHandle::Spawn(loop(), options, [&](ProcessExit) { exited = true; });
  ASSERT_TRUE(child);
  std::vector<HandlePtr<PipeHandle>> pipes;
  for (base::OwnedFd& fd : child->pipes) {
    pipes.push_back(PipeHandle::Create(loop()));
    ASSERT_TRUE(pipes.back()->Open(std::move(fd)));
  }
  Recorder out, err;
  ASSERT_TRUE(pipes[1]->ReadStart(&out));
  ASSERT_TRUE(pipes[2]->ReadStart(&err));
  pipes[0]->WriteBytes(ToVector("through the child"), {});
  pipes[0]->Shutdown({});
  loop().Run();
  EXPECT_TRUE(exited);
  EXPECT_EQ(out.text, "through the child");
  EXPECT_EQ(err.text, "done\n");
}

TEST_P(ProcessTest, MissingProgramsAndDirectoriesFailToSpawn) {
  const auto never = [](ProcessExit) { FAIL(); };
  const int before = CountOpenFds();
  SpawnOptions options = Shell("true");
  options.file = "no-such-program-here";
  EXPECT_EQ(ProcessHandle::Spawn(loop(), options, never).error().err, ENOENT);
  options.file = "/etc/passwd";
  EXPECT_EQ(ProcessHandle::Spawn(loop(), options, never).error().err, EACCES);
  options = Shell("true");
  options.cwd = "/no/such/directory";
  EXPECT_EQ(ProcessHandle::Spawn(loop(), options, never).error().err, ENOENT);
  options = Shell("true");
  options.stdio[1] = {.kind = StdioSlot::Kind::kInherit, .fd = 99'999};
  EXPECT_EQ(ProcessHandle::Spawn(loop(), options, never).error().err, EBADF);
  EXPECT_EQ(CountOpenFds(), before);
  loop().Run();
}

TEST_P(ProcessTest, EnvironmentDirectoryAndInheritedDescriptors) {
  FdPair pipe = *MakePipe();
  SpawnOptions options = Shell("echo $GYRE_TEST; pwd; echo three >&3");
  options.env = std::vector<std::string>{"GYRE_TEST=value", "PATH=/usr/bin:/bin"};
  options.cwd = "/";
  options.stdio = {{},
                   {.kind = StdioSlot::Kind::kInherit, .fd = pipe.second.get()},
                   {},
                   {.kind = StdioSlot::Kind::kInherit, .fd = pipe.second.get()}};
  auto child = ProcessHandle::Spawn(loop(), options, {});
  ASSERT_TRUE(child);
  loop().Run();
  pipe.second.Reset();
  char text[100] = {};
  EXPECT_GT(::read(pipe.first.get(), text, sizeof(text) - 1), 0);
  EXPECT_STREQ(text, "value\n/\nthree\n");
}

TEST_P(ProcessTest, KillsAndDropsHandles) {
  auto child = ProcessHandle::Spawn(loop(), Shell("sleep 60"), {});
  ASSERT_TRUE(child);
  const pid_t pid = child->process->pid();
  child->process.reset();
  loop().Run();
  EXPECT_TRUE(KillProcess(pid, SIGKILL));
  // 7.2: reaped although its handle is gone, when the next child is handled.
  for (int i = 0; i < 100 && ::kill(pid, 0) == 0; ++i) {
    auto other = ProcessHandle::Spawn(loop(), Shell("true"), {});
    ASSERT_TRUE(other);
    loop().Run();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

using SignalTest = LoopTest;
GYRE_ON_ALL_BACKENDS(SignalTest);

TEST_P(SignalTest, AllHandlesOfAllLoopsAreCalled) {
  auto other = *Loop::Create({.backend = GetParam()});
  int calls = 0;
  const auto count = [&](int signum) {
    EXPECT_EQ(signum, SIGUSR1);
    ++calls;
  };
  auto a = SignalHandle::Create(loop(), count);
  auto b = SignalHandle::Create(loop(), count);
  auto c = SignalHandle::Create(*other, count);
  ASSERT_TRUE(a->Start(SIGUSR1));
  ASSERT_TRUE(b->StartOneShot(SIGUSR1));
  ASSERT_TRUE(c->Start(SIGUSR1));
  ::raise(SIGUSR1);
  EXPECT_EQ(calls, 0) << "7.1: not in the handler";
  loop().Run(RunMode::kOnce);
  EXPECT_EQ(calls, 2);
  other->Run(RunMode::kOnce);
  EXPECT_EQ(calls, 3);
  ::raise(SIGUSR1);
  loop().Run(RunMode::kOnce);
  EXPECT_EQ(calls, 4) << "the one-shot handle has stopped";
  a.reset();
  loop().Run();
  c.reset();
  other->Run();
}

TEST_P(SignalTest, LastHandleRestoresTheDefaultAction) {
  auto handle = SignalHandle::Create(loop(), [](int) {});
  ASSERT_TRUE(handle->Start(SIGUSR2));
  handle->Stop();
  struct sigaction action;
  ::sigaction(SIGUSR2, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  EXPECT_EQ(handle->Start(SIGKILL).error().err, EINVAL);
  EXPECT_EQ(handle->Start(0).error().err, EINVAL);
  EXPECT_EQ(handle->Start(999).error().err, EINVAL);
}

TEST_P(SignalTest, MayStopItselfInItsCallback) {
  int calls = 0;
  HandlePtr<SignalHandle> handle;
  handle = SignalHandle::Create(loop(), [&](int) {
    ++calls;
    handle.reset();
  });
  ASSERT_TRUE(handle->Start(SIGUSR1));
  ::raise(SIGUSR1);
  loop().Run();
  EXPECT_EQ(calls, 1);
}

// Fault G72: signals interrupt system calls all the time
TEST_P(SignalTest, StormOfSignalsLosesNothing) {
  int calls = 0;
  auto handle = SignalHandle::Create(loop(), [&](int) { ++calls; });
  ASSERT_TRUE(handle->Start(SIGUSR1));
  constexpr int kSignals = 500;
  const pthread_t self = ::pthread_self();
  std::thread storm([self] {
    for (int i = 0; i < kSignals; ++i) {
      ::pthread_kill(self, SIGUSR1);
      ::usleep(20);
    }
  });
  bool fired = false;
  auto timer = TimerHandle::Create(loop(), [&] { fired = true; });
  timer->Start(5);
  while (!fired || calls == 0) loop().Run(RunMode::kOnce);
  storm.join();
  loop().Run(RunMode::kNoWait);
  // Standard signals that wait coalesce in the kernel; those caught are all delivered.
  EXPECT_GT(calls, 0);
  EXPECT_LE(calls, kSignals);
}

using FsEventTest = LoopTest;
GYRE_ON_ALL_BACKENDS(FsEventTest);

TEST_P(FsEventTest, TellsOfChangesInADirectory) {
  const std::string dir = *fs::Mkdtemp{.prefix = testing::TempDir() + "gyre-watch-"}.Run();
  std::string seen;
  HandlePtr<FsEventHandle> watch;
  watch = FsEventHandle::Create(loop(), [&](uint32_t events, std::string_view name) {
    if ((events & kFsRename) != 0) seen += "rename ";
    if ((events & kFsChange) != 0) seen += "change ";
    EXPECT_EQ(name, "file");
    if (seen.find("change") != std::string::npos) watch->Stop();
  });
  ASSERT_TRUE(watch->Start(dir));
  const std::string text = "x";
  ASSERT_TRUE((fs::WriteWholeFile{.path = dir + "/file", .data = AsBytes(text)}.Run()));
  loop().Run();
  EXPECT_EQ(seen, "rename change ");
  const Error missing = watch->Start(dir + "/none").error();
  EXPECT_EQ(missing.err, ENOENT);
  EXPECT_STREQ(missing.syscall, "watch");
  watch.reset();
  loop().Run();
  EXPECT_TRUE((fs::RemoveTree{.path = dir}.Run()));
}

// 1.4: a callback that changes what it watches makes the next event, and starves nobody.
TEST_P(FsEventTest, ChangesByItsOwnCallbackDoNotStarveTimers) {
  const std::string dir = *fs::Mkdtemp{.prefix = testing::TempDir() + "gyre-watch-"}.Run();
  const std::string text = "x";
  const fs::WriteWholeFile change{.path = dir + "/file", .data = AsBytes(text)};
  int calls = 0;
  HandlePtr<FsEventHandle> watch;
  watch = FsEventHandle::Create(loop(), [&](uint32_t, std::string_view) {
    ASSERT_LT(++calls, 100'000) << "the timer does not come";
    ASSERT_TRUE(change.Run());
  });
  ASSERT_TRUE(watch->Start(dir));
  ASSERT_TRUE(change.Run());
  auto timer = TimerHandle::Create(loop(), [&] { watch->Stop(); });
  timer->Start(5);
  loop().Run();
  EXPECT_GT(calls, 0);
  watch.reset();
  timer.reset();
  loop().Run();
  EXPECT_TRUE((fs::RemoveTree{.path = dir}.Run()));
}

class UdpTest : public LoopTest, public UdpObserver {
 protected:
  void OnDatagram(UdpHandle& udp, std::span<const uint8_t> data, const sys::SocketAddress& from, bool) override {
    text_.emplace_back(data.begin(), data.end());
    from_ = from;
    if (text_.size() == 3) udp.ReceiveStop();
  }
  void OnReceiveError(UdpHandle&, const Error& error) override { ADD_FAILURE() << error.err; }
  std::vector<std::string> text_;
  sys::SocketAddress from_;
};
GYRE_ON_ALL_BACKENDS(UdpTest);

class Datagram : public SendOp {
 public:
  Datagram(std::string text, const sys::SocketAddress& address, int& sent) : text_(std::move(text)), sent_(sent) {
    AddBuffer(text_.data(), text_.size());
    to = address;
  }
  void OnDone(Result<size_t> result) override { sent_ += result && *result == text_.size() ? 1 : 0; }

 private:
  std::string text_;
  int& sent_;
};

TEST_P(UdpTest, SendsAndReceivesDatagrams) {
  auto receiver = UdpHandle::Create(loop());
  ASSERT_TRUE(receiver->Bind(*sys::SocketAddress::FromIp("127.0.0.1", 0)));
  ASSERT_TRUE(receiver->ReceiveStart(this));
  const sys::SocketAddress address = *receiver->LocalAddress();
  auto sender = UdpHandle::Create(loop());
  int sent = 0;
  for (const char* text : {"one", "", "three"}) {
    ASSERT_TRUE(sender->Send(std::make_unique<Datagram>(text, address, sent)));
  }
  EXPECT_EQ(sent, 0);
  loop().Run();
  EXPECT_EQ(sent, 3);
  EXPECT_EQ(text_, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(from_.port(), sender->LocalAddress()->port());
  EXPECT_TRUE(sender->Connect(address));
  EXPECT_EQ(sender->Connect(address).error().err, EISCONN);
  EXPECT_TRUE(sender->Disconnect());
  EXPECT_EQ(sender->Disconnect().error().err, ENOTCONN);
  EXPECT_TRUE(sender->SetBroadcast(true));
  EXPECT_TRUE(sender->SetTtl(10));
  EXPECT_EQ(sender->SetTtl(0).error().err, EINVAL);
  EXPECT_GT(*sender->BufferSize(UdpHandle::BufferKind::kSend, 0), 0);
}

TEST_P(UdpTest, ClosingCancelsQueuedSends) {
  auto sender = UdpHandle::Create(loop());
  int sent = 0;
  bool closed = false;
  ASSERT_TRUE(sender->Send(std::make_unique<Datagram>("x", *sys::SocketAddress::FromIp("127.0.0.1", 9), sent)));
  sender->Close([&] { closed = true; });
  loop().Run();
  EXPECT_TRUE(closed);
  EXPECT_FALSE(loop().Alive());
}

}  // namespace
}  // namespace gyre::loop
