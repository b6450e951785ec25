// binding('worker'): threads with an agent of their own. What they say to each other goes through message ports; this file starts
// and ends them.
//
// Thread: a WorkerWrap belongs to the parent's thread; WorkerThread's state is shared and guarded by its mutex.
#include <pthread.h>

#include <atomic>
#include <mutex>

#include "base/check.h"
#include "bridge/module.h"
#include "loop/loop.h"
#include "runtime/runtime.h"
#include "web/message.h"

namespace gyre::runtime {

namespace {

constexpr size_t kDefaultStackBytes = 4 << 20;
constexpr size_t kStackReserve = 192 << 10;  // for native frames below the limit that JavaScript sees

std::atomic<uint32_t> next_thread_id{1};

/// Indices of the resource limits array, as worker_threads lays it out.
enum Limit { kMaxYoungMb, kMaxOldMb, kCodeRangeMb, kStackMb, kLimitCount };

/// What the parent and the thread share.
struct ThreadState {
  std::mutex mutex;
  Agent* agent = nullptr;        // while it runs
  bool stop_requested = false;
  bool out_of_memory = false;
  int status = 0;
  uint32_t thread_id = 0;
  double limits[kLimitCount] = {};
  std::unique_ptr<web::Message> startup;
  std::shared_ptr<loop::LoopRemote> parent;
};

struct WorkerSlot {
  explicit WorkerSlot(Realm&) {}
  std::shared_ptr<ThreadState> state;
};

size_t StackBytes(const ThreadState& state) {
  return state.limits[kStackMb] > 0 ? static_cast<size_t>(state.limits[kStackMb] * (1 << 20)) : kDefaultStackBytes;
}

/// The heap is nearly full: the worker ends, and gets a little room to do so.
size_t OnNearHeapLimit(void* data, size_t current, size_t) {
  auto* state = static_cast<ThreadState*>(data);
  {
    std::lock_guard lock(state->mutex);
    state->out_of_memory = true;
    if (state->agent != nullptr) state->agent->Terminate();
  }
  return current + (64u << 20);
}

std::unique_ptr<v8::ResourceConstraints> Constraints(ThreadState& state) {
  auto constraints = std::make_unique<v8::ResourceConstraints>();
  constexpr double kMb = 1 << 20;
  bool any = false;
  if (state.limits[kMaxOldMb] > 0) {
    constraints->set_max_old_generation_size_in_bytes(static_cast<size_t>(state.limits[kMaxOldMb] * kMb));
    any = true;
  }
  if (state.limits[kMaxYoungMb] > 0) {
    constraints->set_max_young_generation_size_in_bytes(static_cast<size_t>(state.limits[kMaxYoungMb] * kMb));
    any = true;
  }
  if (state.limits[kCodeRangeMb] > 0) {
    constraints->set_code_range_size_in_bytes(static_cast<size_t>(state.limits[kCodeRangeMb] * kMb));
    any = true;
  }
  return any ? std::move(constraints) : nullptr;
}

int RunAgent(const std::shared_ptr<ThreadState>& state, uintptr_t stack_limit) {
  base::Result<std::unique_ptr<Agent>> created = Agent::Create({.is_main_thread = false,
                                                                .thread_id = state->thread_id,
                                                                .constraints = Constraints(*state),
                                                                .stack_limit = stack_limit});
  if (!created.has_value()) return 1;
  std::unique_ptr<Agent> agent = std::move(*created);
  agent->realm().Slot<WorkerSlot>().state = state;
  agent->isolate()->AddNearHeapLimitCallback(&OnNearHeapLimit, state.get());
  bool run = false;
  {
    std::lock_guard lock(state->mutex);
    run = !state->stop_requested;
    if (run) state->agent = agent.get();
  }
  int status = run ? agent->Run() : 1;
  bool terminated = false;
  {
    std::lock_guard lock(state->mutex);
    state->agent = nullptr;
    terminated = agent->terminated();
  }
  return terminated ? 1 : status;
}

struct StartArgument {
  std::shared_ptr<ThreadState> state;
  base::UniqueFunction<void()> exited;
};

void* ThreadMain(void* pointer) {
  std::unique_ptr<StartArgument> argument(static_cast<StartArgument*>(pointer));
  char here = 0;
  auto top = reinterpret_cast<uintptr_t>(&here);
  uintptr_t limit = top - (StackBytes(*argument->state) - kStackReserve);
  int status = RunAgent(argument->state, limit);
  argument->state->status = status;
  argument->state->parent->Post(std::move(argument->exited));
  return nullptr;
}

}  // namespace

class WorkerWrap;

namespace {
struct WorkerList {
  explicit WorkerList(Realm&) {}
  std::vector<WorkerWrap*> all;
};
}  // namespace

class WorkerWrap : public Wrap {
 public:
  static const NativeClass kClass;

  WorkerWrap(Js& js, v8::Local<v8::Object> object) : Wrap(js.realm, object, &kClass) {
    state_->thread_id = next_thread_id++;
    state_->parent = js.realm.loop().remote();
    js.realm.Slot<WorkerList>().all.push_back(this);
  }

