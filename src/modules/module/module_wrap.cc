#include "modules/module/module_wrap.h"

#include <memory>
#include <optional>

#include "base/check.h"
#include "modules/vm/contextify.h"
#include "modules/vm/watchdog.h"

namespace gyre::modules {

namespace {

struct Registry {
  explicit Registry(Realm&) {}
  std::unordered_multimap<int, ModuleWrap*> by_hash;
};

/// A specifier with its attributes, as one key. NUL cannot be confused with text of a valid specifier's parts.
std::string RequestKey(Js& js, v8::Local<v8::String> specifier, v8::Local<v8::FixedArray> attributes, int stride) {
  std::string key = js.Utf8(specifier);
  for (int i = 0; i + 1 < attributes->Length(); i += stride) {
    key += '\0';
    key += js.Utf8(attributes->Get(js.context, i).As<v8::Value>());
    key += '\0';
    key += js.Utf8(attributes->Get(js.context, i + 1).As<v8::Value>());
  }
  return key;
}

void NoteArrow(Js& js, v8::TryCatch& caught);

constexpr int kRequestStride = 3;  // key, value, source offset
constexpr const char* kEvaluateProperty = "evaluateSynthetic";

}  // namespace

ModuleWrap::ModuleWrap(Js& js, v8::Local<v8::Object> object, v8::Local<v8::Module> module,
                       v8::Local<v8::Context> home, std::string url)
    : Wrap(js.realm, object, &kClass), module_(js.isolate, module), home_(js.isolate, home), url_(std::move(url)) {
  js.realm.Slot<Registry>().by_hash.emplace(module->GetIdentityHash(), this);
}

ModuleWrap::~ModuleWrap() {
  auto& list = realm().Slot<Registry>().by_hash;
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (it->second == this) {
      list.erase(it);
      break;
    }
  }
}

ModuleWrap* ModuleWrap::Of(Realm& realm, v8::Local<v8::Module> module) {
  auto [first, last] = realm.Slot<Registry>().by_hash.equal_range(module->GetIdentityHash());
  for (auto it = first; it != last; ++it) {
    if (it->second->module() == module) return it->second;
  }
  return nullptr;
}

v8::MaybeLocal<v8::Module> ResolveImport(v8::Local<v8::Context>, v8::Local<v8::String> specifier,
                                         v8::Local<v8::FixedArray> attributes, v8::Local<v8::Module> referrer) {
  Js js(v8::Isolate::GetCurrent());
  ModuleWrap* wrap = ModuleWrap::Of(js.realm, referrer);
  if (wrap == nullptr) {
    js.Throw("ERR_VM_MODULE_LINK_FAILURE", "request for '" + js.Utf8(specifier) + "' comes from an unknown module");
    return {};
  }
  auto found = wrap->linked_.find(RequestKey(js, specifier, attributes, kRequestStride));
  if (found == wrap->linked_.end()) {
    js.Throw("ERR_VM_MODULE_LINK_FAILURE", "request for '" + js.Utf8(specifier) + "' is not in cache");
    return {};
  }
  return found->second.Get(js.isolate);
}

/// What `import source` gives.
v8::MaybeLocal<v8::Object> ResolveSource(v8::Local<v8::Context>, v8::Local<v8::String> specifier,
                                         v8::Local<v8::FixedArray> attributes, v8::Local<v8::Module> referrer) {
  Js js(v8::Isolate::GetCurrent());
  ModuleWrap* wrap = ModuleWrap::Of(js.realm, referrer);
  if (wrap != nullptr) {
    auto found = wrap->sources_.find(RequestKey(js, specifier, attributes, kRequestStride));
    if (found != wrap->sources_.end()) return found->second.Get(js.isolate);
  }
  js.Throw("ERR_VM_MODULE_LINK_FAILURE", "request for '" + js.Utf8(specifier) + "' is not in cache");
  return {};
}

