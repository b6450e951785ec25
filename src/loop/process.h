// Child processes: Spawn() starts one, ProcessHandle watches for its exit.
// Thread: the loop's.
#ifndef GYRE_LOOP_PROCESS_H_
#define GYRE_LOOP_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fd_watcher.h"
#include "loop/handle.h"
#include "loop/signal.h"

namespace gyre::loop {

// What the child finds at descriptor `index` of SpawnOptions::stdio.
struct StdioSlot {
  enum class Kind : uint8_t {
    kIgnore,   // /dev/null for 0..2, closed above
    kInherit,  // `fd` of this process
    kPipe,     // one end of a new socket pair; the other comes back in SpawnResult::pipes
  };
  Kind kind = Kind::kIgnore;
  int fd = -1;  // kInherit
};

struct SpawnOptions {
  std::string file;                             // searched in PATH (that of `env` if given) unless it has a slash
  std::vector<std::string> args;                // argv, args[0] included
  std::optional<std::vector<std::string>> env;  // "NAME=value"; none: this process's
  std::string cwd;                              // empty: this process's
  std::vector<StdioSlot> stdio;
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  bool detached = false;  // setsid()
};

struct ProcessExit {
  int64_t status = 0;  // exit status, 0 if killed
  int signal = 0;      // the signal that ended it, or 0
};

class ProcessHandle final : public Handle {
 public:
  using ExitCallback = base::UniqueFunction<void(ProcessExit)>;

  struct Spawned;
  // Fails with "spawn"-shaped errors (ENOENT, EACCES, E2BIG, EMFILE, ...), also when exec failed in the child.
  // `on_exit` runs once in the poll phase.
  static Result<Spawned> Spawn(Loop& loop, const SpawnOptions& options, ExitCallback on_exit);

  pid_t pid() const { return pid_; }
  // ESRCH once it has exited and was reaped.
  Result<void> Kill(int signum);
  HandleFacts Describe() const override { return {.type = "process", .number = pid_}; }

 private:
  ProcessHandle(Loop& loop, pid_t pid, ExitCallback on_exit);
  ~ProcessHandle() override;
  void OnClose() override;
  Result<void> Watch();
  void OnReady();

  pid_t pid_;
  bool exited_ = false;
  base::OwnedFd pidfd_;
  FdWatcher watcher_;
  HandlePtr<SignalHandle> child_signal_;  // where pidfds are not to be had
  ExitCallback on_exit_;
};

struct ProcessHandle::Spawned {
  HandlePtr<ProcessHandle> process;
  // One per stdio slot; valid where the slot was kPipe. Non-blocking, for PipeHandle::Open().
  std::vector<base::OwnedFd> pipes;
};

// kill(2) with Node's checks; signal 0 probes.
Result<void> KillProcess(pid_t pid, int signum);

}  // namespace gyre::loop

#endif  // GYRE_LOOP_PROCESS_H_
