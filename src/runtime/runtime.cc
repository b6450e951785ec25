#include "runtime/runtime.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <cppgc/platform.h>

#include "base/check.h"
#include "base/clock.h"
#include "bridge/js_scope.h"
#include "bridge/task_queue.h"
#include "bridge/timers.h"
#include "modules/crypto/ossl.h"
#include "modules/http/native_server.h"
#include "modules/inspector/inspector.h"
#include "modules/inspector/remote.h"
#include "modules/perf_hooks/perf_hooks.h"
#include "modules/process/env.h"
#include "modules/sqlite/open_connections.h"
#include "modules/trace_events/tracer.h"
#include "runtime/options.h"
#include "engine/platform.h"
#include "runtime/builtins.h"
#include "runtime/code_cache.h"
#include "runtime/isolate_setup.h"
#include "runtime/modules.h"
#include "web/storage.h"

// Of Abseil inside V8's library, whose headers do not come with it.
namespace absl {
enum class OnDeadlockCycle { kIgnore, kReport, kAbort };
void SetMutexDeadlockDetectionMode(OnDeadlockCycle mode);
}  // namespace absl

namespace gyre::runtime {

namespace {

const Options* process_options = nullptr;
std::unique_ptr<engine::Platform> platform;

constexpr int kWorkerThreads = 2;
constexpr int kHooksDataIndex = 0;

std::span<const char> snapshot_from_file;

v8::StartupData SnapshotData() {
  std::span<const char> blob = EmbeddedSnapshot();
  if (blob.empty()) blob = snapshot_from_file;
  return {blob.data(), static_cast<int>(blob.size())};
}

struct AgentSlot {
  explicit AgentSlot(Realm&) {}
  Agent* agent = nullptr;
};

}  // namespace

const Options& ProcessOptions() { return *process_options; }
void SetProcessOptions(const Options& options) {
  process_options = &options;
  auto text = [&](const char* name) {
    auto found = options.strings.find(name);
    return found == options.strings.end() ? std::string() : found->second;
  };
  auto flag = options.flags.find("--openssl-legacy-provider");
  crypto::OpenSslOptions openssl;
  openssl.secure_heap = strtoul(text("--secure-heap").c_str(), nullptr, 10);
  openssl.secure_heap_min = std::max<size_t>(2, strtoul(text("--secure-heap-min").c_str(), nullptr, 10));
  openssl.legacy_provider = flag != options.flags.end() && flag->second;
  openssl.config_file = text("--openssl-config");
  crypto::SetOpenSslOptions(std::move(openssl));
}

void SetUpProcess(int argc, char** argv, const Options& options) {
  SetProcessOptions(options);
  modules::SetCommandLine(argc, argv);
  auto found = options.flags.find("--disable-sigusr1");
  if (found == options.flags.end() || !found->second) modules::CatchDebugSignal();
}

v8::Platform* Platform() { return platform.get(); }

/// Threads for V8: none where the user may have no more.
static int WorkerThreads() {
  constexpr rlim_t kAmple = 1024;
  rlimit limit;
  auto asked = process_options->strings.find("--v8-pool-size");
  if (asked != process_options->strings.end()) {
    // At least one: compilations of WebAssembly are waited for.
    return std::clamp(atoi(asked->second.c_str()), 1, 64);
  }
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur >= kAmple) return kWorkerThreads;
  return engine::Platform::ThreadsToBeHad(kWorkerThreads);
}

void StartV8() {
  RegisterNativeModules();
  InstallWorkerReports();
  modules::MarkV8Start();
  // The blob is part of this program: its checksum tells nothing. Baseline code is made in less time than a thread starts.
  v8::V8::SetFlagsFromString("--no-verify-snapshot-checksum --no-freeze-flags-after-init --no-concurrent-sparkplug --js-source-phase-imports");
  engine::Platform::SetTracingController(&modules::Tracer::Get());
  // Before the first lock: its detection of deadlocks would clear a megabyte.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // V8's own way reads 4 KiB of /dev/urandom through stdio, three times.
  v8::V8::SetEntropySource([](unsigned char* out, size_t size) {
    return getrandom(out, size, 0) == static_cast<ssize_t>(size);
  });
  const int workers = WorkerThreads();
  if (workers == 0) v8::V8::SetFlagsFromString("--single-threaded");
  platform = engine::Platform::Create(workers);
  v8::V8::InitializePlatform(platform.get());
  cppgc::InitializeProcess(platform->GetPageAllocator());
  v8::V8::Initialize();
}

void StopV8() {
  v8::V8::Dispose();
  v8::V8::DisposePlatform();
  platform.reset();
}