v8::Local<v8::Array> ModuleWrap::GetModuleRequests(Js& js) {
  v8::Local<v8::FixedArray> requests = module()->GetModuleRequests();
  v8::Local<v8::Array> result = v8::Array::New(js.isolate, requests->Length());
  for (int i = 0; i < requests->Length(); i++) {
    v8::Local<v8::ModuleRequest> request = requests->Get(js.context, i).As<v8::ModuleRequest>();
    v8::Local<v8::FixedArray> attributes = request->GetImportAttributes();
    v8::Local<v8::Object> values = v8::Object::New(js.isolate, js.Null(), nullptr, nullptr, 0);
    for (int k = 0; k + 1 < attributes->Length(); k += kRequestStride) {
      (void)values->Set(js.context, attributes->Get(js.context, k).As<v8::Value>(),
                        attributes->Get(js.context, k + 1).As<v8::Value>());
    }
    v8::Location place = module()->SourceOffsetToLocation(request->GetSourceOffset());
    v8::Local<v8::Object> entry = js.Object();
    js.Set(entry, "specifier", request->GetSpecifier());
    js.Set(entry, "attributes", values);
    js.Set(entry, "phase", js.Name(request->GetPhase() == v8::ModuleImportPhase::kSource ? "source" : "evaluation"));
    js.Set(entry, "line", js.Int(place.GetLineNumber()));
    js.Set(entry, "column", js.Int(place.GetColumnNumber()));
    js.Set(result, static_cast<uint32_t>(i), entry);
  }
  return result;
}

void ModuleWrap::Link(Js& js, v8::Local<v8::Array> modules) {
  v8::Local<v8::FixedArray> requests = module()->GetModuleRequests();
  if (static_cast<int>(modules->Length()) != requests->Length()) {
    return js.Throw("ERR_VM_MODULE_LINK_FAILURE", "the number of linked modules is wrong");
  }
  for (int i = 0; i < requests->Length(); i++) {
    v8::Local<v8::Value> item;
    if (!modules->Get(js.context, static_cast<uint32_t>(i)).ToLocal(&item)) return;
    ModuleWrap* target = Wrap::From<ModuleWrap>(item);
    if (target == nullptr) return js.Throw("ERR_VM_MODULE_NOT_MODULE");
    v8::Local<v8::ModuleRequest> request = requests->Get(js.context, i).As<v8::ModuleRequest>();
    if (request->GetPhase() == v8::ModuleImportPhase::kSource) {
      if (!LinkSource(js, *target, request)) return;
      continue;
    }
    linked_[RequestKey(js, request->GetSpecifier(), request->GetImportAttributes(), kRequestStride)].Reset(
        js.isolate, target->module());
  }
}

bool ModuleWrap::LinkSource(Js& js, ModuleWrap& target, v8::Local<v8::ModuleRequest> request) {
  v8::Local<v8::Value> source;
  if (!js.Get(target.object(), "sourcePhase").ToLocal(&source)) return false;
  if (!source->IsObject()) {
    js.isolate->ThrowException(v8::Exception::SyntaxError(
        js.Str("Source phase import object is not defined for module '" + target.url_ + "'")));
    return false;
  }
  sources_[RequestKey(js, request->GetSpecifier(), request->GetImportAttributes(), kRequestStride)].Reset(
      js.isolate, source.As<v8::Object>());
  return true;
}

void ModuleWrap::Instantiate(Js& js) {
  if (module()->GetStatus() == v8::Module::kErrored) return (void)js.isolate->ThrowException(module()->GetException());
  if (module()->GetStatus() != v8::Module::kUninstantiated) return;
  v8::TryCatch caught(js.isolate);
  v8::Context::Scope scope(home());
  if (module()->InstantiateModule(home(), &ResolveImport, &ResolveSource).IsNothing() || caught.HasCaught()) {
    NoteArrow(js, caught);  // where the missing export was asked for
  }
}

v8::MaybeLocal<v8::Value> ModuleWrap::Evaluate(Js& js) {
  v8::Module::Status status = module()->GetStatus();
  if (status < v8::Module::kInstantiated || status == v8::Module::kEvaluating) {
    js.Throw("ERR_VM_MODULE_STATUS", "must be one of linked, evaluated, or errored");
    return {};
  }
  v8::Context::Scope scope(home());
  return module()->Evaluate(home());
}

