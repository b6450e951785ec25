// binding('vm'): scripts, functions and contexts of node:vm.
#include <memory>
#include <string>
#include <vector>

#include "base/clamp.h"
#include "bridge/module.h"
#include "modules/vm/contextify.h"
#include "modules/vm/watchdog.h"

namespace gyre::modules {

namespace {

using v8::Local;
using v8::Value;
using Compiler = v8::ScriptCompiler;

Local<v8::PrimitiveArray> HostOptions(Js& js, Local<Value> id) {
  Local<v8::PrimitiveArray> options = v8::PrimitiveArray::New(js.isolate, 1);
  options->Set(js.isolate, 0, id->IsSymbol() ? id.As<v8::Primitive>() : Local<v8::Primitive>(js.Undefined()));
  return options;
}

int IntArg(const Info& info, int index) {
  return info[index]->IsNumber() ? base::ClampTo<int>(info[index].As<v8::Number>()->Value()) : 0;
}

// Puts "file:line\nsource\n   ^\n" before the stack of what was caught, as Node does for errors of vm.
void DecorateStack(Js& js, v8::TryCatch& catcher) {
  if (!catcher.HasCaught() || catcher.HasTerminated() || !catcher.Exception()->IsObject()) return;
  Local<v8::Object> error = catcher.Exception().As<v8::Object>();
  if (!error->IsNativeError()) return;
  Local<v8::Private> mark = v8::Private::ForApi(js.isolate, js.Name("gyre:vm:decorated"));
  if (error->HasPrivate(js.context, mark).FromMaybe(true)) return;
  std::string arrow = bridge::SourceArrow(js, catcher.Message());
  v8::TryCatch quiet(js.isolate);
  Local<Value> stack;
  if (arrow.empty() || !js.Get(error, "stack").ToLocal(&stack) || !stack->IsString()) return;
  (void)error->SetPrivate(js.context, mark, js.Bool(true));
  // Assigned: it is an accessor of the error's own.
  (void)error->Set(js.context, js.Name("stack"), js.Str(arrow + "\n" + js.Utf8(stack)));
}

std::unique_ptr<Compiler::CachedData> CachedDataArg(Local<Value> value) {
  std::optional<BufferView> bytes = BytesOf(value);
  if (!bytes) return nullptr;
  auto* copy = new uint8_t[bytes->size()];
  std::copy(bytes->begin(), bytes->end(), copy);
  return std::make_unique<Compiler::CachedData>(copy, static_cast<int>(bytes->size()),
                                                Compiler::CachedData::BufferOwned);
}

Local<Value> ToBuffer(Js& js, const Compiler::CachedData* data) {
  Local<v8::Object> buffer;
  if (data == nullptr) return js.Undefined();
  if (!MakeBuffer(js, std::span(data->data, static_cast<size_t>(data->length))).ToLocal(&buffer)) return js.Undefined();
  return buffer;
}

// --- scripts ---

class ScriptWrap : public Wrap {
 public:
  static const NativeClass kClass;
  ScriptWrap(Js& js, Local<v8::Object> object, Local<v8::UnboundScript> script)
      : Wrap(js.realm, object, &kClass), script_(js.isolate, script) {
    // The script keeps who answers its import(), which refers to this object: not a cycle through a strong handle.
    KeepInObject(script);
    script_.SetWeak();
  }