base::Result<std::unique_ptr<Agent>> Agent::Create(Config config) {
  std::unique_ptr<Agent> agent(new Agent);
  base::Result<std::unique_ptr<loop::Loop>> loop = loop::Loop::Create();
  if (!loop.has_value()) return base::Err(loop.error());
  agent->loop_ = std::move(*loop);
  // Shared: memory of buffers may outlive the isolate, in messages and on lanes.
  agent->allocator_.reset(v8::ArrayBuffer::Allocator::NewDefaultAllocator());

  static v8::StartupData blob = SnapshotData();
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator_shared = agent->allocator_;
  params.external_references = engine::ExternalReferences();
  if (config.constraints != nullptr) params.constraints = *config.constraints;
  bool from_snapshot = blob.raw_size > 0;
  if (from_snapshot) params.snapshot_blob = &blob;

  v8::Isolate* isolate = v8::Isolate::Allocate();
  agent->isolate_ = isolate;
  std::shared_ptr<loop::LoopRemote> remote = agent->loop_->remote();
  const std::atomic<bool>* tasks_wait = platform->RegisterIsolate(isolate, [remote] { remote->Wake(); });
  v8::Isolate::Initialize(isolate, params);
  if (config.stack_limit != 0) isolate->SetStackLimit(config.stack_limit);
  SetUpIsolate(isolate);

  v8::Isolate::Scope isolate_scope(isolate);
  v8::HandleScope handles(isolate);
  agent->realm_ = std::make_unique<Realm>(isolate, agent->loop_.get());
  Realm& realm = *agent->realm_;
  realm.is_main_thread = config.is_main_thread;
  realm.thread_id = config.thread_id;
  realm.from_snapshot = from_snapshot;
  v8::Local<v8::Context> context;
  if (from_snapshot) {
    CHECK(v8::Context::FromSnapshot(isolate, 0).ToLocal(&context));
    v8::Local<v8::Array> hooks;
    CHECK(context->GetDataFromSnapshotOnce<v8::Array>(kHooksDataIndex).ToLocal(&hooks));
    realm.Attach(context, hooks);
  } else {
    context = v8::Context::New(isolate);
    v8::Context::Scope inside(context);  // arrays are made in a context
    realm.Attach(context, v8::Array::New(isolate, static_cast<int>(Hook::kCount)));
  }
  v8::Context::Scope context_scope(context);
  realm.Slot<AgentSlot>().agent = agent.get();
  if (!from_snapshot && !Bootstrap(realm)) _exit(7);
  bridge::AttachTimers(realm);
  modules::MarkMilestone(realm, modules::Milestone::kEnvironment);
  Realm* realm_pointer = &realm;
  agent->loop_->SetPrepareHook([realm_pointer, isolate, tasks_wait] {
    if (realm_pointer->is_main_thread) modules::HeedDebugSignal(*realm_pointer);
    if (!tasks_wait->load(std::memory_order_acquire) || realm_pointer->terminating) return;
    bridge::JsScope scope(*realm_pointer);
    platform->RunForegroundTasks(isolate);
  });
  return agent;
}

bool Agent::FinishOperations() {
  constexpr uint64_t kPatienceNs = 10'000'000'000;
  realm_->terminating = true;
  StopWorkers(*realm_);
  loop_->SetPrepareHook({});
  loop_->SetCheckHook({});
  loop_->StopJsTimer();
  uint64_t deadline = base::MonotonicNanos() + kPatienceNs;
  while (loop_->operations() > 0) {
    if (base::MonotonicNanos() > deadline) return false;
    if (!loop_->Run(loop::RunMode::kNoWait)) break;
    usleep(200);
  }
  return true;
}

Agent::~Agent() {
  if (realm_ == nullptr) return;
  bool finished = false;
  {
    v8::Isolate::Scope isolate_scope(isolate_);
    v8::HandleScope handles(isolate_);
    finished = FinishOperations();
    if (finished) {
      realm_.reset();
      loop_.reset();
    }
  }
  platform->UnregisterIsolate(isolate_);
  if (finished) {
    isolate_->Dispose();
    return;
  }
  // Something in flight cannot be waited for (a lane blocked in a system call): what it refers to has to stay.
  (void)realm_.release();
  (void)loop_.release();
}

Agent* Agent::Of(Realm& realm) { return realm.Slot<AgentSlot>().agent; }

void Agent::Terminate() {
  terminated_.store(true, std::memory_order_relaxed);
  // Once the JavaScript that runs now has been left, V8 knows no more of the termination. Should anything be entered again before
  // the loop has stopped, a tick or a callback's, this ends it for good.
  isolate_->RequestInterrupt(
      [](v8::Isolate* isolate, void* data) {
        static_cast<Agent*>(data)->realm_->terminating = true;
        isolate->TerminateExecution();
      },
      this);
  isolate_->TerminateExecution();
  loop_->remote()->Post([this] { loop_->Stop(); });
}

void Agent::Exit(int status) {
  exit_status_ = status;
  if (realm_->is_main_thread) {
    modules::FlushHttpAnswers(*realm_);
    modules::Tracer::Get().Flush();
    fflush(stdout);
    fflush(stderr);
    _exit(status);
  }
  realm_->terminating = true;
  isolate_->TerminateExecution();
  loop_->Stop();
}