  ~WorkerWrap() override {
    *self_ = nullptr;
    std::erase(realm().Slot<WorkerList>().all, this);
    Stop();
    Join();
  }

  uint32_t ThreadId(Js&) { return state_->thread_id; }

  /// start(data, transferList, limits): 0 or a negative errno; throws if `data` cannot be cloned.
  void Start(Js& js, const Info& info) {
    if (running_ || joined_) return js.ThrowError("the worker was started already");
    state_->startup = web::Serialize(js, info[0], info[1], nullptr);
    if (state_->startup == nullptr) return;
    if (std::optional<BufferView> limits = BytesOf(info[2]); limits && limits->size() == sizeof state_->limits) {
      memcpy(state_->limits, limits->data(), sizeof state_->limits);
    }
    auto* argument = new StartArgument{state_, [self = self_] {
                                         if (*self != nullptr) (*self)->OnExit();
                                       }};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, StackBytes(*state_));
    int error = pthread_create(&thread_, &attributes, &ThreadMain, argument);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      delete argument;
      return info.GetReturnValue().Set(-error);
    }
    running_ = true;
    Pin();
    realm().loop().AddKeepAlive();
    holds_loop_ = true;
    info.GetReturnValue().Set(0);
  }

  void Terminate(Js&) { Stop(); }

  void Ref(Js&) {
    if (!running_ || holds_loop_) return;
    realm().loop().AddKeepAlive();
    holds_loop_ = true;
  }
  void Unref(Js&) {
    if (!holds_loop_) return;
    realm().loop().DropKeepAlive();
    holds_loop_ = false;
  }
  bool HasRef(Js&) { return holds_loop_; }

  void Stop() {
    std::lock_guard lock(state_->mutex);
    state_->stop_requested = true;
    if (state_->agent != nullptr) state_->agent->Terminate();
  }

 private:
  void Join() {
    if (!running_) return;
    pthread_join(thread_, nullptr);
    running_ = false;
    joined_ = true;
    if (holds_loop_) realm().loop().DropKeepAlive();
    holds_loop_ = false;
  }

  void OnExit() {
    Join();
    bridge::JsScope scope(realm());
    Js& js = scope.js();
    v8::Local<v8::Value> argv[] = {js.Int(state_->status), js.Bool(state_->out_of_memory)};
    v8::Local<v8::Object> self = object();
    Unpin();
    (void)bridge::CallMethod(js, self, "onexit", 2, argv);
  }

  std::shared_ptr<ThreadState> state_ = std::make_shared<ThreadState>();
  std::shared_ptr<WorkerWrap*> self_ = std::make_shared<WorkerWrap*>(this);
  pthread_t thread_{};
  bool running_ = false;
  bool joined_ = false;
  bool holds_loop_ = false;
};

void StopWorkers(Realm& realm) {
  for (WorkerWrap* worker : realm.Slot<WorkerList>().all) worker->Stop();
}

namespace {

void Construct(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", "Worker");
  new WorkerWrap(js, info.This());
}

/// In a worker: what the parent passed to start(). Once.
v8::MaybeLocal<v8::Value> TakeStartupData(Js& js) {
  std::shared_ptr<ThreadState> state = js.realm.Slot<WorkerSlot>().state;
  if (state == nullptr || state->startup == nullptr) return js.Undefined().As<v8::Value>();
  std::unique_ptr<web::Message> message = std::move(state->startup);
  return web::Deserialize(js, *message, nullptr);
}

/// In a worker: the limits that hold, as the array of start().
v8::Local<v8::Value> ResourceLimits(Js& js) {
  std::shared_ptr<ThreadState> state = js.realm.Slot<WorkerSlot>().state;
  v8::Local<v8::Array> limits = v8::Array::New(js.isolate, kLimitCount);
  v8::HeapStatistics heap;
  js.isolate->GetHeapStatistics(&heap);
  const double defaults[kLimitCount] = {48, static_cast<double>(heap.heap_size_limit() >> 20), 0, 4};
  for (uint32_t i = 0; i < kLimitCount; i++) {
    double value = state != nullptr && state->limits[i] > 0 ? state->limits[i] : defaults[i];
    js.Set(limits, i, js.Num(value));
  }
  return limits;
}

constexpr NativeFunction kMethods[] = {
    RawMethod<&WorkerWrap::Start>("start"),     Method<&WorkerWrap::Terminate>("terminate"),
    Method<&WorkerWrap::ThreadId>("threadId"),  Method<&WorkerWrap::Ref>("ref"),
    Method<&WorkerWrap::Unref>("unref"),        Method<&WorkerWrap::HasRef>("hasRef"),
};
constexpr NativeFunction kFunctions[] = {
    Fn<&TakeStartupData>("takeStartupData"),
    Fn<&ResourceLimits>("resourceLimits"),
};
const NativeClass* const kClasses[] = {&WorkerWrap::kClass};

}  // namespace

const NativeClass WorkerWrap::kClass = {.name = "WorkerImpl", .construct = &Construct, .methods = kMethods};

extern const NativeModule kWorkerModule;
const NativeModule kWorkerModule = {.name = "worker", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::runtime
