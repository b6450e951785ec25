#include "loop/process.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "loop/backend.h"
#include "loop/pipe.h"
#include "loop/signal.h"
#include "loop/uring_streams.h"
#include "sys/fault.h"
#include "sys/sockets.h"

extern char** environ;

namespace gyre::loop {
namespace {

// What execvp uses in an environment that lacks PATH.
constexpr const char* kDefaultPath = "/bin:/usr/bin";
[[maybe_unused]] constexpr size_t kChildStack = 256 * 1024;

// Everything the child needs, prepared before the fork: between fork and exec only async-signal-safe calls are allowed.
struct ChildPlan {
  std::vector<std::string> candidates;  // programs to try, in order of PATH
  std::vector<char*> argv;
  std::vector<char*> shell_argv;  // for scripts without #! line; [1] is filled in
  std::vector<char*> envp;
  const char* cwd = nullptr;
  std::vector<int> fds;  // per slot; -1: /dev/null or closed
  bool detached = false;
  bool set_uid = false;
  bool set_gid = false;
  uid_t uid = 0;
  gid_t gid = 0;
  int error_fd = -1;
  sigset_t old_mask;
};

std::vector<char*> ToPointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string PathVariable(const SpawnOptions& options) {
  const char* path = std::getenv("PATH");
  if (options.env) {
    for (const std::string& entry : *options.env) {
      if (entry.starts_with("PATH=")) return entry.substr(5);
    }
    return kDefaultPath;
  }
  return path != nullptr ? path : kDefaultPath;
}

std::vector<std::string> Candidates(const SpawnOptions& options) {
  if (options.file.find('/') != std::string::npos || options.file.empty()) return {options.file};
  std::vector<std::string> result;
  const std::string path = PathVariable(options);
  size_t start = 0;
  while (true) {
    const size_t end = std::min(path.find(':', start), path.size());
    const std::string directory = path.substr(start, end - start);
    result.push_back(directory.empty() ? options.file : directory + "/" + options.file);
    if (end == path.size()) break;
    start = end + 1;
  }
  return result;
}

[[noreturn]] void ReportAndExit(int error_fd, int error) {
  ssize_t written;
  do written = ::write(error_fd, &error, sizeof(error));
  while (written == -1 && errno == EINTR);
  ::_exit(127);
}

int MoveAbove(int fd, int limit) {
  if (fd < 0 || fd >= limit) return fd;
  return ::fcntl(fd, F_DUPFD_CLOEXEC, limit);
}

// In the child. Sources are first moved out of the way, so that no dup2 overwrites one still needed.
void ArrangeStdio(ChildPlan& plan) {
  const int slots = static_cast<int>(plan.fds.size());
  plan.error_fd = MoveAbove(plan.error_fd, slots);
  if (plan.error_fd == -1) ::_exit(127);
  for (int i = 0; i < slots; ++i) {
    if (plan.fds[i] >= 0 && plan.fds[i] < slots && plan.fds[i] != i) {
      plan.fds[i] = MoveAbove(plan.fds[i], slots);
      if (plan.fds[i] == -1) ReportAndExit(plan.error_fd, errno);
    }
  }
  for (int i = 0; i < slots; ++i) {
    int source = plan.fds[i];
    if (source == -1) {
      if (i > 2) {
        ::close(i);
        continue;
      }
      source = ::open("/dev/null", i == 0 ? O_RDONLY : O_RDWR);
      if (source == -1) ReportAndExit(plan.error_fd, errno);
      if (source == i) continue;
      if (::dup2(source, i) == -1) ReportAndExit(plan.error_fd, errno);
      ::close(source);
      continue;
    }
    if (source == i) {
      const int flags = ::fcntl(i, F_GETFD);
      if (flags == -1 || ::fcntl(i, F_SETFD, flags & ~FD_CLOEXEC) == -1) ReportAndExit(plan.error_fd, errno);
    } else if (::dup2(source, i) == -1) {
      ReportAndExit(plan.error_fd, errno);
    }
    if (i <= 2) {
      // Programs expect blocking standard streams.
      const int flags = ::fcntl(i, F_GETFL);
      if (flags != -1 && (flags & O_NONBLOCK) != 0) ::fcntl(i, F_SETFL, flags & ~O_NONBLOCK);
    }
  }
}

void ResetSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int signum = 1; signum < 65; ++signum) {
    if (signum == SIGKILL || signum == SIGSTOP || signum == 32 || signum == 33) continue;
    ::sigaction(signum, &action, nullptr);
  }
}