/// A promise of a context with microtasks of its own, as one of the current context, so that awaiting it makes progress.
static v8::MaybeLocal<v8::Value> SettledHere(Js& js, v8::MaybeLocal<v8::Value> result) {
  v8::Local<v8::Value> value;
  if (!result.ToLocal(&value) || !value->IsPromise()) return result;
  v8::Local<v8::Promise> promise = value.As<v8::Promise>();
  if (promise->State() == v8::Promise::kPending) return result;
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(js.context).ToLocal(&resolver)) return {};
  if (promise->State() == v8::Promise::kFulfilled) {
    if (resolver->Resolve(js.context, js.Undefined()).IsNothing()) return {};
  } else {
    promise->MarkAsHandled();
    if (resolver->Reject(js.context, promise->Result()).IsNothing()) return {};
  }
  return resolver->GetPromise().As<v8::Value>();
}

v8::MaybeLocal<v8::Value> ModuleWrap::EvaluateFor(Js& js, uint32_t milliseconds, bool break_on_sigint) {
  vm::RunLimit limit(js.isolate, milliseconds, break_on_sigint);
  v8::MaybeLocal<v8::Value> result = Evaluate(js);
  // With an exception pending nothing of V8's may be called: it would be lost.
  v8::MicrotaskQueue* queue = result.IsEmpty() ? nullptr : vm::OwnMicrotasks(js, home());
  if (queue != nullptr) queue->PerformCheckpoint(js.isolate);
  if (queue != nullptr && !js.isolate->IsExecutionTerminating()) result = SettledHere(js, result);
  if (!limit.WasHit(js)) return result;
  return {};
}

bool ModuleWrap::HasTopLevelAwait(Js&) { return module()->IsSourceTextModule() && module()->HasTopLevelAwait(); }

v8::Local<v8::Value> ModuleWrap::SourceMapUrl(Js& js) {
  if (!module()->IsSourceTextModule() || module()->GetStatus() == v8::Module::kErrored) return js.Undefined();
  return module()->GetUnboundModuleScript()->GetSourceMappingURL();
}

v8::MaybeLocal<v8::Value> ModuleWrap::CreateCachedData(Js& js) {
  if (!module()->IsSourceTextModule()) {
    js.Throw("ERR_VM_MODULE_NOT_MODULE");
    return {};
  }
  std::unique_ptr<v8::ScriptCompiler::CachedData> data(
      v8::ScriptCompiler::CreateCodeCache(module()->GetUnboundModuleScript()));
  if (data == nullptr) return MakeBuffer(js, std::span<const uint8_t>());
  return MakeBuffer(js, std::span<const uint8_t>(data->data, static_cast<size_t>(data->length)));
}

v8::MaybeLocal<v8::Value> ModuleWrap::GetNamespace(Js& js) {
  if (module()->GetStatus() < v8::Module::kInstantiated) {
    js.ThrowError("cannot get namespace, module has not been instantiated");
    return {};
  }
  return module()->GetModuleNamespace();
}

int32_t ModuleWrap::GetStatus(Js&) { return module()->GetStatus(); }

v8::MaybeLocal<v8::Value> ModuleWrap::GetError(Js& js) {
  if (module()->GetStatus() != v8::Module::kErrored) return js.Undefined().As<v8::Value>();
  return module()->GetException();
}

bool ModuleWrap::IsGraphAsync(Js&) {
  return module()->GetStatus() >= v8::Module::kInstantiated && module()->IsGraphAsync();
}

std::string ModuleWrap::StalledAwait(Js& js) {
  auto [modules, messages] = module()->GetStalledTopLevelAwaitMessages(js.isolate);
  return messages.empty() ? std::string() : bridge::SourceArrow(js, messages[0]);
}

void ModuleWrap::SetExport(Js& js, v8::Local<v8::String> name, v8::Local<v8::Value> value) {
  if (module()->IsSourceTextModule()) return js.Throw("ERR_VM_MODULE_NOT_MODULE");
  (void)module()->SetSyntheticModuleExport(js.isolate, name, value);
}

