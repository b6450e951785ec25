// V8's platform: worker threads for compiling and collecting, and a queue of foreground tasks for each isolate that wakes
// the isolate's loop.
#ifndef GYRE_ENGINE_PLATFORM_H_
#define GYRE_ENGINE_PLATFORM_H_

#include <atomic>
#include <functional>
#include <memory>

#include "engine/v8_prelude.h"

#include <libplatform/libplatform.h>
#include <v8-platform.h>

namespace gyre::engine {

class Platform : public v8::Platform {
 public:
  virtual ~Platform() = default;
  /// With 0 threads V8 must have been told `--single-threaded`.
  static std::unique_ptr<Platform> Create(int worker_threads);
  /// How many of `wanted` threads the system would give this process now.
  static int ThreadsToBeHad(int wanted);
  /// Where V8's trace events go; before Create. It outlives the platform.
  static void SetTracingController(v8::TracingController* controller);

  /// Main or worker thread, before Isolate::Initialize. `wake` is called from any thread when a task is posted.
  /// Returns a flag, good until UnregisterIsolate, that is false only while no foreground task waits or is due.
  virtual const std::atomic<bool>* RegisterIsolate(v8::Isolate* isolate, std::function<void()> wake) = 0;
  virtual void UnregisterIsolate(v8::Isolate* isolate) = 0;
  /// Runs the foreground tasks that are due; true if there were some. The isolate's thread.
  virtual bool RunForegroundTasks(v8::Isolate* isolate) = 0;
  /// Tasks that worker threads have yet to finish and that may post foreground tasks.
  virtual bool HasWorkerTasks() const = 0;
};

}  // namespace gyre::engine

#endif  // GYRE_ENGINE_PLATFORM_H_
