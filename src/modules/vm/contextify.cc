#include "modules/inspector/inspector.h"
#include "modules/vm/contextify.h"

#include <memory>

namespace gyre::vm {

namespace {

using v8::Intercepted;
using v8::Local;
using v8::Name;
using v8::Value;

// Where a context keeps the object that its global stands for; far from V8's and the inspector's own indices.
constexpr int kObjectIndex = 40;
// True in a context that may not compile WebAssembly.
constexpr int kNoWasmIndex = 41;

bool AllowsWasm(v8::Local<v8::Context> context, v8::Local<v8::String>) {
  if (context->GetNumberOfEmbedderDataFields() <= static_cast<uint32_t>(kNoWasmIndex)) return true;
  return !context->GetEmbedderData(kNoWasmIndex)->IsTrue();
}

Local<v8::Private> ContextSymbol(Js& js) { return v8::Private::ForApi(js.isolate, js.Name("gyre:vm:context")); }
Local<v8::Private> QueueSymbol(Js& js) { return v8::Private::ForApi(js.isolate, js.Name("gyre:vm:microtasks")); }

class MicrotaskQueueWrap : public Wrap {
 public:
  MicrotaskQueueWrap(Js& js, Local<v8::Object> object)
      : Wrap(js.realm, object, &kMicrotaskQueueClass),
        queue_(v8::MicrotaskQueue::New(js.isolate, v8::MicrotasksPolicy::kExplicit)) {}
  v8::MicrotaskQueue* queue() const { return queue_.get(); }

