// The native half of localStorage and sessionStorage: the class Storage, whose items are properties of its objects
// (Web IDL, "Legacy platform objects": named properties without [LegacyOverrideBuiltIns]). Symbols are ordinary.
#include "web/storage.h"

#include <memory>
#include <vector>

#include "bridge/module.h"
#include "web/storage_area.h"

namespace gyre::modules {

namespace {

using v8::Intercepted;
using web::StorageArea;
using Name = v8::Local<v8::Name>;
using OptionalText = std::optional<std::u16string>;

/// Identity of the wrapper; the class is made by StorageClass(), since tables know no interceptors.
constexpr NativeClass kStorageTag = {.name = "Storage"};

struct StorageState {
  explicit StorageState(Realm&) {}
  v8::Global<v8::FunctionTemplate> storage;
  std::vector<std::weak_ptr<StorageArea>> areas;
};

class StorageWrap final : public Wrap {
 public:
  StorageWrap(Js& js, v8::Local<v8::Object> object, std::string path)
      : Wrap(js.realm, object, &kStorageTag), area_(std::make_shared<StorageArea>(std::move(path))) {
    js.realm.Slot<StorageState>().areas.push_back(area_);
  }
  StorageArea& area() { return *area_; }

 private:
  std::shared_ptr<StorageArea> area_;
};

std::u16string TextOf(Js& js, v8::Local<v8::String> string) {
  std::u16string text(static_cast<size_t>(string->Length()), u'\0');
  string->WriteV2(js.isolate, 0, static_cast<uint32_t>(text.size()), reinterpret_cast<uint16_t*>(text.data()));
  return text;
}

v8::MaybeLocal<v8::String> ToJs(Js& js, std::u16string_view text) {
  return v8::String::NewFromTwoByte(js.isolate, reinterpret_cast<const uint16_t*>(text.data()),
                                    v8::NewStringType::kNormal, static_cast<int>(text.size()));
}

void ThrowWithCode(Js& js, v8::Local<v8::Value> error, const char* code) {
  if (js.Set(error.As<v8::Object>(), "code", js.Str(code))) js.isolate->ThrowException(error);
}

void ThrowFailure(Js& js, const StorageArea::Failure& failure) {
  v8::Local<v8::Function> make = js.realm.hook_function(Hook::kDomException);
  if (!failure.quota_exceeded || make.IsEmpty()) {
    return ThrowWithCode(js, v8::Exception::Error(js.Str(failure.message)), "ERR_INVALID_STATE");
  }
  v8::Local<v8::Value> argv[] = {js.Str("Setting the value exceeded the quota"), js.Str("QuotaExceededError")};
  v8::Local<v8::Value> error;
  if (make->Call(js.context, js.Undefined(), 2, argv).ToLocal(&error)) js.isolate->ThrowException(error);
}

/// The answer's value, or nothing with an exception pending.
template <typename T>
std::optional<T> ValueOrThrow(Js& js, StorageArea::Answer<T>&& answer) {
  if (answer) return std::optional<T>(std::in_place, std::move(*answer));
  ThrowFailure(js, answer.error());
  return std::nullopt;
}

void ThrowUnlessDone(Js& js, const StorageArea::Answer<void>& answer) {
  if (!answer) ThrowFailure(js, answer.error());
}

// --- the items as properties ---

/// What a callback is about: the item's key, unless a property of the prototypes hides it. Nothing as well when the
/// look at the prototypes threw, which only a proxy among them can do.
std::optional<std::u16string> VisibleKey(Js& js, v8::Local<v8::Object> holder, Name name) {
  v8::PropertyAttribute ignored;
  if (holder->GetRealNamedPropertyAttributesInPrototypeChain(js.context, name).To(&ignored)) return std::nullopt;
  if (js.isolate->HasPendingException()) return std::nullopt;
  return TextOf(js, name.As<v8::String>());
}

template <typename T>
StorageArea* AreaOf(const v8::PropertyCallbackInfo<T>& info) {
  auto* wrap = static_cast<StorageWrap*>(Wrap::From(info.HolderV2(), &kStorageTag));
  return wrap == nullptr ? nullptr : &wrap->area();
}

template <typename T>
Intercepted Handled(Js& js, const v8::PropertyCallbackInfo<T>&, bool found) {
  return found || js.isolate->HasPendingException() ? Intercepted::kYes : Intercepted::kNo;
}

Intercepted GetItem(Name name, const v8::PropertyCallbackInfo<v8::Value>& info) {
  Js js(info.GetIsolate());
  StorageArea* area = AreaOf(info);
  OptionalText key = area == nullptr ? std::nullopt : VisibleKey(js, info.HolderV2(), name);
  if (!key) return Handled(js, info, false);
  std::optional<OptionalText> item = ValueOrThrow(js, area->Get(*key));
  v8::Local<v8::String> value;
  bool found = item && *item && ToJs(js, **item).ToLocal(&value);
  if (found) info.GetReturnValue().Set(value.As<v8::Value>());
  return Handled(js, info, found);
}

Intercepted StoreItem(Js& js, Name name, v8::Local<v8::Value> value, const v8::PropertyCallbackInfo<void>& info) {
  StorageArea* area = AreaOf(info);
  if (area == nullptr) return Intercepted::kNo;
  v8::Local<v8::String> text;
  if (!value->ToString(js.context).ToLocal(&text)) return Intercepted::kYes;
  ThrowUnlessDone(js, area->Set(TextOf(js, name.As<v8::String>()), TextOf(js, text)));
  return Intercepted::kYes;
}

Intercepted SetItem(Name name, v8::Local<v8::Value> value, const v8::PropertyCallbackInfo<void>& info) {
  // An object that inherits from a Storage gets the property itself.
  if (info.This() != info.HolderV2()) return Intercepted::kNo;
  Js js(info.GetIsolate());
  return StoreItem(js, name, value, info);
}

Intercepted QueryItem(Name name, const v8::PropertyCallbackInfo<v8::Integer>& info) {
  Js js(info.GetIsolate());
  StorageArea* area = AreaOf(info);
  OptionalText key = area == nullptr ? std::nullopt : VisibleKey(js, info.HolderV2(), name);
  if (!key) return Handled(js, info, false);
  bool found = ValueOrThrow(js, area->Has(*key)).value_or(false);
  if (found) info.GetReturnValue().Set(v8::None);
  return Handled(js, info, found);
}

Intercepted DeleteItem(Name name, const v8::PropertyCallbackInfo<v8::Boolean>& info) {
  Js js(info.GetIsolate());
  StorageArea* area = AreaOf(info);
  OptionalText key = area == nullptr ? std::nullopt : VisibleKey(js, info.HolderV2(), name);
  if (!key) return Handled(js, info, false);
  ThrowUnlessDone(js, area->Remove(*key));
  info.GetReturnValue().Set(true);  // deleting what is not there succeeds as well
  return Intercepted::kYes;
}

void ListItems(const v8::PropertyCallbackInfo<v8::Array>& info) {
  Js js(info.GetIsolate());
  StorageArea* area = AreaOf(info);
  if (area == nullptr) return;
  std::optional<std::vector<std::u16string>> keys = ValueOrThrow(js, area->Keys());
  if (!keys) return;
  std::vector<v8::Local<v8::Value>> names;
  names.reserve(keys->size());
  for (const std::u16string& key : *keys) {
    v8::Local<v8::String> name;
    if (!ToJs(js, key).ToLocal(&name)) return;
    if (VisibleKey(js, info.HolderV2(), name)) names.push_back(name);
    if (js.isolate->HasPendingException()) return;
  }
  info.GetReturnValue().Set(v8::Array::New(js.isolate, names.data(), names.size()));
}

Intercepted DefineItem(Name name, const v8::PropertyDescriptor& descriptor,
                       const v8::PropertyCallbackInfo<void>& info) {
  Js js(info.GetIsolate());
  if (descriptor.has_value()) return StoreItem(js, name, descriptor.value(), info);
  // Web IDL, [[DefineOwnProperty]] of legacy platform objects: only data can become an item.
  if (info.ShouldThrowOnError()) {
    js.ThrowTypeError("Cannot define property " + js.Utf8(name) + ", an item of a Storage needs a value");
  }
  return Intercepted::kYes;
}

template <typename T>
Name IndexName(const v8::PropertyCallbackInfo<T>& info, uint32_t index) {
  return Js(info.GetIsolate()).Name(std::to_string(index));
}

Intercepted GetIndex(uint32_t index, const v8::PropertyCallbackInfo<v8::Value>& info) {
  return GetItem(IndexName(info, index), info);
}
Intercepted SetIndex(uint32_t index, v8::Local<v8::Value> value, const v8::PropertyCallbackInfo<void>& info) {
  return SetItem(IndexName(info, index), value, info);
}
Intercepted QueryIndex(uint32_t index, const v8::PropertyCallbackInfo<v8::Integer>& info) {
  return QueryItem(IndexName(info, index), info);
}
Intercepted DeleteIndex(uint32_t index, const v8::PropertyCallbackInfo<v8::Boolean>& info) {
  return DeleteItem(IndexName(info, index), info);
}
Intercepted DefineIndex(uint32_t index, const v8::PropertyDescriptor& descriptor,
                        const v8::PropertyCallbackInfo<void>& info) {
  return DefineItem(IndexName(info, index), descriptor, info);
}

// --- the methods; V8 has checked the receiver against the signature ---

StorageArea& AreaOf(const Info& info) {
  return static_cast<StorageWrap*>(Wrap::From(info.This(), &kStorageTag))->area();
}

bool HasArguments(Js& js, const Info& info, const char* method, int count) {
  if (info.Length() >= count) return true;
  std::string message = std::string("Failed to execute '") + method + "' on 'Storage': " + std::to_string(count) +
                        (count == 1 ? " argument required" : " arguments required");
  ThrowWithCode(js, v8::Exception::TypeError(js.Str(message)), "ERR_MISSING_ARGS");
  return false;
}

OptionalText TextArgument(Js& js, const Info& info, int index) {
  v8::Local<v8::String> string;
  if (!info[index]->ToString(js.context).ToLocal(&string)) return std::nullopt;
  return TextOf(js, string);
}

/// Returns the text, or null to JavaScript if there is none.
void ReturnText(Js& js, const Info& info, const OptionalText& text) {
  v8::Local<v8::String> string;
  if (!text) return info.GetReturnValue().SetNull();
  if (ToJs(js, *text).ToLocal(&string)) info.GetReturnValue().Set(string);
}

void Length(const Info& info) {
  Js js(info);
  if (std::optional<uint32_t> length = ValueOrThrow(js, AreaOf(info).Length())) info.GetReturnValue().Set(*length);
}

void Clear(const Info& info) {
  Js js(info);
  ThrowUnlessDone(js, AreaOf(info).Clear());
}

void GetItemMethod(const Info& info) {
  Js js(info);
  if (!HasArguments(js, info, "getItem", 1)) return;
  OptionalText key = TextArgument(js, info, 0);
  if (!key) return;
  if (std::optional<OptionalText> item = ValueOrThrow(js, AreaOf(info).Get(*key))) ReturnText(js, info, *item);
}

void KeyMethod(const Info& info) {
  Js js(info);
  uint32_t index;
  if (!HasArguments(js, info, "key", 1) || !info[0]->Uint32Value(js.context).To(&index)) return;
  if (std::optional<OptionalText> key = ValueOrThrow(js, AreaOf(info).KeyAt(index))) ReturnText(js, info, *key);
}

void RemoveItemMethod(const Info& info) {
  Js js(info);
  if (!HasArguments(js, info, "removeItem", 1)) return;
  if (OptionalText key = TextArgument(js, info, 0)) ThrowUnlessDone(js, AreaOf(info).Remove(*key));
}

void SetItemMethod(const Info& info) {
  Js js(info);
  if (!HasArguments(js, info, "setItem", 2)) return;
  OptionalText key = TextArgument(js, info, 0);
  OptionalText value = key ? TextArgument(js, info, 1) : std::nullopt;
  if (value) ThrowUnlessDone(js, AreaOf(info).Set(*key, *value));
}

void Construct(const Info& info) {
  Js js(info);
  ThrowWithCode(js, v8::Exception::Error(js.Str("Illegal constructor")), "ERR_ILLEGAL_CONSTRUCTOR");
}

// --- the class ---

void InterceptItems(v8::Local<v8::ObjectTemplate> instance) {
  instance->SetHandler(v8::NamedPropertyHandlerConfiguration(&GetItem, &SetItem, &QueryItem, &DeleteItem, &ListItems,
                                                             &DefineItem, nullptr, {},
                                                             v8::PropertyHandlerFlags::kOnlyInterceptStrings));
  // The named handler lists indices as well.
  instance->SetHandler(v8::IndexedPropertyHandlerConfiguration(&GetIndex, &SetIndex, &QueryIndex, &DeleteIndex, nullptr,
                                                               &DefineIndex, nullptr));
}

v8::Local<v8::FunctionTemplate> StorageClass(Js& js) {
  v8::Global<v8::FunctionTemplate>& known = js.realm.Slot<StorageState>().storage;
  if (!known.IsEmpty()) return known.Get(js.isolate);
  v8::Local<v8::FunctionTemplate> storage = v8::FunctionTemplate::New(js.isolate, &Construct);
  storage->SetClassName(js.Name("Storage"));
  storage->InstanceTemplate()->SetInternalFieldCount(Wrap::kFieldCount);
  InterceptItems(storage->InstanceTemplate());

  v8::Local<v8::Signature> signature = v8::Signature::New(js.isolate, storage);
  v8::Local<v8::ObjectTemplate> prototype = storage->PrototypeTemplate();
  prototype->SetAccessorProperty(js.Name("length"), v8::FunctionTemplate::New(js.isolate, &Length, {}, signature), {},
                                 v8::DontDelete);
  constexpr std::pair<const char*, v8::FunctionCallback> kMethods[] = {
      {"clear", &Clear},           {"getItem", &GetItemMethod}, {"key", &KeyMethod}, {"removeItem", &RemoveItemMethod},
      {"setItem", &SetItemMethod},
  };
  for (const auto& [name, callback] : kMethods) {
    v8::Local<v8::FunctionTemplate> method =
        v8::FunctionTemplate::New(js.isolate, callback, {}, signature, 0, v8::ConstructorBehavior::kThrow);
    method->SetClassName(js.Name(name));
    prototype->Set(js.Name(name), method);
  }
  known.Reset(js.isolate, storage);
  return storage;
}

/// storageClass(): the constructor.
v8::MaybeLocal<v8::Function> GetStorageClass(Js& js) { return StorageClass(js)->GetFunction(js.context); }

/// createStorage(path): a Storage whose items are in that file.
v8::MaybeLocal<v8::Object> CreateStorage(Js& js, std::string path) {
  v8::Local<v8::Object> object;
  if (!StorageClass(js)->InstanceTemplate()->NewInstance(js.context).ToLocal(&object)) return {};
  new StorageWrap(js, object, std::move(path));  // owned by the object
  return object;
}

constexpr NativeFunction kFunctions[] = {
    Fn<&GetStorageClass>("storageClass"),
    Fn<&CreateStorage>("createStorage"),
};

}  // namespace

void CloseWebStorage(Realm& realm) {
  for (const std::weak_ptr<StorageArea>& area : realm.Slot<StorageState>().areas) {
    if (std::shared_ptr<StorageArea> open = area.lock()) open->Close();
  }
}

extern const NativeModule kWebStorageModule;
const NativeModule kWebStorageModule = {.name = "web_storage", .functions = kFunctions, .classes = {}, .init = nullptr};

}  // namespace gyre::modules
