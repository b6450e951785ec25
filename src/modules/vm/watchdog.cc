#include "modules/vm/watchdog.h"

#include <semaphore.h>
#include <signal.h>

#include <chrono>
#include <vector>

namespace gyre::vm {

Watchdog::Watchdog(v8::Isolate* isolate, uint32_t milliseconds) {
  thread_ = std::thread([this, isolate, milliseconds] {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return done_; })) return;
    timed_out_ = true;
    isolate->TerminateExecution();
  });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

// The one handler of the process and the thread that it wakes: a signal handler itself may do next to nothing.
struct SigintWatch {
  std::mutex mutex;
  std::vector<SigintWatchdog*> dogs;
  sem_t semaphore;
  struct sigaction previous = {};

  SigintWatch() {
    sem_init(&semaphore, 0, 0);
    std::thread([this] { Run(); }).detach();
  }
  // Made once, with its thread, and never destroyed.
  static SigintWatch& Get() {
    static SigintWatch* watch = new SigintWatch;
    return *watch;
  }

  static void OnSignal(int) { sem_post(&Get().semaphore); }

  [[noreturn]] void Run() {
    for (;;) {
      while (sem_wait(&semaphore) != 0) {
      }
      std::lock_guard lock(mutex);
      // The innermost is what the person at the keyboard sees running.
      if (dogs.empty()) continue;
      dogs.back()->interrupted_ = true;
      dogs.back()->isolate_->TerminateExecution();
    }
  }
};

SigintWatchdog::SigintWatchdog(v8::Isolate* isolate) : isolate_(isolate) {
  SigintWatch& watch = SigintWatch::Get();
  std::lock_guard lock(watch.mutex);
  watch.dogs.push_back(this);
  if (watch.dogs.size() > 1) return;
  struct sigaction action = {};
  action.sa_handler = &SigintWatch::OnSignal;
  sigfillset(&action.sa_mask);
  sigaction(SIGINT, &action, &watch.previous);
}

SigintWatchdog::~SigintWatchdog() {
  SigintWatch& watch = SigintWatch::Get();
  std::lock_guard lock(watch.mutex);
  std::erase(watch.dogs, this);
  if (watch.dogs.empty()) sigaction(SIGINT, &watch.previous, nullptr);
}

RunLimit::RunLimit(v8::Isolate* isolate, uint32_t milliseconds, bool breaks_on_sigint) : milliseconds_(milliseconds) {
  if (milliseconds > 0) time_.emplace(isolate, milliseconds);
  if (breaks_on_sigint) sigint_.emplace(isolate);
}

bool RunLimit::WasHit(const engine::Js& js) {
  bool timed_out = time_ && time_->timed_out();
  bool interrupted = sigint_ && sigint_->interrupted();
  time_.reset();
  sigint_.reset();
  if (!timed_out && !interrupted) return false;
  // The end that was asked for may have come after the run's own.
  js.isolate->CancelTerminateExecution();
  if (timed_out) {
    js.Throw("ERR_SCRIPT_EXECUTION_TIMEOUT",
             "Script execution timed out after " + std::to_string(milliseconds_) + "ms");
  } else {
    js.Throw("ERR_SCRIPT_EXECUTION_INTERRUPTED");
  }
  return true;
}

}  // namespace gyre::vm