 private:
  std::unique_ptr<v8::MicrotaskQueue> queue_;
};

// What an interceptor works on; `object` is empty while V8 is still building the context.
struct Target {
  Local<v8::Context> context;
  Local<v8::Object> object;
  explicit operator bool() const { return !object.IsEmpty(); }
};

template <typename T>
Target TargetOf(const v8::PropertyCallbackInfo<T>& info) {
  Target target;
  if (!info.HolderV2()->GetCreationContext(info.GetIsolate()).ToLocal(&target.context)) return target;
  if (target.context->GetNumberOfEmbedderDataFields() <= static_cast<uint32_t>(kObjectIndex)) return target;
  Local<Value> object = target.context->GetEmbedderData(kObjectIndex);
  if (object->IsObject()) target.object = object.As<v8::Object>();
  return target;
}

Intercepted GetProperty(Local<Name> property, const v8::PropertyCallbackInfo<Value>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  Local<Value> value;
  // What the object does not have, V8 looks for on the real global.
  if (!target.object->GetRealNamedProperty(target.context, property).ToLocal(&value)) return Intercepted::kNo;
  if (value == target.object) value = target.context->Global();
  info.GetReturnValue().Set(value);
  return Intercepted::kYes;
}

Intercepted QueryProperty(Local<Name> property, const v8::PropertyCallbackInfo<v8::Integer>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  v8::PropertyAttribute attributes;
  bool own = false;
  if (!target.object->HasRealNamedProperty(target.context, property).To(&own) || !own) return Intercepted::kNo;
  if (!target.object->GetRealNamedPropertyAttributes(target.context, property).To(&attributes)) return Intercepted::kNo;
  info.GetReturnValue().Set(static_cast<uint32_t>(attributes));
  return Intercepted::kYes;
}

// What is known of a property before it is written.
struct Declared {
  bool on_global = false;
  bool on_object = false;
  bool read_only = false;
  bool fixed = false;  // not configurable, on the global
  bool anywhere() const { return on_global || on_object; }
};

Declared Inspect(const Target& target, Local<Name> property) {
  Declared declared;
  v8::PropertyAttribute attributes;
  if (target.context->Global()->GetRealNamedPropertyAttributes(target.context, property).To(&attributes)) {
    declared.on_global = true;
    declared.read_only = (attributes & v8::ReadOnly) != 0;
    declared.fixed = (attributes & v8::DontDelete) != 0;
  }
  if (target.object->GetRealNamedPropertyAttributes(target.context, property).To(&attributes)) {
    declared.on_object = true;
    declared.read_only = declared.read_only || (attributes & v8::ReadOnly) != 0;
  }
  return declared;
}

bool HasAccessor(const Target& target, v8::Isolate* isolate, Local<Name> property) {
  Local<Value> descriptor;
  if (!target.object->GetOwnPropertyDescriptor(target.context, property).ToLocal(&descriptor)) return false;
  if (!descriptor->IsObject()) return false;
  for (const char* key : {"get", "set"}) {
    Local<v8::String> name = v8::String::NewFromUtf8(isolate, key).ToLocalChecked();
    if (descriptor.As<v8::Object>()->HasOwnProperty(target.context, name).FromMaybe(false)) return true;
  }
  return false;
}

Intercepted SetProperty(Local<Name> property, Local<Value> value, const v8::PropertyCallbackInfo<void>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  Declared declared = Inspect(target, property);
  if (declared.read_only) return Intercepted::kNo;
  // `x = 1` as against `globalThis.x = 1`: in strict mode an undeclared name is an error, which V8 raises.
  bool bare = target.context->Global() != info.This();
  if (!declared.anywhere() && info.ShouldThrowOnError() && bare && !value->IsFunction()) return Intercepted::kNo;
  if (!declared.anywhere() && property->IsSymbol()) return Intercepted::kNo;
  if (target.object->Set(target.context, property, value).IsNothing()) return Intercepted::kYes;
  // A setter of the object has done all there is to do; a value goes to the real global too, where functions and
  // variables of scripts are looked up.
  if (declared.on_object && HasAccessor(target, info.GetIsolate(), property)) return Intercepted::kYes;
  return Intercepted::kNo;
}

Intercepted DescribeProperty(Local<Name> property, const v8::PropertyCallbackInfo<Value>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  if (!target.object->HasOwnProperty(target.context, property).FromMaybe(false)) return Intercepted::kNo;
  Local<Value> descriptor;
  if (!target.object->GetOwnPropertyDescriptor(target.context, property).ToLocal(&descriptor)) return Intercepted::kNo;
  info.GetReturnValue().Set(descriptor);
  return Intercepted::kYes;
}

void CopyFlags(const v8::PropertyDescriptor& from, v8::PropertyDescriptor* to) {
  if (from.has_enumerable()) to->set_enumerable(from.enumerable());
  if (from.has_configurable()) to->set_configurable(from.configurable());
}

Intercepted DefineProperty(Local<Name> property, const v8::PropertyDescriptor& descriptor,
                           const v8::PropertyCallbackInfo<void>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  Declared declared = Inspect(target, property);
  // Neither writable nor configurable on the global: V8 refuses, and the object stays as it is.
  if (declared.on_global && declared.read_only && declared.fixed) return Intercepted::kNo;
  v8::Isolate* isolate = info.GetIsolate();
  Local<Value> undefined = v8::Undefined(isolate);
  if (descriptor.has_get() || descriptor.has_set()) {
    v8::PropertyDescriptor copy(descriptor.has_get() ? descriptor.get() : undefined,
                                descriptor.has_set() ? descriptor.set() : undefined);
    CopyFlags(descriptor, &copy);
    (void)target.object->DefineProperty(target.context, property, copy);
  } else {
    Local<Value> value = descriptor.has_value() ? descriptor.value() : undefined;
    if (descriptor.has_writable()) {
      v8::PropertyDescriptor copy(value, descriptor.writable());
      CopyFlags(descriptor, &copy);
      (void)target.object->DefineProperty(target.context, property, copy);
    } else {
      v8::PropertyDescriptor copy(value);
      CopyFlags(descriptor, &copy);
      (void)target.object->DefineProperty(target.context, property, copy);
    }
  }
  return Intercepted::kNo;
}

Intercepted DeleteProperty(Local<Name> property, const v8::PropertyCallbackInfo<v8::Boolean>& info) {
  Target target = TargetOf(info);
  if (!target) return Intercepted::kNo;
  bool deleted = false;
  if (target.object->Delete(target.context, property).To(&deleted) && deleted) return Intercepted::kNo;
  info.GetReturnValue().Set(false);
  return Intercepted::kYes;
}

void ListProperties(const v8::PropertyCallbackInfo<v8::Array>& info, v8::IndexFilter indices) {
  Target target = TargetOf(info);
  if (!target) return;
  Local<v8::Array> names;
  if (target.object
          ->GetPropertyNames(target.context, v8::KeyCollectionMode::kOwnOnly, v8::ALL_PROPERTIES, indices,
                             v8::KeyConversionMode::kConvertToString)
          .ToLocal(&names)) {
    info.GetReturnValue().Set(names);
  }
}

void ListNames(const v8::PropertyCallbackInfo<v8::Array>& info) { ListProperties(info, v8::IndexFilter::kSkipIndices); }

// Only those of the object that are indices.
void ListIndices(const v8::PropertyCallbackInfo<v8::Array>& info) {
  Target target = TargetOf(info);
  if (!target) return;
  Local<v8::Array> names;
  if (!target.object
           ->GetPropertyNames(target.context, v8::KeyCollectionMode::kOwnOnly, v8::SKIP_SYMBOLS,
                              v8::IndexFilter::kIncludeIndices, v8::KeyConversionMode::kKeepNumbers)
           .ToLocal(&names)) {
    return;
  }
  std::vector<Local<Value>> indices;
  for (uint32_t i = 0; i < names->Length(); i++) {
    Local<Value> name;
    if (names->Get(target.context, i).ToLocal(&name) && name->IsNumber()) indices.push_back(name);
  }
  info.GetReturnValue().Set(v8::Array::New(info.GetIsolate(), indices.data(), indices.size()));
}

Local<Name> IndexName(v8::Isolate* isolate, uint32_t index) {
  return v8::Integer::NewFromUnsigned(isolate, index)
      ->ToString(isolate->GetCurrentContext())
      .FromMaybe(v8::String::Empty(isolate));
}

Intercepted GetIndex(uint32_t index, const v8::PropertyCallbackInfo<Value>& info) {
  return GetProperty(IndexName(info.GetIsolate(), index), info);
}
Intercepted SetIndex(uint32_t index, Local<Value> value, const v8::PropertyCallbackInfo<void>& info) {
  return SetProperty(IndexName(info.GetIsolate(), index), value, info);
}
Intercepted QueryIndex(uint32_t index, const v8::PropertyCallbackInfo<v8::Integer>& info) {
  return QueryProperty(IndexName(info.GetIsolate(), index), info);
}
Intercepted DeleteIndex(uint32_t index, const v8::PropertyCallbackInfo<v8::Boolean>& info) {
  return DeleteProperty(IndexName(info.GetIsolate(), index), info);
}
Intercepted DefineIndex(uint32_t index, const v8::PropertyDescriptor& descriptor,
                        const v8::PropertyCallbackInfo<void>& info) {
  return DefineProperty(IndexName(info.GetIsolate(), index), descriptor, info);
}
Intercepted DescribeIndex(uint32_t index, const v8::PropertyCallbackInfo<Value>& info) {
  return DescribeProperty(IndexName(info.GetIsolate(), index), info);
}

struct Templates {
  explicit Templates(Realm&) {}
  v8::Global<v8::ObjectTemplate> global;
};

Local<v8::ObjectTemplate> GlobalTemplate(Js& js) {
  Templates& templates = js.realm.Slot<Templates>();
  if (!templates.global.IsEmpty()) return templates.global.Get(js.isolate);
  Local<v8::FunctionTemplate> function = v8::FunctionTemplate::New(js.isolate);
  function->SetClassName(js.Name("Object"));
  Local<v8::ObjectTemplate> global = function->InstanceTemplate();
  global->SetHandler(v8::NamedPropertyHandlerConfiguration(&GetProperty, &SetProperty, &QueryProperty, &DeleteProperty,
                                                           &ListNames, &DefineProperty, &DescribeProperty, {},
                                                           v8::PropertyHandlerFlags::kHasNoSideEffect));
  global->SetHandler(v8::IndexedPropertyHandlerConfiguration(&GetIndex, &SetIndex, &QueryIndex, &DeleteIndex,
                                                             &ListIndices, &DefineIndex, &DescribeIndex, {},
                                                             v8::PropertyHandlerFlags::kHasNoSideEffect));
  templates.global.Reset(js.isolate, global);
  return global;
}

v8::MaybeLocal<v8::Context> NewContext(Js& js, Local<v8::ObjectTemplate> global, const ContextOptions& options) {
  v8::MicrotaskQueue* queue = nullptr;
  Local<v8::Object> queue_object;
  if (options.own_microtasks) {
    if (!Wrap::NewInstance(js, kMicrotaskQueueClass).ToLocal(&queue_object)) return {};
    queue = (new MicrotaskQueueWrap(js, queue_object))->queue();
  } else {
    queue = js.context->GetMicrotaskQueue();
  }
  Local<v8::Context> context = v8::Context::New(js.isolate, nullptr, global, {}, {}, queue);
  if (context.IsEmpty()) {
    js.ThrowError("A context could not be made");
    return {};
  }
  // Objects of the two contexts may look at each other.
  context->SetSecurityToken(js.context->GetSecurityToken());
  context->AllowCodeGenerationFromStrings(options.allow_strings);
  if (!options.allow_strings) {
    context->SetErrorMessageForCodeGenerationFromStrings(
        js.Str("Code generation from strings disallowed for this context"));
  }
  context->SetEmbedderData(kNoWasmIndex, js.Bool(!options.allow_wasm));
  std::string origin = options.origin.IsEmpty() || !options.origin->IsString() ? "" : js.Utf8(options.origin);
  modules::TellInspectorOfContext(js, context, options.name.IsEmpty() ? "VM Context" : js.Utf8(options.name), origin);
  if (!options.allow_wasm) js.isolate->SetAllowWasmCodeGenerationCallback(&AllowsWasm);
  if (!queue_object.IsEmpty()) {
    (void)context->Global()->SetPrivate(context, QueueSymbol(js), queue_object);
  }
  return context;
}

}  // namespace

const NativeClass kMicrotaskQueueClass = {.name = "MicrotaskQueue"};

v8::MaybeLocal<v8::Context> MakeContext(Js& js, Local<v8::Object> object, const ContextOptions& options) {
  Local<v8::Context> context;
  if (!NewContext(js, GlobalTemplate(js), options).ToLocal(&context)) return {};
  context->SetEmbedderData(kObjectIndex, object);
  if (object->SetPrivate(js.context, ContextSymbol(js), context->Global()).IsNothing()) return {};
  return context;
}

v8::MaybeLocal<v8::Context> MakeVanillaContext(Js& js, const ContextOptions& options) {
  Local<v8::Context> context;
  if (!NewContext(js, {}, options).ToLocal(&context)) return {};
  if (context->Global()->SetPrivate(context, ContextSymbol(js), context->Global()).IsNothing()) return {};
  return context;
}

v8::MaybeLocal<v8::Context> ContextOf(Js& js, Local<v8::Object> object) {
  Local<Value> global;
  if (!object->GetPrivate(js.context, ContextSymbol(js)).ToLocal(&global) || !global->IsObject()) return {};
  return global.As<v8::Object>()->GetCreationContext(js.isolate);
}

v8::MicrotaskQueue* OwnMicrotasks(Js& js, Local<v8::Context> context) {
  Local<Value> object;
  if (!context->Global()->GetPrivate(context, QueueSymbol(js)).ToLocal(&object)) return nullptr;
  auto* wrap = static_cast<MicrotaskQueueWrap*>(Wrap::From(object, &kMicrotaskQueueClass));
  return wrap == nullptr ? nullptr : wrap->queue();
}

}  // namespace gyre::vm
