#include "engine/platform.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/start_pages.h"

namespace gyre::engine {

namespace {

class ForegroundQueue : public v8::TaskRunner {
 public:
  explicit ForegroundQueue(v8::Platform& clock, std::function<void()> wake) : clock_(clock), wake_(std::move(wake)) {}

  bool IdleTasksEnabled() override { return false; }
  bool NonNestableTasksEnabled() const override { return true; }
  bool NonNestableDelayedTasksEnabled() const override { return true; }

  /// Runs what is due, not what these tasks post in turn.
  bool Run() {
    std::vector<std::unique_ptr<v8::Task>> due;
    {
      std::lock_guard lock(mutex_);
      for (auto& task : tasks_) due.push_back(std::move(task));
      tasks_.clear();
      double now = clock_.MonotonicallyIncreasingTime();
      auto later = std::partition(delayed_.begin(), delayed_.end(), [&](const Delayed& d) { return d.at <= now; });
      for (auto it = delayed_.begin(); it != later; ++it) due.push_back(std::move(it->task));
      delayed_.erase(delayed_.begin(), later);
      if (delayed_.empty()) waiting_.store(false, std::memory_order_relaxed);
    }
    for (auto& task : due) task->Run();
    return !due.empty();
  }

  const std::atomic<bool>* waiting() const { return &waiting_; }

  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    wake_ = nullptr;
    tasks_.clear();
    delayed_.clear();
  }

 protected:
  void PostTaskImpl(std::unique_ptr<v8::Task> task, const v8::SourceLocation&) override { Post(std::move(task)); }
  void PostNonNestableTaskImpl(std::unique_ptr<v8::Task> task, const v8::SourceLocation&) override {
    Post(std::move(task));
  }
  void PostDelayedTaskImpl(std::unique_ptr<v8::Task> task, double seconds, const v8::SourceLocation&) override {
    PostDelayed(std::move(task), seconds);
  }
  void PostNonNestableDelayedTaskImpl(std::unique_ptr<v8::Task> task, double seconds,
                                      const v8::SourceLocation&) override {
    PostDelayed(std::move(task), seconds);
  }
  void PostIdleTaskImpl(std::unique_ptr<v8::IdleTask>, const v8::SourceLocation&) override {}

 private:
  struct Delayed {
    double at;
    std::unique_ptr<v8::Task> task;
  };

  void Post(std::unique_ptr<v8::Task> task) {
    std::function<void()> wake;
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      tasks_.push_back(std::move(task));
      waiting_.store(true, std::memory_order_release);
      wake = wake_;
    }
    if (wake) wake();
  }

  void PostDelayed(std::unique_ptr<v8::Task> task, double seconds) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    delayed_.push_back({clock_.MonotonicallyIncreasingTime() + seconds, std::move(task)});
    waiting_.store(true, std::memory_order_release);
  }

  v8::Platform& clock_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::deque<std::unique_ptr<v8::Task>> tasks_;
  std::vector<Delayed> delayed_;
  bool closed_ = false;
  std::atomic<bool> waiting_{false};
};

/// Counts tasks on worker threads, so that a loop with nothing else to do can wait for them.
class CountedTask : public v8::Task {
 public:
  CountedTask(std::unique_ptr<v8::Task> task, std::atomic<int>& count) : task_(std::move(task)), count_(count) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedTask() override { count_.fetch_sub(1, std::memory_order_release); }
  void Run() override { task_->Run(); }

 private:
  std::unique_ptr<v8::Task> task_;
  std::atomic<int>& count_;
};

v8::TracingController* tracing_controller = nullptr;

class PlatformImpl : public Platform {
 public:
  explicit PlatformImpl(int worker_threads)
      : base_(v8::platform::NewSingleThreadedDefaultPlatform()),
        pages_(NewStartPageAllocator(base_->GetPageAllocator())),
        worker_threads_(worker_threads) {}

  v8::PageAllocator* GetPageAllocator() override { return pages_.get(); }
  v8::ThreadIsolatedAllocator* GetThreadIsolatedAllocator() override { return base_->GetThreadIsolatedAllocator(); }
  int NumberOfWorkerThreads() override { return worker_threads_; }
  double MonotonicallyIncreasingTime() override { return base_->MonotonicallyIncreasingTime(); }
  double CurrentClockTimeMillis() override { return base_->CurrentClockTimeMillis(); }
  v8::TracingController* GetTracingController() override {
    return tracing_controller != nullptr ? tracing_controller : base_->GetTracingController();
  }

