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
  std::thread thread;
  struct sigaction previous = {};
  bool stopping = false;

  static SigintWatch& Get() {
    static SigintWatch* watch = new SigintWatch;
    return *watch;
  }

  static void OnSignal(int) { sem_post(&Get().semaphore); }

  void Start() {
    sem_init(&semaphore, 0, 0);
    stopping = false;
    thread = std::thread([this] { Run(); });
    struct sigaction action = {};
    action.sa_handler = &OnSignal;
    sigfillset(&action.sa_mask);
    sigaction(SIGINT, &action, &previous);
  }

  void Run() {
    for (;;) {
      while (sem_wait(&semaphore) != 0) {
      }
      std::lock_guard lock(mutex);
      if (stopping) return;
      // The innermost is what the person at the keyboard sees running.
      if (!dogs.empty()) {
        dogs.back()->interrupted_ = true;
        dogs.back()->isolate_->TerminateExecution();
      }
    }
  }

  void Stop() {
    sigaction(SIGINT, &previous, nullptr);
    sem_post(&semaphore);
    thread.join();
    sem_destroy(&semaphore);
  }
};

SigintWatchdog::SigintWatchdog(v8::Isolate* isolate) : isolate_(isolate) {
  SigintWatch& watch = SigintWatch::Get();
  std::lock_guard lock(watch.mutex);
  if (watch.dogs.empty()) watch.Start();
  watch.dogs.push_back(this);
}

SigintWatchdog::~SigintWatchdog() {
  SigintWatch& watch = SigintWatch::Get();
  bool last;
  {
    std::lock_guard lock(watch.mutex);
    std::erase(watch.dogs, this);
    last = watch.dogs.empty();
    watch.stopping = last;
  }
  if (last) watch.Stop();
}

}  // namespace gyre::vm