v8::MaybeLocal<v8::Value> EvaluateSynthetic(v8::Local<v8::Context> context, v8::Local<v8::Module> module) {
  Js js(v8::Isolate::GetCurrent());
  ModuleWrap* wrap = ModuleWrap::Of(js.realm, module);
  v8::Local<v8::Value> evaluate;
  if (wrap != nullptr && js.Get(wrap->object(), kEvaluateProperty).ToLocal(&evaluate) && evaluate->IsFunction()) {
    if (evaluate.As<v8::Function>()->Call(context, wrap->object(), 0, nullptr).IsEmpty()) return {};
  }
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
  if (resolver->Resolve(context, js.Undefined()).IsNothing()) return {};
  return resolver->GetPromise();
}

void InitializeImportMeta(v8::Local<v8::Context> context, v8::Local<v8::Module> module, v8::Local<v8::Object> meta) {
  Js js(v8::Isolate::GetCurrent());
  v8::Local<v8::Function> hook = js.realm.hook_function(Hook::kImportMeta);
  ModuleWrap* wrap = ModuleWrap::Of(js.realm, module);
  if (hook.IsEmpty() || wrap == nullptr) return;
  v8::Local<v8::Value> argv[] = {wrap->object(), meta};
  (void)hook->Call(context, js.Undefined(), 2, argv);
}

namespace {

/// Notes on an exception where it came from, because the loaders catch it and throw it again; then lets it go on.
void NoteArrow(Js& js, v8::TryCatch& caught) {
  if (!caught.HasCaught() || caught.HasTerminated()) return;
  if (caught.Exception()->IsObject()) {
    v8::Local<v8::Object> error = caught.Exception().As<v8::Object>();
    v8::Local<v8::Private> key = v8::Private::ForApi(js.isolate, js.Name(bridge::kArrowKey));
    if (!error->HasPrivate(js.context, key).FromMaybe(true)) {
      (void)error->SetPrivate(js.context, key, js.Str(bridge::SourceArrow(js, caught.Message())));
    }
  }
  caught.ReThrow();
}

v8::Local<v8::PrimitiveArray> HostOptions(Js& js, v8::Local<v8::Value> id) {
  v8::Local<v8::PrimitiveArray> options = v8::PrimitiveArray::New(js.isolate, 1);
  options->Set(js.isolate, 0, id->IsSymbol() ? id.As<v8::Primitive>() : js.Undefined());
  return options;
}

/// V8's cached data out of `value`, a buffer or undefined; the source that it is given to owns it.
v8::ScriptCompiler::CachedData* CachedDataFrom(v8::Local<v8::Value> value) {
  std::optional<engine::BufferView> bytes = engine::BytesOf(value);
  if (!bytes) return nullptr;
  auto* copy = new uint8_t[bytes->size()];
  std::copy(bytes->begin(), bytes->end(), copy);
  return new v8::ScriptCompiler::CachedData(copy, static_cast<int>(bytes->size()), v8::ScriptCompiler::CachedData::BufferOwned);
}

/// new ModuleWrap(url, source, id): a source text module; new ModuleWrap(url, exportNames, evaluate): a synthetic one.
/// Further arguments are node:vm's: the contextified object, line and column offsets, cached data.
void Construct(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall() || !info[0]->IsString()) return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", "ModuleWrap");
  v8::Local<v8::String> url = info[0].As<v8::String>();
  v8::Local<v8::Module> module;
  v8::Local<v8::Context> home = js.context;
  if (info[3]->IsObject() && !vm::ContextOf(js, info[3].As<v8::Object>()).ToLocal(&home)) {
    return js.ThrowTypeError("The object is no context");
  }
  v8::Context::Scope scope(home);
  if (info[1]->IsArray()) {
    std::vector<v8::Local<v8::String>> names;
    v8::Local<v8::Array> list = info[1].As<v8::Array>();
    for (uint32_t i = 0; i < list->Length(); i++) {
      v8::Local<v8::Value> name;
      if (!list->Get(js.context, i).ToLocal(&name) || !name->IsString()) {
        return js.ThrowTypeError("An export name must be a string");
      }
      names.push_back(name.As<v8::String>());
    }
    module = v8::Module::CreateSyntheticModule(js.isolate, url, {names.data(), names.size()}, &EvaluateSynthetic);
    if (!js.Set(info.This(), kEvaluateProperty, info[2])) return;
  } else if (info[1]->IsString()) {
    int line = info[4]->IsInt32() ? info[4].As<v8::Int32>()->Value() : 0;
    int column = info[5]->IsInt32() ? info[5].As<v8::Int32>()->Value() : 0;
    v8::ScriptOrigin origin(url, line, column, true, -1, {}, false, false, true, HostOptions(js, info[2]));
    v8::ScriptCompiler::CachedData* cached = CachedDataFrom(info[6]);
    v8::ScriptCompiler::Source source(info[1].As<v8::String>(), origin, cached);
    auto mode = cached == nullptr ? v8::ScriptCompiler::kNoCompileOptions : v8::ScriptCompiler::kConsumeCodeCache;
    {
      v8::TryCatch caught(js.isolate);
      if (!v8::ScriptCompiler::CompileModule(js.isolate, &source, mode).ToLocal(&module)) return NoteArrow(js, caught);
    }
    if (cached != nullptr && source.GetCachedData()->rejected) return js.Throw("ERR_VM_MODULE_CACHED_DATA_REJECTED");
  } else {
    return js.ThrowTypeError("A module needs a source or a list of export names");
  }
  new ModuleWrap(js, info.This(), module, home, js.Utf8(url));
}