  std::shared_ptr<v8::TaskRunner> GetForegroundTaskRunner(v8::Isolate* isolate, v8::TaskPriority) override {
    return QueueOf(isolate);
  }

  std::unique_ptr<v8::JobHandle> CreateJobImpl(v8::TaskPriority priority, std::unique_ptr<v8::JobTask> job,
                                               const v8::SourceLocation&) override {
    return v8::platform::NewDefaultJobHandle(this, priority, std::move(job), NumberOfWorkerThreads());
  }
  void PostTaskOnWorkerThreadImpl(v8::TaskPriority priority, std::unique_ptr<v8::Task> task,
                                  const v8::SourceLocation&) override {
    Workers().CallOnWorkerThread(std::make_unique<CountedTask>(std::move(task), worker_tasks_));
  }
  void PostDelayedTaskOnWorkerThreadImpl(v8::TaskPriority, std::unique_ptr<v8::Task> task, double seconds,
                                         const v8::SourceLocation&) override {
    Workers().CallDelayedOnWorkerThread(std::move(task), seconds);
  }

  const std::atomic<bool>* RegisterIsolate(v8::Isolate* isolate, std::function<void()> wake) override {
    std::lock_guard lock(mutex_);
    auto& queue = queues_[isolate];
    queue = std::make_shared<ForegroundQueue>(*this, std::move(wake));
    return queue->waiting();
  }
  void UnregisterIsolate(v8::Isolate* isolate) override {
    std::shared_ptr<ForegroundQueue> queue;
    {
      std::lock_guard lock(mutex_);
      auto found = queues_.find(isolate);
      if (found == queues_.end()) return;
      queue = std::move(found->second);
      queues_.erase(found);
    }
    queue->Close();
  }
  bool RunForegroundTasks(v8::Isolate* isolate) override {
    std::shared_ptr<ForegroundQueue> queue = QueueOf(isolate);
    return queue != nullptr && queue->Run();
  }
  bool HasWorkerTasks() const override { return worker_tasks_.load(std::memory_order_acquire) > 0; }

 private:
  std::shared_ptr<ForegroundQueue> QueueOf(v8::Isolate* isolate) {
    std::lock_guard lock(mutex_);
    auto found = queues_.find(isolate);
    return found == queues_.end() ? nullptr : found->second;
  }

  /// Threads are started by the first task: most short programs never have one.
  v8::Platform& Workers() {
    std::call_once(workers_once_, [this] {
      // V8 crashes over a thread that it does not get; one is enough.
      const int threads = ThreadsToBeHad(worker_threads_);
      if (threads == 0) {
        std::fputs("gyre: the system gives this process no thread; --single-threaded does without\n", stderr);
        std::abort();
      }
      workers_ = v8::platform::NewDefaultPlatform(threads, v8::platform::IdleTaskSupport::kDisabled,
                                                  v8::platform::InProcessStackDumping::kDisabled);
    });
    return *workers_;
  }

  std::unique_ptr<v8::Platform> base_;
  std::unique_ptr<v8::PageAllocator> pages_;
  int worker_threads_;
  std::once_flag workers_once_;
  std::unique_ptr<v8::Platform> workers_;
  std::mutex mutex_;
  std::unordered_map<v8::Isolate*, std::shared_ptr<ForegroundQueue>> queues_;
  std::atomic<int> worker_tasks_{0};
};

}  // namespace

void Platform::SetTracingController(v8::TracingController* controller) { tracing_controller = controller; }

int Platform::ThreadsToBeHad(int wanted) {
  std::mutex gate;
  std::unique_lock closed(gate);
  std::vector<pthread_t> threads;
  for (int i = 0; i < wanted; i++) {
    pthread_t thread;
    const auto wait = [](void* mutex) -> void* {
      std::lock_guard lock(*static_cast<std::mutex*>(mutex));
      return nullptr;
    };
    if (pthread_create(&thread, nullptr, wait, &gate) != 0) break;
    threads.push_back(thread);
  }
  closed.unlock();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return static_cast<int>(threads.size());
}

std::unique_ptr<Platform> Platform::Create(int worker_threads) {
  return std::make_unique<PlatformImpl>(worker_threads);
}

}  // namespace gyre::engine
