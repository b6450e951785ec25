// A worker's thread: what it and its parent share, and questions that the parent asks it while it is busy.
//
// Thread: ThreadState any, guarded by its mutex. Owner: shared by the parent's WorkerWrap and the thread.
#ifndef GYRE_RUNTIME_WORKER_THREAD_H_
#define GYRE_RUNTIME_WORKER_THREAD_H_

#include <memory>
#include <mutex>
#include <string>

#include "base/unique_function.h"
#include "loop/loop.h"
#include "runtime/runtime.h"
#include "web/message.h"

namespace gyre::runtime {

/// Indices of the resource limits array, as worker_threads lays it out.
enum Limit { kMaxYoungMb, kMaxOldMb, kCodeRangeMb, kStackMb, kLimitCount };

struct ThreadState {
  std::mutex mutex;
  Agent* agent = nullptr;  // while it runs
  bool stop_requested = false;
  bool out_of_memory = false;
  int start_error = 0;  // errno: why the thread could not begin
  int status = 0;
  uint32_t thread_id = 0;
  std::string name;
  double limits[kLimitCount] = {};
  std::unique_ptr<web::Message> startup;
  std::shared_ptr<loop::LoopRemote> parent;
};

/// Runs `work` once on the worker's thread: amid its JavaScript, which it must not enter, or between two events. False
/// if the worker does not run. When the worker ends first, `work` is dropped.
bool RunOnWorker(ThreadState& state, base::UniqueFunction<void(Realm&)> work);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_WORKER_THREAD_H_