int Agent::Run() {
  // Entered once: V8 takes a lock to enter an isolate that is not current, which each callback would pay.
  v8::Isolate::Scope isolate_scope(isolate_);
  {
    bridge::JsScope scope(*realm_);
    if (realm_->is_main_thread) {
      modules::AttachInspector(*realm_, process_options->argv0 + "[" + std::to_string(getpid()) + "]");
    }
    v8::Local<v8::Function> main = realm_->hook_function(Hook::kMain);
    CHECK(!main.IsEmpty());
    modules::MarkMilestone(*realm_, modules::Milestone::kBootstrapComplete);
    // The program itself is the first asynchronous resource: id 1, triggered by nothing.
    double* ids = realm_->Slot<bridge::AsyncIds>().fields;
    ids[bridge::kExecutionAsyncId] = ids[bridge::kAsyncIdCounter] = 1;
    ids[bridge::kTriggerAsyncId] = 0;
    ids[bridge::kDefaultTrigger] = -1;
    (void)bridge::Call(scope.js(), main, scope.js().Undefined(), 0, nullptr);
    ids[bridge::kExecutionAsyncId] = 0;
  }
  return RunLoop();
}

int Agent::RunLoop() {
  auto call = [&](Hook which, int argument) -> v8::Local<v8::Value> {
    bridge::JsScope scope(*realm_);
    v8::Local<v8::Function> hook = realm_->hook_function(which);
    if (hook.IsEmpty()) return {};
    v8::Local<v8::Value> argv[] = {scope.js().Int(argument)};
    v8::Local<v8::Value> result;
    if (!bridge::Call(scope.js(), hook, scope.js().Undefined(), 1, argv).ToLocal(&result)) return {};
    if (result->IsInt32()) exit_status_ = result.As<v8::Int32>()->Value();
    return {};
  };
  modules::MarkMilestone(*realm_, modules::Milestone::kLoopStart);
  while (!realm_->terminating && !terminated()) {
    loop_->Run();
    if (realm_->terminating || terminated()) break;
    bool ran = false;
    {
      bridge::JsScope scope(*realm_);
      ran = platform->RunForegroundTasks(isolate_);
    }
    if (loop_->Alive()) continue;
    if (ran) continue;
    if (UsedWasm(isolate_) && platform->HasWorkerTasks()) {  // a compilation that will settle a promise
      usleep(100);
      continue;
    }
    call(Hook::kBeforeExit, 0);
    if (!loop_->Alive()) break;
  }
  modules::MarkMilestone(*realm_, modules::Milestone::kLoopExit);
  if (!realm_->terminating && !terminated()) call(Hook::kExit, 0);
  if (realm_->is_main_thread) {
    modules::Tracer::Get().Flush();
    modules::CloseWebStorage(*realm_);
    modules::CloseDatabases(*realm_);
  }
  HarvestForCodeCache(isolate_);
  return exit_status_;
}

void UseSnapshot(std::span<const char> blob) { snapshot_from_file = blob; }

int BuildSnapshot(const std::string& file) {
  std::unique_ptr<v8::ArrayBuffer::Allocator> allocator(v8::ArrayBuffer::Allocator::NewDefaultAllocator());
  v8::Isolate* isolate = v8::Isolate::Allocate();
  platform->RegisterIsolate(isolate, [] {});
  v8::StartupData blob;
  {
    v8::Isolate::CreateParams params;
    params.array_buffer_allocator = allocator.get();
    params.external_references = engine::ExternalReferences();
    v8::SnapshotCreator creator(isolate, params);
    SetUpIsolate(isolate);
    Realm realm(isolate, nullptr);
    {
      v8::HandleScope handles(isolate);
      v8::Local<v8::Context> context = v8::Context::New(isolate);
      v8::Context::Scope context_scope(context);
      v8::Local<v8::Array> hooks = v8::Array::New(isolate, static_cast<int>(Hook::kCount));
      realm.Attach(context, hooks);
      if (!Bootstrap(realm)) return 1;
      creator.SetDefaultContext(v8::Context::New(isolate));
      CHECK(creator.AddContext(context) == 0);
      CHECK(creator.AddData(context, hooks) == kHooksDataIndex);
      size_t index = 0;
      realm.ReleaseForSnapshot([&](v8::Local<v8::FunctionTemplate> pattern) {
        CHECK(creator.AddData(pattern) == index);
        index++;
      });
    }
    ForgetListeners(isolate);
    blob = creator.CreateBlob(v8::SnapshotCreator::FunctionCodeHandling::kKeep);
    platform->UnregisterIsolate(isolate);
  }
  FILE* out = fopen(file.c_str(), "wbe");
  if (out == nullptr) {
    perror(file.c_str());
    return 1;
  }
  bool ok = blob.raw_size > 0 && fwrite(blob.data, 1, static_cast<size_t>(blob.raw_size), out) ==
                                     static_cast<size_t>(blob.raw_size);
  ok = fclose(out) == 0 && ok;
  delete[] blob.data;
  return ok ? 0 : 1;
}

}  // namespace gyre::runtime
