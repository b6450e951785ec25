#include "runtime/isolate_setup.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "bridge/js_scope.h"
#include "bridge/task_queue.h"
#include "modules/module/module_wrap.h"
#include "modules/process/report.h"
#include "runtime/builtins.h"
#include "web/wasm_streaming.h"

namespace gyre::runtime {

namespace {

constexpr uint32_t kUsedWasmSlot = 1;
static_assert(kUsedWasmSlot != Realm::kIsolateSlot);

/// Exceptions of microtasks reach nobody else.
void OnMessage(v8::Local<v8::Message> message, v8::Local<v8::Value> error) {
  if (message->ErrorLevel() != v8::Isolate::kMessageError) return;
  v8::Isolate* isolate = message->GetIsolate();
  if (!isolate->InContext()) return;
  Js js(isolate);
  if (!js.realm.terminating) bridge::ReportUncaught(js, error, message);
}

v8::MaybeLocal<v8::Promise> RejectedWithPending(Js& js, v8::TryCatch& caught) {
  v8::Local<v8::Promise::Resolver> resolver;
  if (!caught.HasCaught() || caught.HasTerminated()) return {};
  v8::Local<v8::Value> error = caught.Exception();
  caught.Reset();
  if (!v8::Promise::Resolver::New(js.context).ToLocal(&resolver)) return {};
  if (resolver->Reject(js.context, error).IsNothing()) return {};
  return resolver->GetPromise();
}

/// The attributes of an import as an object with a null prototype. `stride` is 2 or 3 (with source offsets).
v8::Local<v8::Object> AttributesObject(Js& js, v8::Local<v8::FixedArray> attributes, int stride) {
  v8::Local<v8::Object> object = v8::Object::New(js.isolate, js.Null(), nullptr, nullptr, 0);
  for (int i = 0; i + 1 < attributes->Length(); i += stride) {
    (void)object->Set(js.context, attributes->Get(js.context, i).As<v8::Value>(), attributes->Get(js.context, i + 1).As<v8::Value>());
  }
  return object;
}

v8::MaybeLocal<v8::Promise> ImportInPhase(v8::Local<v8::Context> context, v8::Local<v8::Data> host_options,
                                          v8::Local<v8::Value> resource_name, v8::Local<v8::String> specifier,
                                          v8::ModuleImportPhase phase, v8::Local<v8::FixedArray> attributes) {
  Js js(v8::Isolate::GetCurrent());
  v8::TryCatch caught(js.isolate);
  v8::Local<v8::Function> hook = js.realm.hook_function(Hook::kImportDynamically);
  if (hook.IsEmpty()) {
    js.Throw("ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING");
    return RejectedWithPending(js, caught);
  }
  v8::Local<v8::Value> id = js.Undefined();
  if (host_options->IsFixedArray() && host_options.As<v8::FixedArray>()->Length() > 0) {
    id = host_options.As<v8::FixedArray>()->Get(context, 0).As<v8::Value>();
  }
  v8::Local<v8::Value> argv[] = {id, specifier, AttributesObject(js, attributes, 2), resource_name,
                                 js.Bool(phase == v8::ModuleImportPhase::kSource)};
  v8::Local<v8::Value> result;
  if (!hook->Call(context, js.Undefined(), 5, argv).ToLocal(&result)) return RejectedWithPending(js, caught);
  if (!result->IsPromise()) {
    js.ThrowTypeError("The import hook did not return a promise");
    return RejectedWithPending(js, caught);
  }
  if (context == js.realm.context()) return result.As<v8::Promise>();
  // Code of another context (node:vm) gets a promise of its own kind.
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
  if (resolver->Resolve(context, result).IsNothing()) return {};
  return resolver->GetPromise();
}

v8::MaybeLocal<v8::Promise> ImportDynamically(v8::Local<v8::Context> context, v8::Local<v8::Data> host_options,
                                              v8::Local<v8::Value> resource_name, v8::Local<v8::String> specifier,
                                              v8::Local<v8::FixedArray> attributes) {
  return ImportInPhase(context, host_options, resource_name, specifier, v8::ModuleImportPhase::kEvaluation, attributes);
}

v8::MaybeLocal<v8::Value> PrepareStackTrace(v8::Local<v8::Context> context, v8::Local<v8::Value> error,
                                            v8::Local<v8::Array> trace) {
  Js js(v8::Isolate::GetCurrent());
  v8::Local<v8::Function> hook = js.realm.hook_function(Hook::kPrepareStackTrace);
  if (hook.IsEmpty()) {
    v8::Local<v8::String> text;
    if (!error->ToString(context).ToLocal(&text)) return {};
    return text;
  }
  v8::Local<v8::Value> argv[] = {context->Global(), error, trace};
  return hook->Call(context, js.Undefined(), 3, argv);
}

void OnFatalError(const char* location, const char* message) {
  fprintf(stderr, "FATAL ERROR: %s %s\n", location != nullptr ? location : "", message != nullptr ? message : "");
  fflush(stderr);
  modules::ReportFatalError(message != nullptr ? message : "", "FatalError");
  abort();
}

void OnOutOfMemory(const char* location, const v8::OOMDetails& details) {
  if (details.is_heap_oom) {
    fprintf(stderr, "FATAL ERROR: %s Allocation failed - JavaScript heap out of memory\n", location != nullptr ? location : "");
  } else {
    fprintf(stderr, "FATAL ERROR: %s: out of memory\n", location != nullptr ? location : "");
  }
  fflush(stderr);
  modules::ReportFatalError(details.is_heap_oom ? "Allocation failed - JavaScript heap out of memory" : "Out of memory",
                            "OOMError");
  abort();
}

bool ShouldAbortOnUncaught(v8::Isolate*) { return false; }

/// Says yes, and remembers that compilations of WebAssembly may be under way on worker threads.
bool AllowWasm(v8::Local<v8::Context> context, v8::Local<v8::String>) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  isolate->SetData(kUsedWasmSlot, isolate);
  return true;
}

}  // namespace

