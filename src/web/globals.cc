// Properties of the global object that are made when first read, yet look like plain data properties before.
#include "bridge/module.h"

namespace gyre::modules {

namespace {

/// Called by V8 at the first read; what it returns becomes the property's value. The data is the id of the module that
/// exports it: a string, because a snapshot cannot hold a function there.
void LoadValue(v8::Local<v8::Name> name, const v8::PropertyCallbackInfo<v8::Value>& info) {
  Js js(info.GetIsolate());
  v8::Local<v8::Function> require = js.realm.hook_function(Hook::kRequireBuiltin);
  v8::Local<v8::Value> id = info.Data();
  v8::Local<v8::Value> exports;
  v8::Local<v8::Value> value;
  if (require.IsEmpty() || !require->Call(js.context, js.Undefined(), 1, &id).ToLocal(&exports)) return;
  if (exports->IsObject() && exports.As<v8::Object>()->Get(js.context, name).ToLocal(&value)) {
    info.GetReturnValue().Set(value);
  }
}

/// defineLazy(object, name, id, enumerable): the value is what the module `id` exports by that name.
void DefineLazy(const v8::FunctionCallbackInfo<v8::Value>& info) {
  Js js(info);
  if (!info[0]->IsObject() || !info[1]->IsName() || !info[2]->IsString()) {
    return js.ThrowTypeError("defineLazy(object, name, id, enumerable)");
  }
  v8::PropertyAttribute attributes = info[3]->IsTrue() ? v8::None : v8::DontEnum;
  info[0]
      .As<v8::Object>()
      ->SetLazyDataProperty(js.context, info[1].As<v8::Name>(), &LoadValue, info[2], attributes)
      .FromMaybe(false);
}

constexpr NativeFunction kFunctions[] = {RawFn("defineLazy", &DefineLazy)};

void AddReferences(std::vector<intptr_t>& list) { list.push_back(reinterpret_cast<intptr_t>(&LoadValue)); }

}  // namespace

extern const NativeModule kWebGlobalsModule;
const NativeModule kWebGlobalsModule = {
    .name = "web_globals", .functions = kFunctions, .classes = {}, .init = nullptr, .references = &AddReferences};

}  // namespace gyre::modules
