#include "engine/realm.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "engine/wrap.h"

namespace gyre::engine {

void IllegalConstructor(const v8::FunctionCallbackInfo<v8::Value>& info) {
  Js js(info);
  js.Throw("ERR_ILLEGAL_CONSTRUCTOR");
}

namespace internal {
uint32_t NextSlotId() {
  static std::atomic<uint32_t> next{0};
  return next++;
}
}  // namespace internal

Realm::Realm(v8::Isolate* isolate, loop::Loop* loop) : isolate_(isolate), loop_(loop) {
  isolate->SetData(kIsolateSlot, this);
}

Realm::~Realm() {
  Wrap::DestroyAll(*this);
  while (!slots_in_order_.empty()) slots_in_order_.pop_back();
  isolate_->SetData(kIsolateSlot, nullptr);
}

void Realm::Attach(v8::Local<v8::Context> context, v8::Local<v8::Array> hooks) {
  context_.Reset(isolate_, context);
  hooks_array_.Reset(isolate_, hooks);
}

SlotBase* Realm::AddSlot(std::unique_ptr<SlotBase> slot) {
  slots_in_order_.push_back(std::move(slot));
  return slots_in_order_.back().get();
}

v8::Local<v8::Value> Realm::hook(Hook which) const {
  auto index = static_cast<uint32_t>(which);
  if (hooks_[index].IsEmpty()) {
    v8::Local<v8::Value> value;
    if (hooks_array_.IsEmpty() || !hooks_array()->Get(context(), index).ToLocal(&value)) return v8::Undefined(isolate_);
    if (value->IsUndefined()) return value;
    hooks_[index].Reset(isolate_, value);
  }
  return hooks_[index].Get(isolate_);
}

v8::Local<v8::Function> Realm::hook_function(Hook which) const {
  v8::Local<v8::Value> value = hook(which);
  return value->IsFunction() ? value.As<v8::Function>() : v8::Local<v8::Function>();
}

void Realm::SetHook(Hook which, v8::Local<v8::Value> value) {
  auto index = static_cast<uint32_t>(which);
  hooks_[index].Reset();
  hooks_array()->Set(context(), index, value).Check();  // a plain array of ours: cannot fail
}

v8::Local<v8::Value> Realm::FindSharedArray(std::string_view name) {
  Js js(*this);
  v8::Local<v8::Value> fields = hook(Hook::kSharedFields);
  v8::Local<v8::Value> found;
  if (!fields->IsObject() || !js.Get(fields.As<v8::Object>(), name).ToLocal(&found)) return js.Undefined();
  return found;
}

void Realm::KeepSharedArray(std::string_view name, v8::Local<v8::TypedArray> view) {
  Js js(*this);
  v8::Local<v8::Value> fields = hook(Hook::kSharedFields);
  if (!fields->IsObject()) {
    fields = v8::Object::New(isolate_, v8::Null(isolate_), nullptr, nullptr, 0);
    SetHook(Hook::kSharedFields, fields);
  }
  CHECK(js.Set(fields.As<v8::Object>(), name, view));
}

void* Realm::SharedFieldData(std::string_view name, v8::Local<v8::TypedArray> view) {
  auto& entry = shared_fields_[std::string(name)];
  if (entry.second == nullptr) {
    // While a snapshot is made nothing may keep a backing store: the pointer alone stays good.
    if (has_loop()) entry.first = view->Buffer()->GetBackingStore();
    entry.second = view->Buffer()->Data();
  }
  return entry.second;
}

namespace {

v8::Local<v8::FunctionTemplate> FunctionPattern(v8::Isolate* isolate, const NativeFunction& entry,
                                                v8::Local<v8::Signature> signature) {
  v8::CFunction fast;
  if (entry.fast != nullptr) fast = entry.fast();
  return v8::FunctionTemplate::New(isolate, entry.callback, {}, signature, entry.length,
                                   v8::ConstructorBehavior::kThrow, v8::SideEffectType::kHasSideEffect,
                                   entry.fast != nullptr ? &fast : nullptr);
}

void SetMethods(v8::Isolate* isolate, v8::Local<v8::Template> target, std::span<const NativeFunction> methods,
                v8::Local<v8::Signature> signature) {
  for (const NativeFunction& method : methods) {
    v8::Local<v8::FunctionTemplate> function = FunctionPattern(isolate, method, signature);
    v8::Local<v8::String> name =
        v8::String::NewFromUtf8(isolate, method.name, v8::NewStringType::kInternalized).ToLocalChecked();
    function->SetClassName(name);
    target->Set(name, function);
  }
}

v8::Local<v8::String> Key(v8::Isolate* isolate, const char* name) {
  return v8::String::NewFromUtf8(isolate, name, v8::NewStringType::kInternalized).ToLocalChecked();
}

v8::Local<v8::FunctionTemplate> AccessorFunction(v8::Isolate* isolate, v8::FunctionCallback callback) {
  if (callback == nullptr) return {};
  return v8::FunctionTemplate::New(isolate, callback, {}, {}, 0, v8::ConstructorBehavior::kThrow);
}

/// The place of a class in the tables: also its place among the data of a snapshot.
size_t ClassIndex(const NativeClass& spec) {
  size_t index = 0;
  for (const NativeModule* module : NativeModules()) {
    for (const NativeClass* candidate : module->classes) {
      if (candidate == &spec) return index;
      index++;
    }
  }
  CHECK(false && "a native class that no module lists");
  return 0;
}

}  // namespace

v8::Local<v8::FunctionTemplate> Realm::ClassTemplate(const NativeClass& spec) {
  auto& kept = class_templates_[&spec];
  if (!kept.IsEmpty()) return kept.Get(isolate_);
  v8::Local<v8::FunctionTemplate> result;
  if (from_snapshot &&
      isolate_->GetDataFromSnapshotOnce<v8::FunctionTemplate>(ClassIndex(spec)).ToLocal(&result)) {
    kept.Reset(isolate_, result);
    return result;
  }
  result = v8::FunctionTemplate::New(isolate_, spec.construct != nullptr ? spec.construct : &IllegalConstructor);
  result->SetClassName(Key(isolate_, spec.name));
  result->InstanceTemplate()->SetInternalFieldCount(Wrap::kFieldCount);
  if (spec.parent != nullptr) result->Inherit(ClassTemplate(*spec.parent));
  SetMethods(isolate_, result->PrototypeTemplate(), spec.methods, {});
  SetMethods(isolate_, result, spec.statics, {});
  for (const NativeAccessor& accessor : spec.accessors) {
    result->PrototypeTemplate()->SetAccessorProperty(Key(isolate_, accessor.name),
                                                     AccessorFunction(isolate_, accessor.get),
                                                     AccessorFunction(isolate_, accessor.set));
  }
  kept.Reset(isolate_, result);
  return result;
}

v8::MaybeLocal<v8::Object> Realm::Binding(Js& js, std::string_view name) {
  std::string key(name);
  auto found = bindings_.find(key);
  if (found != bindings_.end()) return found->second.Get(isolate_);
  const NativeModule* module = FindNativeModule(name);
  if (module == nullptr) {
    js.ThrowError("No such native module: " + key);
    return {};
  }
  v8::Local<v8::Object> target = v8::Object::New(isolate_);
  for (const NativeFunction& entry : module->functions) {
    v8::Local<v8::FunctionTemplate> pattern = FunctionPattern(isolate_, entry, {});
    pattern->SetClassName(Key(isolate_, entry.name));
    v8::Local<v8::Function> function;
    if (!pattern->GetFunction(js.context).ToLocal(&function)) return {};
    function->SetName(Key(isolate_, entry.name));
    if (!js.Set(target, entry.name, function)) return {};
  }
  for (const NativeClass* spec : module->classes) {
    v8::Local<v8::Function> constructor;
    if (!ClassTemplate(*spec)->GetFunction(js.context).ToLocal(&constructor)) return {};
    if (!js.Set(target, spec->name, constructor)) return {};
  }
  if (module->init != nullptr) module->init(js, target);
  bindings_[key].Reset(isolate_, target);
  return target;
}

void Realm::ReleaseForSnapshot(const std::function<void(v8::Local<v8::FunctionTemplate>)>& add_template) {
  for (const NativeModule* module : NativeModules()) {
    for (const NativeClass* spec : module->classes) add_template(ClassTemplate(*spec));
  }
  class_templates_.clear();
  bindings_.clear();
  for (auto& hook : hooks_) hook.Reset();
  shared_fields_.clear();
  slots_in_order_.clear();
  slots_.clear();
  hooks_array_.Reset();
  context_.Reset();
}

}  // namespace gyre::engine
