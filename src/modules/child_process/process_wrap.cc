// The native half of node:child_process: Process, a child that runs, and spawnSync (see spawn_sync.cc).
//
// A Process is pinned while its child runs, since the exit is to be told even if nobody holds the object.

#include <cerrno>
#include <memory>

#include "bridge/module.h"
#include "loop/process.h"
#include "modules/child_process/spawn_options.h"
#include "modules/child_process/spawn_sync.h"
#include "modules/net/stream_wrap.h"

namespace gyre::modules {

namespace {

class ProcessWrap final : public Wrap {
 public:
  static const NativeClass kClass;
  ProcessWrap(Realm& realm, v8::Local<v8::Object> object)
      : Wrap(realm, object, &kClass),
        context_(bridge::AsyncContext::Current(realm.isolate(), "PROCESSWRAP", object)),
        self_(std::make_shared<ProcessWrap*>(this)) {}
  ~ProcessWrap() override { *self_ = nullptr; }

  /// spawn(options): 0 or a negative errno. Pipes named in options.stdio are opened with this process's ends.
  void Spawn(Js& js, const Info& info);
  int Kill(Js&, int signum) {
    if (process_ == nullptr || process_->IsClosing()) return -ESRCH;
    return Status(process_->Kill(signum));
  }
  void Close(Js& js, const Info& info);
  void Ref(Js&) {
    if (process_ != nullptr) process_->Ref();
  }
  void Unref(Js&) {
    if (process_ != nullptr) process_->Unref();
  }
  bool HasRef(Js&) { return process_ != nullptr && !process_->IsClosing() && process_->HasRef(); }
  double GetAsyncId(Js&) { return context_.async_id(); }
  int Pid(Js&) { return process_ == nullptr ? 0 : process_->pid(); }

 private:
  void OnExit(loop::ProcessExit exit);
  int OpenPipes(Js& js, v8::Local<v8::Object> options, std::vector<base::OwnedFd> pipes);

  bridge::AsyncContext context_;
  std::shared_ptr<ProcessWrap*> self_;
  loop::HandlePtr<loop::ProcessHandle> process_;
};

int ProcessWrap::OpenPipes(Js& js, v8::Local<v8::Object> options, std::vector<base::OwnedFd> pipes) {
  for (uint32_t i = 0; i < pipes.size(); i++) {
    if (!pipes[i].IsValid()) continue;
    v8::Local<v8::Object> entry;
    v8::Local<v8::Value> handle;
    if (!StdioEntry(js, options, i).ToLocal(&entry) || !js.Get(entry, "handle").ToLocal(&handle)) return -EINVAL;
    auto* pipe = Wrap::From<PipeWrap>(handle);
    if (pipe == nullptr) return -EINVAL;
    Result<void> opened = pipe->Adopt(std::move(pipes[i]));
    if (!opened.has_value()) return -opened.error().err;
  }
  return 0;
}

void ProcessWrap::Spawn(Js& js, const Info& info) {
  if (!info[0]->IsObject() || process_ != nullptr) return info.GetReturnValue().Set(-EINVAL);
  v8::Local<v8::Object> object = info[0].As<v8::Object>();
  std::optional<loop::SpawnOptions> options = ReadSpawnOptions(js, object);
  if (!options.has_value()) return;
  auto spawned = loop::ProcessHandle::Spawn(realm().loop(), *options, [self = self_](loop::ProcessExit exit) {
    if (*self != nullptr) (*self)->OnExit(exit);
  });
  if (!spawned.has_value()) return info.GetReturnValue().Set(-spawned.error().err);
  process_ = std::move(spawned->process);
  Pin();
  info.GetReturnValue().Set(OpenPipes(js, object, std::move(spawned->pipes)));
}

void ProcessWrap::OnExit(loop::ProcessExit exit) {
  if (realm().terminating) return;
  bridge::JsScope scope(realm(), context_);
  Js& js = scope.js();
  v8::Local<v8::Object> self = object();
  v8::Local<v8::Value> argv[] = {js.Num(static_cast<double>(exit.status)), js.Str(SignalName(exit.signal))};
  bridge::CallMethod(js, self, "onexit", 2, argv);
}

void ProcessWrap::Close(Js&, const Info&) {
  if (process_ == nullptr || process_->IsClosing()) return;
  process_->Close([self = self_] {
    if (*self != nullptr && !(*self)->realm().terminating) {
      v8::HandleScope handles((*self)->realm().isolate());
      (*self)->context_.EmitDestroy((*self)->realm());
      (*self)->Unpin();
    }
  });
}

void ConstructProcess(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor Process cannot be invoked without 'new'");
  new ProcessWrap(js.realm, info.This());
}

constexpr NativeFunction kMethods[] = {
    RawMethod<&ProcessWrap::Spawn>("spawn"), Method<&ProcessWrap::Kill>("kill"),
    RawMethod<&ProcessWrap::Close>("close"), Method<&ProcessWrap::Ref>("ref"),
    Method<&ProcessWrap::Unref>("unref"),    Method<&ProcessWrap::HasRef>("hasRef"),
    Method<&ProcessWrap::GetAsyncId>("getAsyncId"),
};
constexpr NativeAccessor kAccessors[] = {Getter<&ProcessWrap::Pid>("pid")};

const NativeClass ProcessWrap::kClass = {
    .name = "Process",
    .construct = &ConstructProcess,
    .methods = kMethods,
    .accessors = kAccessors,
};

constexpr NativeFunction kFunctions[] = {RawFn("spawnSync", &SpawnSync, 1)};
constexpr const NativeClass* kClasses[] = {&ProcessWrap::kClass};

}  // namespace

extern const NativeModule kChildProcessModule;
const NativeModule kChildProcessModule = {.name = "child_process", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
