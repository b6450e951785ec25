// ES modules as the loader sees them: v8::Module behind a JavaScript object.
//
// Thread: the isolate's. Owner: the JavaScript object; V8 refers to modules by identity, so each wrap is listed in the
// realm's registry for as long as it lives.
#ifndef GYRE_MODULES_MODULE_MODULE_WRAP_H_
#define GYRE_MODULES_MODULE_MODULE_WRAP_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "bridge/module.h"

namespace gyre::modules {

class ModuleWrap : public Wrap {
 public:
  static const NativeClass kClass;
  ModuleWrap(Js& js, v8::Local<v8::Object> object, v8::Local<v8::Module> module, v8::Local<v8::Context> home,
             std::string url);
  ~ModuleWrap() override;

  static ModuleWrap* Of(Realm& realm, v8::Local<v8::Module> module);
  v8::Local<v8::Module> module() const { return module_.Get(realm().isolate()); }

  v8::Local<v8::Array> GetModuleRequests(Js& js);
  void Link(Js& js, v8::Local<v8::Array> modules);
  void Instantiate(Js& js);
  v8::MaybeLocal<v8::Value> Evaluate(Js& js);
  /// evaluateFor(milliseconds | 0, breakOnSigint): Evaluate within limits, for node:vm.
  v8::MaybeLocal<v8::Value> EvaluateFor(Js& js, uint32_t milliseconds, bool break_on_sigint);
  v8::MaybeLocal<v8::Value> GetNamespace(Js& js);
  int32_t GetStatus(Js& js);
  v8::MaybeLocal<v8::Value> GetError(Js& js);
  bool IsGraphAsync(Js& js);
  bool HasTopLevelAwait(Js& js);
  v8::MaybeLocal<v8::Value> CreateCachedData(Js& js);
  /// Where a top-level await of the graph waits for ever: file, line and caret, or "".
  std::string StalledAwait(Js& js);
  void SetExport(Js& js, v8::Local<v8::String> name, v8::Local<v8::Value> value);
  std::string Url(Js&) { return url_; }
  /// What the source's magic comment names, or undefined.
  v8::Local<v8::Value> SourceMapUrl(Js& js);

 private:
  friend v8::MaybeLocal<v8::Module> ResolveImport(v8::Local<v8::Context>, v8::Local<v8::String>,
                                                  v8::Local<v8::FixedArray>, v8::Local<v8::Module>);
  friend v8::MaybeLocal<v8::Object> ResolveSource(v8::Local<v8::Context>, v8::Local<v8::String>,
                                                  v8::Local<v8::FixedArray>, v8::Local<v8::Module>);
  friend v8::MaybeLocal<v8::Value> EvaluateSynthetic(v8::Local<v8::Context>, v8::Local<v8::Module>);
  bool LinkSource(Js& js, ModuleWrap& target, v8::Local<v8::ModuleRequest> request);
  /// The context that the module was compiled in: node:vm makes modules of others than the current one.
  v8::Local<v8::Context> home() const { return home_.Get(realm().isolate()); }

  v8::Global<v8::Module> module_;
  v8::Global<v8::Context> home_;
  std::string url_;
  std::unordered_map<std::string, v8::Global<v8::Module>> linked_;  // by specifier and attributes
  std::unordered_map<std::string, v8::Global<v8::Object>> sources_;  // the same, of imports in the source phase
};

/// The isolate's HostInitializeImportMetaObjectCallback.
void InitializeImportMeta(v8::Local<v8::Context> context, v8::Local<v8::Module> module, v8::Local<v8::Object> meta);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_MODULE_MODULE_WRAP_H_