/// What the magic comment in the source of `function` names, or undefined.
v8::Local<v8::Value> SourceMapUrlOf(Js& js, v8::Local<v8::Function> function) {
  v8::Local<v8::Value> url = function->GetScriptOrigin().SourceMapUrl();
  return url.IsEmpty() ? js.Undefined().As<v8::Value>() : url;
}

/// The compiled code of a function of compileFunction(), for a later one.
v8::MaybeLocal<v8::Value> CodeCacheOf(Js& js, v8::Local<v8::Function> function) {
  std::unique_ptr<v8::ScriptCompiler::CachedData> data(v8::ScriptCompiler::CreateCodeCacheForFunction(function));
  if (data == nullptr) return js.Undefined().As<v8::Value>();
  return MakeBuffer(js, std::span<const uint8_t>(data->data, static_cast<size_t>(data->length)));
}

/// compileFunction(source, filename, parameters, id, lineOffset, columnOffset, cachedData, outcome) -> function.
/// `outcome.rejected` says whether V8 had no use for the cached data.
void CompileFunction(const Info& info) {
  Js js(info);
  if (!info[0]->IsString() || !info[2]->IsArray()) return js.ThrowTypeError("compileFunction needs a source and parameters");
  std::vector<v8::Local<v8::String>> names;
  v8::Local<v8::Array> list = info[2].As<v8::Array>();
  for (uint32_t i = 0; i < list->Length(); i++) {
    v8::Local<v8::Value> name;
    if (!list->Get(js.context, i).ToLocal(&name) || !name->IsString()) return;
    names.push_back(name.As<v8::String>());
  }
  int line = info[4]->IsInt32() ? info[4].As<v8::Int32>()->Value() : 0;
  int column = info[5]->IsInt32() ? info[5].As<v8::Int32>()->Value() : 0;
  v8::ScriptOrigin origin(info[1], line, column, true, -1, {}, false, false, false, HostOptions(js, info[3]));
  v8::ScriptCompiler::CachedData* cached = CachedDataFrom(info[6]);
  v8::ScriptCompiler::Source source(info[0].As<v8::String>(), origin, cached);
  auto how = cached != nullptr ? v8::ScriptCompiler::kConsumeCodeCache : v8::ScriptCompiler::kNoCompileOptions;
  v8::Local<v8::Function> function;
  v8::TryCatch caught(js.isolate);
  if (!v8::ScriptCompiler::CompileFunction(js.context, &source, names.size(), names.data(), 0, nullptr, how)
           .ToLocal(&function)) {
    return NoteArrow(js, caught);
  }
  if (cached != nullptr && info[7]->IsObject()) {
    js.Set(info[7].As<v8::Object>(), "rejected", js.Bool(source.GetCachedData()->rejected));
  }
  info.GetReturnValue().Set(function);
}

