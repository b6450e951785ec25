// binding('realm'): what the bootstrap and the loaders need of the native side.
#include <string_view>

#include "bridge/module.h"
#include "runtime/options.h"
#include "runtime/builtins.h"
#include "runtime/modules.h"
#include "runtime/runtime.h"

namespace gyre::runtime {

namespace {

constexpr struct {
  std::string_view name;
  Hook hook;
} kHookNames[] = {
    {"errorCodes", Hook::kErrorCodes},
    {"uncaught", Hook::kUncaught},
    {"importDynamically", Hook::kImportDynamically},
    {"importMeta", Hook::kImportMeta},
    {"prepareStackTrace", Hook::kPrepareStackTrace},
    {"main", Hook::kMain},
    {"beforeExit", Hook::kBeforeExit},
    {"exit", Hook::kExit},
    {"requireBuiltin", Hook::kRequireBuiltin},
    {"messagePort", Hook::kMessagePort},
    {"emitProcess", Hook::kEmitProcess},
    {"asyncHooks", Hook::kAsyncHooks},
    {"bufferPrototype", Hook::kBufferPrototype},
    {"domException", Hook::kDomException},
};

void SetHook(Js& js, std::string name, v8::Local<v8::Value> value) {
  for (const auto& entry : kHookNames) {
    if (entry.name == name) return js.realm.SetHook(entry.hook, value);
  }
  js.ThrowError("No hook is named " + name);
}

v8::MaybeLocal<v8::Object> GetBinding(Js& js, std::string name) { return js.realm.Binding(js, name); }

bool HasBinding(Js& js, std::string name) { return engine::FindNativeModule(name) != nullptr; }

v8::MaybeLocal<v8::Function> Compile(Js& js, std::string id) {
  static const char* const kParameters[] = {"exports", "require", "module", "process", "binding"};
  return CompileBuiltin(js, id, kParameters);
}

bool Exists(Js&, std::string id) { return BuiltinExists(id); }

/// Whether this realm is made to be put into a snapshot.
bool IsMakingSnapshot(Js& js) { return !js.realm.has_loop(); }

void Exit(Js& js, int32_t status) {
  if (Agent* agent = Agent::Of(js.realm)) agent->Exit(status);
}

/// { flags, strings, lists, execPath, argv0, execArgv, args, forceStdin }
v8::MaybeLocal<v8::Object> GetOptions(Js& js) {
  const Options& options = ProcessOptions();
  auto null_object = [&] { return v8::Object::New(js.isolate, js.Null(), nullptr, nullptr, 0); };
  auto strings = [&](const std::vector<std::string>& list) {
    v8::Local<v8::Array> array = v8::Array::New(js.isolate, static_cast<int>(list.size()));
    for (uint32_t i = 0; i < list.size(); i++) js.Set(array, i, js.Str(list[i]));
    return array;
  };
  v8::Local<v8::Object> values = null_object();
  for (const auto& [name, value] : options.flags) js.Set(values, name, js.Bool(value));
  for (const auto& [name, value] : options.strings) js.Set(values, name, js.Str(value));
  for (const auto& [name, value] : options.lists) js.Set(values, name, strings(value));
  v8::Local<v8::Object> result = null_object();
  js.Set(result, "values", values);
  js.Set(result, "execPath", js.Str(options.exec_path));
  js.Set(result, "argv0", js.Str(options.argv0));
  js.Set(result, "execArgv", strings(options.exec_argv));
  js.Set(result, "args", strings(options.args));
  js.Set(result, "forceStdin", js.Bool(options.force_stdin));
  js.Set(result, "isMainThread", js.Bool(js.realm.is_main_thread));
  js.Set(result, "threadId", js.Uint(js.realm.thread_id));
  return result;
}

v8::Local<v8::Array> Names(Js& js, std::span<const char* const> names) {
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, static_cast<int>(names.size()));
  for (uint32_t i = 0; i < names.size(); i++) js.Set(array, i, js.Name(names[i]));
  return array;
}

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "publicModules", Names(js, PublicModules()));
  js.Set(target, "schemeOnlyModules", Names(js, SchemeOnlyModules()));
  js.Set(target, "kPromise", v8::Symbol::New(js.isolate, js.Str("promise")));
}

constexpr NativeFunction kFunctions[] = {
    Fn<&SetHook>("setHook"), Fn<&GetBinding>("binding"), Fn<&HasBinding>("hasBinding"), Fn<&Compile>("compileBuiltin"),
    Fn<&Exists>("builtinExists"), Fn<&Exit>("exit"),
    Fn<&IsMakingSnapshot>("isMakingSnapshot"), Fn<&GetOptions>("getOptions"),
};

}  // namespace

extern const NativeModule kRealmModule;
const NativeModule kRealmModule = {
    .name = "realm", .functions = kFunctions, .init = &Init, .references = &AddSourceReferences};

}  // namespace gyre::runtime