void DropRights(ChildPlan& plan) {
  // Raw system calls: the C library's wrappers would change all threads of the process that shares this memory.
  if (plan.set_uid || plan.set_gid) ::syscall(SYS_setgroups, 0, nullptr);  // fails without rights; as libuv
  if (plan.set_gid && ::syscall(SYS_setgid, plan.gid) == -1) ReportAndExit(plan.error_fd, errno);
  if (plan.set_uid && ::syscall(SYS_setuid, plan.uid) == -1) ReportAndExit(plan.error_fd, errno);
}

[[noreturn]] void RunChild(ChildPlan& plan) {
  ResetSignals();
  if (plan.detached) ::setsid();
  ArrangeStdio(plan);
  if (plan.cwd != nullptr && ::chdir(plan.cwd) == -1) ReportAndExit(plan.error_fd, errno);
  DropRights(plan);
  ::sigprocmask(SIG_SETMASK, &plan.old_mask, nullptr);
  // As execvp: what may not be executed is remembered, what is missing is passed over.
  int error = ENOENT;
  for (const std::string& program : plan.candidates) {
    ::execve(program.c_str(), plan.argv.data(), plan.envp.data());
    if (errno == EACCES) {
      error = EACCES;
    } else if (errno == ENOEXEC) {
      // A script without #! line.
      plan.shell_argv[1] = const_cast<char*>(program.c_str());
      ::execve("/bin/sh", plan.shell_argv.data(), plan.envp.data());
      error = ENOEXEC;
      break;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      error = errno;
      break;
    }
  }
  ReportAndExit(plan.error_fd, error);
}

// Starts the child. It shares our memory until exec (no copying of page tables), on a stack of its own.
pid_t StartChild(ChildPlan& plan) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
  const pid_t pid = ::fork();
  if (pid == 0) RunChild(plan);
  return pid;
#else
  const auto stack = std::make_unique_for_overwrite<char[]>(kChildStack);
  const auto top = reinterpret_cast<uintptr_t>(stack.get() + kChildStack) & ~uintptr_t{15};
  return ::clone([](void* plan_pointer) -> int { RunChild(*static_cast<ChildPlan*>(plan_pointer)); },
                 reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
#endif
}