/// runScript(source, filename, id) -> completion value
void RunScript(const Info& info) {
  Js js(info);
  if (!info[0]->IsString()) return js.ThrowTypeError("runScript needs a source");
  v8::ScriptOrigin origin(info[1], 0, 0, true, -1, {}, false, false, false, HostOptions(js, info[2]));
  v8::ScriptCompiler::Source source(info[0].As<v8::String>(), origin);
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> result;
  v8::TryCatch caught(js.isolate);
  if (!v8::ScriptCompiler::Compile(js.context, &source).ToLocal(&script) || !script->Run(js.context).ToLocal(&result)) {
    return NoteArrow(js, caught);
  }
  info.GetReturnValue().Set(result);
}

/// The line with a caret that was noted when `error` came out of compiling or linking, or undefined.
v8::MaybeLocal<v8::Value> ArrowOf(Js& js, v8::Local<v8::Value> error) {
  if (!error->IsObject()) return js.Undefined().As<v8::Value>();
  return error.As<v8::Object>()->GetPrivate(js.context, v8::Private::ForApi(js.isolate, js.Name(bridge::kArrowKey)));
}

constexpr NativeFunction kMethods[] = {
    Method<&ModuleWrap::GetModuleRequests>("getModuleRequests"),
    Method<&ModuleWrap::Link>("link"),
    Method<&ModuleWrap::Instantiate>("instantiate"),
    Method<&ModuleWrap::Evaluate>("evaluate"),
    Method<&ModuleWrap::EvaluateFor>("evaluateFor"),
    Method<&ModuleWrap::HasTopLevelAwait>("hasTopLevelAwait"),
    Method<&ModuleWrap::CreateCachedData>("createCachedData"),
    Method<&ModuleWrap::GetNamespace>("getNamespace"),
    Method<&ModuleWrap::GetStatus>("getStatus"),
    Method<&ModuleWrap::GetError>("getError"),
    Method<&ModuleWrap::IsGraphAsync>("isGraphAsync"),
    Method<&ModuleWrap::SetExport>("setExport"),
    Method<&ModuleWrap::StalledAwait>("stalledAwait"),
    Method<&ModuleWrap::Url>("getUrl"),
    Method<&ModuleWrap::SourceMapUrl>("sourceMapUrl"),
};
constexpr NativeFunction kFunctions[] = {
    RawFn("compileFunction", &CompileFunction, 6),
    RawFn("runScript", &RunScript, 3),
    Fn<&ArrowOf>("arrowOf"),
    Fn<&SourceMapUrlOf>("sourceMapUrlOf"),
    Fn<&CodeCacheOf>("codeCacheOf"),
};
const NativeClass* const kClasses[] = {&ModuleWrap::kClass};

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "kUninstantiated", js.Int(v8::Module::kUninstantiated));
  js.Set(target, "kInstantiating", js.Int(v8::Module::kInstantiating));
  js.Set(target, "kInstantiated", js.Int(v8::Module::kInstantiated));
  js.Set(target, "kEvaluating", js.Int(v8::Module::kEvaluating));
  js.Set(target, "kEvaluated", js.Int(v8::Module::kEvaluated));
  js.Set(target, "kErrored", js.Int(v8::Module::kErrored));
}

}  // namespace

const NativeClass ModuleWrap::kClass = {.name = "ModuleWrap", .construct = &Construct, .methods = kMethods};

extern const NativeModule kModuleModule;
const NativeModule kModuleModule = {.name = "module", .functions = kFunctions, .classes = kClasses, .init = &Init};

}  // namespace gyre::modules