bool UsedWasm(v8::Isolate* isolate) { return isolate->GetData(kUsedWasmSlot) != nullptr; }

void SetUpIsolate(v8::Isolate* isolate) {
  isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate->SetPromiseRejectCallback(&bridge::OnPromiseReject);
  isolate->AddMessageListenerWithErrorLevel(&OnMessage, v8::Isolate::kMessageError);
  isolate->SetFatalErrorHandler(&OnFatalError);
  isolate->SetOOMErrorHandler(&OnOutOfMemory);
  isolate->SetHostImportModuleDynamicallyCallback(&ImportDynamically);
  isolate->SetHostImportModuleWithPhaseDynamicallyCallback(&ImportInPhase);
  isolate->SetHostInitializeImportMetaObjectCallback(&modules::InitializeImportMeta);
  isolate->SetPrepareStackTraceCallback(&PrepareStackTrace);
  isolate->SetAllowWasmCodeGenerationCallback(&AllowWasm);
  isolate->SetWasmStreamingCallback(&modules::StartWasmStreaming);
  isolate->SetAbortOnUncaughtExceptionCallback(&ShouldAbortOnUncaught);
}

void ForgetListeners(v8::Isolate* isolate) {
  isolate->RemoveMessageListeners(&OnMessage);
  isolate->SetPromiseRejectCallback(nullptr);
}

bool Bootstrap(Realm& realm) {
  Js js(realm);
  v8::TryCatch caught(js.isolate);
  const char* const parameters[] = {"native", "globalThis"};
  v8::Local<v8::Function> bootstrap;
  v8::Local<v8::Object> native;
  if (CompileBuiltin(js, "#runtime/bootstrap", parameters).ToLocal(&bootstrap) &&
      realm.Binding(js, "realm").ToLocal(&native)) {
    v8::Local<v8::Value> argv[] = {native, js.context->Global()};
    if (!bootstrap->Call(js.context, js.Undefined(), 2, argv).IsEmpty()) {
      js.isolate->PerformMicrotaskCheckpoint();
      return true;
    }
  }
  if (caught.HasCaught()) {
    v8::Local<v8::Value> stack;
    fprintf(stderr, "%s", bridge::SourceArrow(js, caught.Message()).c_str());
    if (caught.StackTrace(js.context).ToLocal(&stack)) {
      fprintf(stderr, "%s\n", js.Utf8(stack).c_str());
    } else {
      fprintf(stderr, "%s\n", js.Utf8(caught.Exception()).c_str());
    }
  }
  return false;
}

}  // namespace gyre::runtime