// Children whose handles were closed before they ended: reaped when anything happens to other children.
class AbandonedChildren {
 public:
  static AbandonedChildren& Get() {
    static auto* children = new AbandonedChildren();
    return *children;
  }
  void Add(pid_t pid) {
    std::lock_guard lock(mutex_);
    pids_.push_back(pid);
  }
  void Reap() {
    std::lock_guard lock(mutex_);
    std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

Result<void> PrepareStdio(const SpawnOptions& options, ChildPlan& plan, std::vector<base::OwnedFd>& ours,
                          std::vector<base::OwnedFd>& theirs) {
  const size_t slots = std::max<size_t>(options.stdio.size(), 3);
  plan.fds.assign(slots, -1);
  ours.resize(slots);
  for (size_t i = 0; i < options.stdio.size(); ++i) {
    const StdioSlot& slot = options.stdio[i];
    if (slot.kind == StdioSlot::Kind::kInherit) plan.fds[i] = slot.fd;
    if (slot.kind != StdioSlot::Kind::kPipe) continue;
    Result<FdPair> pair = MakeSocketPair();
    if (!pair) return Err(std::move(pair.error().WithSyscall("spawn")));
    if (auto set = sys::SetNonBlocking(pair->first.get(), true); !set) return set;
    plan.fds[i] = pair->second.get();
    ours[i] = std::move(pair->first);
    theirs.push_back(std::move(pair->second));
  }
  return {};
}

void FillPlan(const SpawnOptions& options, ChildPlan& plan) {
  plan.candidates = Candidates(options);
  plan.argv = ToPointers(options.args);
  plan.shell_argv = {const_cast<char*>("/bin/sh"), nullptr};
  if (plan.argv.size() > 1) plan.shell_argv.insert(plan.shell_argv.end(), plan.argv.begin() + 1, plan.argv.end());
  if (plan.shell_argv.back() != nullptr) plan.shell_argv.push_back(nullptr);
  if (options.env) {
    plan.envp = ToPointers(*options.env);
  } else {
    for (char** entry = environ; *entry != nullptr; ++entry) plan.envp.push_back(*entry);
    plan.envp.push_back(nullptr);
  }
  plan.cwd = options.cwd.empty() ? nullptr : options.cwd.c_str();
  plan.detached = options.detached;
  plan.set_uid = options.uid.has_value();
  plan.set_gid = options.gid.has_value();
  plan.uid = options.uid.value_or(0);
  plan.gid = options.gid.value_or(0);
}

// Waits until the child executed its program (end of file: 0) or failed (its errno).
int ReadChildError(int fd) {
  int error = 0;
  ssize_t got;
  do got = ::read(fd, &error, sizeof(error));
  while (got == -1 && errno == EINTR);
  return got == sizeof(error) ? error : 0;
}

}  // namespace

Result<ProcessHandle::Spawned> ProcessHandle::Spawn(Loop& loop, const SpawnOptions& options, ExitCallback on_exit) {
  AbandonedChildren::Get().Reap();
  if (int err = sys::InjectedError(sys::Call::kSpawn)) return Err(err, "spawn");
  ChildPlan plan;
  Spawned spawned;
  std::vector<base::OwnedFd> theirs;
  if (auto ready = PrepareStdio(options, plan, spawned.pipes, theirs); !ready) return Err(std::move(ready.error()));
  FillPlan(options, plan);
  if (UringStreams* streams = loop.backend().streams()) {
    // What the child inherits, the kernel must not go on reading for us.
    for (const StdioSlot& slot : options.stdio) {
      if (slot.kind == StdioSlot::Kind::kInherit) streams->ReleaseFd(slot.fd);
    }
  }
  Result<FdPair> report = MakePipe();
  if (!report) return Err(std::move(report.error().WithSyscall("spawn")));
  plan.error_fd = report->second.get();

  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &plan.old_mask);
  const pid_t pid = StartChild(plan);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &plan.old_mask, nullptr);
  if (pid == -1) return Err(clone_error, "spawn");

  theirs.clear();
  report->second.Reset();
  if (const int error = ReadChildError(report->first.get()); error != 0) {
    while (::waitpid(pid, nullptr, 0) == -1 && errno == EINTR) {
    }
    return Err(error, "spawn");
  }
  spawned.process.reset(new ProcessHandle(loop, pid, std::move(on_exit)));
  if (auto watched = spawned.process->Watch(); !watched) return Err(std::move(watched.error()));
  return spawned;
}

ProcessHandle::ProcessHandle(Loop& loop, pid_t pid, ExitCallback on_exit)
    : Handle(loop),
      pid_(pid),
      watcher_(loop.backend(), this, [](void* self, uint32_t) { static_cast<ProcessHandle*>(self)->OnReady(); }),
      on_exit_(std::move(on_exit)) {}

ProcessHandle::~ProcessHandle() = default;

Result<void> ProcessHandle::Watch() {
  SetActive(true);
  pidfd_.Reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (pidfd_) {
    watcher_.SetFd(pidfd_.get());
    watcher_.set_waits_for_outside();
    watcher_.Want(kReadable);
    return {};
  }
  // No pidfds here: every SIGCHLD asks for this child.
  child_signal_ = SignalHandle::Create(loop(), [this](int) { OnReady(); });
  child_signal_->Unref();
  if (auto started = child_signal_->Start(SIGCHLD); !started) return started;
  // It may have ended before.
  loop().remote()->Wake();
  ::kill(::getpid(), SIGCHLD);
  return {};
}

void ProcessHandle::OnReady() {
  if (exited_) return;
  int status = 0;
  pid_t reaped;
  do reaped = ::waitpid(pid_, &status, WNOHANG);
  while (reaped == -1 && errno == EINTR);
  if (reaped == 0) return;
  exited_ = true;
  watcher_.Stop();
  pidfd_.Reset();
  child_signal_.reset();
  SetActive(false);
  AbandonedChildren::Get().Reap();
  ProcessExit result;
  // -1: somebody else reaped it; its status is lost.
  if (reaped == pid_ && WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (reaped == pid_ && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (on_exit_) on_exit_(result);
}

Result<void> ProcessHandle::Kill(int signum) {
  if (exited_) return Err(ESRCH, "kill");
  return KillProcess(pid_, signum);
}

void ProcessHandle::OnClose() {
  watcher_.Stop();
  pidfd_.Reset();
  child_signal_.reset();
  if (!exited_) AbandonedChildren::Get().Add(pid_);
}

Result<void> KillProcess(pid_t pid, int signum) {
  if (::kill(pid, signum) == -1) return base::ErrFromErrno("kill");
  return {};
}

}  // namespace gyre::loop
