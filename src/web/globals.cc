// Properties of the global object that are made when first read, yet look like plain data properties before.
#include "bridge/module.h"

namespace gyre::modules {

namespace {

/// Called by V8 at the first read; what it returns becomes the property's value.
void LoadValue(v8::Local<v8::Name> name, const v8::PropertyCallbackInfo<v8::Value>& info) {
  if (!info.Data()->IsFunction()) return;
  v8::Local<v8::Value> key = name;
  v8::Local<v8::Value> value;
  v8::Local<v8::Context> context = info.GetIsolate()->GetCurrentContext();
  if (info.Data().As<v8::Function>()->Call(context, v8::Undefined(info.GetIsolate()), 1, &key).ToLocal(&value)) {
    info.GetReturnValue().Set(value);
  }
}

/// defineLazy(object, name, load, enumerable): load(name) gives the value.
void DefineLazy(const v8::FunctionCallbackInfo<v8::Value>& info) {
  Js js(info);
  if (!info[0]->IsObject() || !info[1]->IsName() || !info[2]->IsFunction()) {
    return js.ThrowTypeError("defineLazy(object, name, load, enumerable)");
  }
  v8::PropertyAttribute attributes = info[3]->IsTrue() ? v8::None : v8::DontEnum;
  info[0].As<v8::Object>()
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
