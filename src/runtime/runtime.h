// The composition of it all: process-wide V8, isolates, realms, the run of a program.
//
// Thread: as stated. Owner: main().
#ifndef GYRE_RUNTIME_RUNTIME_H_
#define GYRE_RUNTIME_RUNTIME_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/realm.h"
#include "loop/loop.h"

namespace gyre::runtime {

struct Options;

/// The options of this process; constant after main() parsed them.
const Options& ProcessOptions();
void SetProcessOptions(const Options& options);
/// What a program that is run asks of its process: its options, the room of its title, SIGUSR1. Main thread, before StartV8.
void SetUpProcess(int argc, char** argv, const Options& options);

/// V8 and its platform. Main thread, once.
void StartV8();
void StopV8();
v8::Platform* Platform();

/// An isolate with its loop and its realm, on the thread that made it: the main program's, or a worker's.
class Agent {
 public:
  struct Config {
    bool is_main_thread = true;
    uint32_t thread_id = 0;
    std::unique_ptr<v8::ResourceConstraints> constraints;  // may be null
    uintptr_t stack_limit = 0;                              // lowest address JavaScript may use; 0: V8's default
  };
  static base::Result<std::unique_ptr<Agent>> Create(Config config);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Runs the program (Hook::kMain), then the loop until nothing is left. Returns the exit status.
  int Run();
  /// Any thread: JavaScript stops, Run returns soon.
  void Terminate();
  bool terminated() const { return terminated_.load(std::memory_order_relaxed); }

  Realm& realm() { return *realm_; }
  loop::Loop& loop() { return *loop_; }
  v8::Isolate* isolate() { return isolate_; }
  static Agent* Of(Realm& realm);

  /// How the program ended, for a worker's parent.
  int exit_status() const { return exit_status_; }

  /// What process.exit does on this thread: ends the process, or only the worker.
  void Exit(int status);

 private:
  Agent() = default;
  int RunLoop();
  /// Waits, without running JavaScript, for what is in flight. False if something takes too long.
  bool FinishOperations();

  std::unique_ptr<loop::Loop> loop_;
  std::shared_ptr<v8::ArrayBuffer::Allocator> allocator_;
  v8::Isolate* isolate_ = nullptr;
  std::unique_ptr<Realm> realm_;
  std::atomic<bool> terminated_{false};
  int exit_status_ = 0;
};

/// Tells the workers that this realm started to end.
void StopWorkers(Realm& realm);

/// What a program without a snapshot inside starts from; `blob` has to stay. Before the first Agent.
void UseSnapshot(std::span<const char> blob);

/// Diagnostic reports hold those of the workers.
void InstallWorkerReports();

/// Makes the start-up snapshot and writes it to `file`. Exit status.
int BuildSnapshot(const std::string& file);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_RUNTIME_H_