  static void New(const Info& info);
  void CreateCachedData(Js& js, const Info& info) {
    std::unique_ptr<Compiler::CachedData> data(Compiler::CreateCodeCache(script_.Get(js.isolate)));
    std::span<const uint8_t> bytes;
    if (data != nullptr) bytes = {data->data, static_cast<size_t>(data->length)};
    Local<v8::Object> buffer;
    if (MakeBuffer(js, bytes).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
  }
  void RunInContext(Js& js, const Info& info);

 private:
  v8::MaybeLocal<Value> Run(Js& js, Local<v8::Context> context, uint32_t timeout, bool break_on_sigint);
  v8::Global<v8::UnboundScript> script_;
};

// new ContextifyScript(source, filename, lineOffset, columnOffset, cachedData, produceCachedData, importerId, context)
void ScriptWrap::New(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall() || !info[0]->IsString())
    return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", "ContextifyScript");
  Local<v8::Context> context = js.context;
  if (info[7]->IsObject() && !vm::ContextOf(js, info[7].As<v8::Object>()).ToLocal(&context)) context = js.context;
  v8::ScriptOrigin origin(info[1], IntArg(info, 2), IntArg(info, 3), true, -1, {}, false, false, false,
                          HostOptions(js, info[6]));
  std::unique_ptr<Compiler::CachedData> cached = CachedDataArg(info[4]);
  bool has_cache = cached != nullptr;
  Compiler::Source source(info[0].As<v8::String>(), origin, cached.release());
  Local<v8::UnboundScript> script;
  {
    v8::TryCatch catcher(js.isolate);
    v8::Context::Scope scope(context);
    auto mode = has_cache ? Compiler::kConsumeCodeCache : Compiler::kNoCompileOptions;
    if (!Compiler::CompileUnboundScript(js.isolate, &source, mode).ToLocal(&script)) {
      DecorateStack(js, catcher);
      catcher.ReThrow();
      return;
    }
  }
  Local<v8::Object> self = info.This();
  if (has_cache) js.Set(self, "cachedDataRejected", js.Bool(source.GetCachedData()->rejected));
  if (info[5]->IsTrue()) {
    std::unique_ptr<Compiler::CachedData> produced(Compiler::CreateCodeCache(script));
    if (produced != nullptr) js.Set(self, "cachedData", ToBuffer(js, produced.get()));
    js.Set(self, "cachedDataProduced", js.Bool(produced != nullptr));
  }
  js.Set(self, "sourceURL", script->GetSourceURL());
  js.Set(self, "sourceMapURL", script->GetSourceMappingURL());
  new ScriptWrap(js, self, script);
}

v8::MaybeLocal<Value> ScriptWrap::Run(Js& js, Local<v8::Context> context, uint32_t timeout, bool break_on_sigint) {
  vm::RunLimit limit(js.isolate, timeout, break_on_sigint);
  v8::MaybeLocal<Value> result = script_.Get(js.isolate)->BindToCurrentContext()->Run(context);
  // With microtasks of its own, what a context has queued runs before the call returns and within its time.
  v8::MicrotaskQueue* queue = result.IsEmpty() ? nullptr : vm::OwnMicrotasks(js, context);
  if (queue != nullptr) queue->PerformCheckpoint(js.isolate);
  if (!limit.WasHit(js)) return result;
  return {};
}

// runInContext(contextified object | null, timeout, displayErrors, breakOnSigint)
void ScriptWrap::RunInContext(Js& js, const Info& info) {
  Local<v8::Context> context = js.context;
  if (info[0]->IsObject() && !vm::ContextOf(js, info[0].As<v8::Object>()).ToLocal(&context)) {
    return js.ThrowTypeError("The object is no context");
  }
  auto timeout = base::ClampTo<uint32_t>(info[1]->IsNumber() ? info[1].As<v8::Number>()->Value() : 0);
  v8::TryCatch catcher(js.isolate);
  Local<Value> result;
  bool ok;
  {
    v8::Context::Scope scope(context);
    ok = Run(js, context, timeout, info[3]->IsTrue()).ToLocal(&result);
  }
  if (ok && !catcher.HasCaught()) return info.GetReturnValue().Set(result);
  if (info[2]->IsTrue()) DecorateStack(js, catcher);
  if (catcher.HasCaught() && !catcher.HasTerminated()) catcher.ReThrow();
}

constexpr NativeFunction kScriptMethods[] = {
    RawMethod<&ScriptWrap::CreateCachedData>("createCachedData"),
    RawMethod<&ScriptWrap::RunInContext>("runInContext"),
};
const NativeClass ScriptWrap::kClass = {
    .name = "ContextifyScript", .construct = &ScriptWrap::New, .methods = kScriptMethods};

// --- contexts ---

// makeContext(object | undefined, name, origin, strings, wasm, ownMicrotasks, importerId): the global of a vanilla
// context if there is no object.
void MakeContext(const Info& info) {
  Js js(info);
  vm::ContextOptions options;
  if (info[1]->IsString()) options.name = info[1].As<v8::String>();
  options.origin = info[2];
  options.allow_strings = !info[3]->IsFalse();
  options.allow_wasm = !info[4]->IsFalse();
  options.own_microtasks = info[5]->IsTrue();
  options.importer_id = info[6];
  Local<v8::Context> context;
  if (info[0]->IsObject()) {
    (void)vm::MakeContext(js, info[0].As<v8::Object>(), options);
    return;
  }
  if (vm::MakeVanillaContext(js, options).ToLocal(&context)) info.GetReturnValue().Set(context->Global());
}

void IsContext(const Info& info) {
  Js js(info);
  info.GetReturnValue().Set(info[0]->IsObject() && !vm::ContextOf(js, info[0].As<v8::Object>()).IsEmpty());
}

// compileFunction(source, filename, lineOffset, columnOffset, cachedData, produceCachedData, context | undefined,
// extensions, parameters, importerId): { function, sourceURL, sourceMapURL, cachedDataRejected?, cachedData?, ... }
void CompileFunction(const Info& info) {
  Js js(info);
  if (!info[0]->IsString()) return js.ThrowTypeError("compileFunction needs a source");
  Local<v8::Context> context = js.context;
  if (info[6]->IsObject() && !vm::ContextOf(js, info[6].As<v8::Object>()).ToLocal(&context)) {
    return js.ThrowTypeError("The object is no context");
  }
  std::vector<Local<v8::Object>> extensions;
  std::vector<Local<v8::String>> parameters;
  for (int index : {7, 8}) {
    if (!info[index]->IsArray()) continue;
    Local<v8::Array> list = info[index].As<v8::Array>();
    for (uint32_t i = 0; i < list->Length(); i++) {
      Local<Value> item;
      if (!list->Get(js.context, i).ToLocal(&item)) return;
      if (index == 7 && item->IsObject()) extensions.push_back(item.As<v8::Object>());
      if (index == 8 && item->IsString()) parameters.push_back(item.As<v8::String>());
    }
  }
  v8::ScriptOrigin origin(info[1], IntArg(info, 2), IntArg(info, 3), true, -1, {}, false, false, false,
                          HostOptions(js, info[9]));
  std::unique_ptr<Compiler::CachedData> cached = CachedDataArg(info[4]);
  bool has_cache = cached != nullptr;
  Compiler::Source source(info[0].As<v8::String>(), origin, cached.release());
  Local<v8::Function> function;
  {
    v8::TryCatch catcher(js.isolate);
    v8::Context::Scope scope(context);
    auto mode = has_cache ? Compiler::kConsumeCodeCache : Compiler::kNoCompileOptions;
    if (!Compiler::CompileFunction(context, &source, parameters.size(), parameters.data(), extensions.size(),
                                   extensions.data(), mode)
             .ToLocal(&function)) {
      DecorateStack(js, catcher);
      catcher.ReThrow();
      return;
    }
  }
  Local<v8::Object> result = js.Object();
  js.Set(result, "function", function);
  Local<v8::Value> url = function->GetScriptOrigin().SourceMapUrl();
  js.Set(result, "sourceMapURL", url.IsEmpty() ? Local<Value>(js.Undefined()) : url);
  if (has_cache) js.Set(result, "cachedDataRejected", js.Bool(source.GetCachedData()->rejected));
  if (info[5]->IsTrue()) {
    std::unique_ptr<Compiler::CachedData> produced(Compiler::CreateCodeCacheForFunction(function));
    js.Set(result, "cachedDataProduced", js.Bool(produced != nullptr));
    if (produced != nullptr) js.Set(result, "cachedData", ToBuffer(js, produced.get()));
  }
  info.GetReturnValue().Set(result);
}

// measureMemory(detailed, eager): a promise, or undefined if V8 cannot now.
void MeasureMemory(const Info& info) {
  Js js(info);
  Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(js.context).ToLocal(&resolver)) return;
  auto mode = info[0]->IsTrue() ? v8::MeasureMemoryMode::kDetailed : v8::MeasureMemoryMode::kSummary;
  auto execution = info[1]->IsTrue() ? v8::MeasureMemoryExecution::kEager : v8::MeasureMemoryExecution::kDefault;
  if (js.isolate->MeasureMemory(v8::MeasureMemoryDelegate::Default(js.isolate, js.context, resolver, mode),
                                execution)) {
    info.GetReturnValue().Set(resolver->GetPromise());
  }
}

constexpr NativeFunction kFunctions[] = {
    RawFn("makeContext", &MakeContext, 7),
    RawFn("isContext", &IsContext, 1),
    RawFn("compileFunction", &CompileFunction, 10),
    RawFn("measureMemory", &MeasureMemory, 2),
};
const NativeClass* const kClasses[] = {&ScriptWrap::kClass, &vm::kMicrotaskQueueClass};

}  // namespace

extern const NativeModule kVmModule;
const NativeModule kVmModule = {.name = "vm", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
