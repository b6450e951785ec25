// binding('worker'): threads with an agent of their own. What they say to each other goes through message ports; this file starts
// and ends them.
//
// Thread: a WorkerWrap belongs to the parent's thread; WorkerThread's state is shared and guarded by its mutex.
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <variant>

#include "base/check.h"
#include "base/clock.h"
#include "bridge/module.h"
#include "modules/process/report.h"
#include "modules/v8/profiles.h"
#include "runtime/worker_messages.h"
#include "runtime/worker_thread.h"

namespace gyre::runtime {

namespace {

constexpr size_t kDefaultStackBytes = 4 << 20;
constexpr size_t kLeastStackBytes = 512 << 10;  // what starting a realm takes
constexpr size_t kStackReserve = 192 << 10;  // for native frames below the limit that JavaScript sees

std::atomic<uint32_t> next_thread_id{1};

struct WorkerSlot {
  explicit WorkerSlot(Realm&) {}
  std::shared_ptr<ThreadState> state;
};

size_t StackBytes(const ThreadState& state) {
  if (!(state.limits[kStackMb] > 0)) return kDefaultStackBytes;
  return std::max(kLeastStackBytes, static_cast<size_t>(std::min(state.limits[kStackMb], 4096.0) * (1 << 20)));
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

/// Below this V8 cannot even start: it would end the process. A worker with less is ended as soon as it is there.
constexpr double kLeastOldMb = 8;

bool IsAboveItsLimit(const ThreadState& state, v8::Isolate* isolate) {
  if (state.limits[kMaxOldMb] <= 0 || state.limits[kMaxOldMb] >= kLeastOldMb) return false;
  v8::HeapStatistics heap;
  isolate->GetHeapStatistics(&heap);
  return static_cast<double>(heap.total_heap_size()) > state.limits[kMaxOldMb] * (1 << 20);
}

std::unique_ptr<v8::ResourceConstraints> Constraints(ThreadState& state) {
  auto constraints = std::make_unique<v8::ResourceConstraints>();
  constexpr double kMb = 1 << 20;
  bool any = false;
  if (state.limits[kMaxOldMb] > 0) {
    double megabytes = std::max(state.limits[kMaxOldMb], kLeastOldMb);
    constraints->set_max_old_generation_size_in_bytes(static_cast<size_t>(megabytes * kMb));
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
  if (!created.has_value()) {
    state->start_error = created.error().err;
    return 1;
  }
  std::unique_ptr<Agent> agent = std::move(*created);
  agent->realm().Slot<WorkerSlot>().state = state;
  AttachThread(agent->realm());
  agent->isolate()->AddNearHeapLimitCallback(&OnNearHeapLimit, state.get());
  bool run = false;
  {
    std::lock_guard lock(state->mutex);
    if (IsAboveItsLimit(*state, agent->isolate())) state->out_of_memory = true;
    run = !state->stop_requested && !state->out_of_memory;
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
  // Not the address of a local: under ASan those may lie elsewhere.
  auto top = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t limit = top - (StackBytes(*argument->state) - kStackReserve);
  int status = RunAgent(argument->state, limit);
  ForgetThread(argument->state->thread_id);
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
    AnnounceThread(state_->thread_id);
    auto* argument = new StartArgument{state_, [self = self_] {
                                         if (*self != nullptr) (*self)->OnExit();
                                       }};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, StackBytes(*state_));
    int error = pthread_create(&thread_, &attributes, &ThreadMain, argument);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      ForgetThread(state_->thread_id);
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
  /// On 'exit' still what it was; undefined after that.
  v8::Local<v8::Value> HasRef(Js& js) {
    if (finished_) return js.Undefined();
    return js.Bool(joined_ ? held_loop_ : holds_loop_);
  }

  void SetName(Js&, std::string name) { state_->name = std::move(name); }

  /// ask(what, argument, callback): the callback gets what the thread answers: numbers, text, or null. False, and no
  /// callback, if the thread does not run. Questions that its end leaves open are never answered.
  bool Ask(Js& js, std::string what, uint32_t argument, v8::Local<v8::Function> callback) {
    uint32_t id = next_question_++;
    bool sent = RunOnWorker(*state_, [what, argument, id, self = self_, parent = state_->parent](Realm& realm) {
      parent->Post([answer = AnswerOf(realm, what, argument), id, self]() mutable {
        if (*self != nullptr) (*self)->OnAnswer(id, std::move(answer));
      });
    });
    if (sent) questions_[id].Reset(js.isolate, callback);
    return sent;
  }

  /// [milliseconds since the thread's loop began, milliseconds that it waited]; zeros while there is none.
  v8::Local<v8::Array> LoopTimes(Js& js) {
    double times[2] = {0, 0};
    std::lock_guard lock(state_->mutex);
    if (state_->agent != nullptr) {
      const loop::LoopActivity& activity = state_->agent->loop().activity();
      uint64_t now = base::MonotonicNanos();
      uint64_t started = activity.started_ns.load(std::memory_order_relaxed);
      uint64_t waits_since = activity.waits_since_ns.load(std::memory_order_relaxed);
      uint64_t idle = activity.idle_ns.load(std::memory_order_relaxed) + (waits_since != 0 ? now - waits_since : 0);
      if (started != 0) times[0] = static_cast<double>(now - started) / 1e6;
      if (started != 0) times[1] = static_cast<double>(idle) / 1e6;
    }
    v8::Local<v8::Value> values[] = {js.Num(times[0]), js.Num(times[1])};
    return v8::Array::New(js.isolate, values, 2);
  }

  const std::shared_ptr<ThreadState>& state() const { return state_; }

  void Stop() {
    std::lock_guard lock(state_->mutex);
    state_->stop_requested = true;
    if (state_->agent != nullptr) state_->agent->Terminate();
  }

 private:
  using Answer = std::variant<std::monostate, std::vector<double>, std::string>;

  static Answer AnswerOf(Realm& realm, const std::string& what, uint32_t argument) {
    v8::Isolate* isolate = realm.isolate();
    if (what == "heapStatistics") return HeapNumbers(isolate);
    if (what == "heapSnapshot") return modules::HeapSnapshotJson(isolate, (argument & 1) != 0, (argument & 2) != 0);
    if (what == "cpuUsage") {
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      auto micros = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
      return std::vector<double>{micros(usage.ru_utime), micros(usage.ru_stime)};
    }
    if (what == "startCpuProfile") return std::vector<double>{modules::BeginCpuProfile(realm)};
    if (what == "startHeapProfile") return std::vector<double>{modules::BeginHeapProfile(isolate) ? 1.0 : 0.0};
    std::optional<std::string> text;
    if (what == "stopCpuProfile") text = modules::EndCpuProfile(realm, argument);
    if (what == "stopHeapProfile") text = modules::EndHeapProfile(isolate);
    return text ? Answer(std::move(*text)) : Answer();
  }

  static std::vector<double> HeapNumbers(v8::Isolate* isolate) {
    v8::HeapStatistics heap;
    isolate->GetHeapStatistics(&heap);
    const size_t numbers[] = {
        heap.total_heap_size(),          heap.total_heap_size_executable(),  heap.total_physical_size(),
        heap.total_available_size(),     heap.used_heap_size(),              heap.heap_size_limit(),
        heap.malloced_memory(),          heap.peak_malloced_memory(),        heap.does_zap_garbage(),
        heap.number_of_native_contexts(), heap.number_of_detached_contexts(), heap.total_global_handles_size(),
        heap.used_global_handles_size(), heap.external_memory()};
    return std::vector<double>(std::begin(numbers), std::end(numbers));
  }

  void OnAnswer(uint32_t id, Answer answer) {
    auto found = questions_.find(id);
    if (found == questions_.end()) return;
    bridge::JsScope scope(realm());
    Js& js = scope.js();
    v8::Local<v8::Function> callback = found->second.Get(js.isolate);
    questions_.erase(found);
    v8::Local<v8::Value> value = js.Null();
    if (const auto* numbers = std::get_if<std::vector<double>>(&answer)) {
      v8::Local<v8::Array> array = v8::Array::New(js.isolate, static_cast<int>(numbers->size()));
      for (uint32_t i = 0; i < numbers->size(); i++) js.Set(array, i, js.Num((*numbers)[i]));
      value = array;
    } else if (const auto* text = std::get_if<std::string>(&answer)) {
      v8::Local<v8::Object> buffer;
      std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text->data()), text->size());
      if (engine::MakeBuffer(js, bytes).ToLocal(&buffer)) value = buffer;
    }
    (void)bridge::Call(js, callback, js.Undefined(), 1, &value);
  }

  void Join() {
    if (!running_) return;
    pthread_join(thread_, nullptr);
    running_ = false;
    joined_ = true;
    held_loop_ = holds_loop_;
    if (holds_loop_) realm().loop().DropKeepAlive();
    holds_loop_ = false;
  }

  void OnExit() {
    Join();
    bridge::JsScope scope(realm());
    Js& js = scope.js();
    questions_.clear();
    v8::Local<v8::Value> argv[] = {js.Int(state_->status), js.Bool(state_->out_of_memory),
                                   js.Int(-state_->start_error)};
    v8::Local<v8::Object> self = object();
    Unpin();
    (void)bridge::CallMethod(js, self, "onexit", 3, argv);
    finished_ = true;  // `self` keeps this alive so far
  }

  std::shared_ptr<ThreadState> state_ = std::make_shared<ThreadState>();
  std::shared_ptr<WorkerWrap*> self_ = std::make_shared<WorkerWrap*>(this);
  std::unordered_map<uint32_t, v8::Global<v8::Function>> questions_;
  uint32_t next_question_ = 0;
  pthread_t thread_{};
  bool running_ = false;
  bool joined_ = false;
  bool holds_loop_ = false;
  bool held_loop_ = false;  // when the thread ended
  bool finished_ = false;
};

void StopWorkers(Realm& realm) {
  for (WorkerWrap* worker : realm.Slot<WorkerList>().all) worker->Stop();
}

namespace {

/// Reports of the workers of `realm`. One that does not come to it in time (it waits in a system call) is left out.
std::vector<std::string> ReportWorkers(Realm& realm, const std::string& trigger) {
  constexpr auto kPatience = std::chrono::seconds(2);
  struct Collected {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> texts;
  };
  auto collected = std::make_shared<Collected>();
  size_t asked = 0;
  for (WorkerWrap* worker : realm.Slot<WorkerList>().all) {
    std::string event = "Worker thread subreport [" + worker->state()->name + "]";
    bool sent = RunOnWorker(*worker->state(), [collected, event, trigger](Realm& theirs) {
      std::string text = modules::MakeReport(theirs.isolate(), {.event = event, .trigger = trigger, .filename = "", .stack = {}});
      std::lock_guard lock(collected->mutex);
      collected->texts.push_back(std::move(text));
      collected->changed.notify_one();
    });
    if (sent) asked++;
  }
  std::unique_lock lock(collected->mutex);
  collected->changed.wait_for(lock, kPatience, [&] { return collected->texts.size() == asked; });
  return std::move(collected->texts);
}

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

/// The main thread can be written to once it has workers.
void AttachThisThread(Js& js) { AttachThread(js.realm); }

constexpr NativeFunction kMethods[] = {
    RawMethod<&WorkerWrap::Start>("start"),     Method<&WorkerWrap::Terminate>("terminate"),
    Method<&WorkerWrap::ThreadId>("threadId"),  Method<&WorkerWrap::Ref>("ref"),
    Method<&WorkerWrap::Unref>("unref"),        Method<&WorkerWrap::HasRef>("hasRef"),
    Method<&WorkerWrap::SetName>("setName"),    Method<&WorkerWrap::Ask>("ask"),
    Method<&WorkerWrap::LoopTimes>("loopTimes"),
};
constexpr NativeFunction kFunctions[] = {
    Fn<&TakeStartupData>("takeStartupData"),
    Fn<&ResourceLimits>("resourceLimits"),
    RawFn("postToThread", &PostToThread, 4),
    Fn<&GiveUp>("giveUp"),
    Fn<&AttachThisThread>("attachThisThread"),
};
const NativeClass* const kClasses[] = {&WorkerWrap::kClass};

}  // namespace

const NativeClass WorkerWrap::kClass = {.name = "WorkerImpl", .construct = &Construct, .methods = kMethods};

extern const NativeModule kWorkerModule;
const NativeModule kWorkerModule = {.name = "worker", .functions = kFunctions, .classes = kClasses};

void InstallWorkerReports() { modules::SetWorkerReports(&ReportWorkers); }

}  // namespace gyre::runtime
