#include "web/message.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "web/message_port.h"

namespace gyre::web {

namespace {

// What an object says of itself by the property `transferMode`, see transferable.js.
constexpr uint32_t kTransferable = 1;
constexpr uint32_t kCloneable = 2;
constexpr uint32_t kUncloneable = 4;

void ThrowDataClone(Js& js, v8::Local<v8::String> message) {
  v8::Local<v8::Function> make = js.realm.hook_function(Hook::kDomException);
  if (make.IsEmpty()) {
    js.isolate->ThrowException(v8::Exception::Error(message));
    return;
  }
  v8::Local<v8::Value> argv[] = {message, js.Str("DataCloneError")};
  v8::Local<v8::Value> error;
  if (make->Call(js.context, js.Undefined(), 2, argv).ToLocal(&error)) js.isolate->ThrowException(error);
}

void ThrowInvalidArgType(Js& js, std::string_view message) {
  v8::Local<v8::Value> error = v8::Exception::TypeError(js.Str(message));
  if (js.Set(error.As<v8::Object>(), "code", js.Str("ERR_INVALID_ARG_TYPE"))) js.isolate->ThrowException(error);
}

void ThrowDataClone(Js& js, std::string_view message) { ThrowDataClone(js, js.Str(message)); }

/// Keys that every serialisation asks for.
struct MessagingState {
  explicit MessagingState(Realm& realm) {
    Js js(realm);
    uncloneable.Reset(js.isolate, v8::Private::ForApi(js.isolate, js.Name("gyre:uncloneable")));
    clones_as_plain.Reset(js.isolate, v8::Private::ForApi(js.isolate, js.Name("gyre:clonesAsPlain")));
    untransferable.Reset(js.isolate, v8::Private::ForApi(js.isolate, js.Name("gyre:untransferable")));
  }
  v8::Global<v8::Private> uncloneable;
  v8::Global<v8::Private> untransferable;
  v8::Global<v8::Private> clones_as_plain;  // process.env
  v8::Global<v8::Object> functions;  // of messaging.js, once it has registered them
  v8::Global<v8::Symbol> mode_symbol;
};

bool IsMarked(Js& js, v8::Local<v8::Object> object, const v8::Global<v8::Private>& mark) {
  v8::Local<v8::Value> value;
  return object->GetPrivate(js.context, mark.Get(js.isolate)).ToLocal(&value) && value->IsTrue();
}

/// The functions of messaging.js and the symbol of transferable.js, which it registers as one object.
struct Protocol {
  MessagingState& state;
  bool valid = false;
  v8::Local<v8::Object> functions;
  v8::Local<v8::Symbol> mode_symbol;

  explicit Protocol(Js& js) : state(js.realm.Slot<MessagingState>()) {
    if (state.functions.IsEmpty()) {
      v8::Local<v8::Value> hook = js.realm.hook(Hook::kMessagePort);
      v8::Local<v8::Value> symbol;
      if (!hook->IsObject() || !js.Get(hook.As<v8::Object>(), "transferMode").ToLocal(&symbol)) return;
      if (!symbol->IsSymbol()) return;
      state.functions.Reset(js.isolate, hook.As<v8::Object>());
      state.mode_symbol.Reset(js.isolate, symbol.As<v8::Symbol>());
    }
    functions = state.functions.Get(js.isolate);
    mode_symbol = state.mode_symbol.Get(js.isolate);
    valid = true;
  }

  v8::MaybeLocal<v8::Value> Call(Js& js, std::string_view name, int argc, v8::Local<v8::Value>* argv) const {
    v8::Local<v8::Value> function;
    if (!js.Get(functions, name).ToLocal(&function) || !function->IsFunction()) {
      js.ThrowError("messaging is not set up");
      return {};
    }
    return function.As<v8::Function>()->Call(js.context, js.Undefined(), argc, argv);
  }

  uint32_t ModeOf(Js& js, v8::Local<v8::Object> object) const {
    v8::Local<v8::Value> mode;
    if (!valid || object->IsProxy() || !object->Get(js.context, mode_symbol).ToLocal(&mode)) return 0;
    return mode->IsUint32() ? mode.As<v8::Uint32>()->Value() : 0;
  }
};

class SerializerDelegate : public v8::ValueSerializer::Delegate {
 public:
  SerializerDelegate(Js& js, const Protocol& protocol, Message& message)
      : js_(js), protocol_(protocol), message_(message) {}

  void set_serializer(v8::ValueSerializer* serializer) { serializer_ = serializer; }

  /// An object of the transfer list. All are added before anything is written.
  void AddTransferred(v8::Local<v8::Object> object) {
    Add(object);
    transferred_count_++;
  }
  bool Knows(v8::Local<v8::Object> object) const { return IndexOf(object) != kNotThere; }
  /// Those of the transfer list first, then those to be copied, which writing a description may add to.
  size_t object_count() const { return objects_.size(); }
  v8::Local<v8::Object> object(size_t index) const { return objects_[index].Get(js_.isolate); }
  size_t transferred_count() const { return transferred_count_; }

  void ThrowDataCloneError(v8::Local<v8::String> message) override { ThrowDataClone(js_, message); }
  bool HasCustomHostObject(v8::Isolate*) override { return true; }

  v8::Maybe<bool> IsHostObject(v8::Isolate*, v8::Local<v8::Object> object) override {
    if (object->InternalFieldCount() > 0) return v8::Just(true);
    return v8::Just(protocol_.ModeOf(js_, object) != 0 || IsMarked(js_, object, protocol_.state.uncloneable));
  }

  v8::Maybe<bool> WriteHostObject(v8::Isolate*, v8::Local<v8::Object> object) override {
    size_t known = IndexOf(object);
    if (known != kNotThere) {
      serializer_->WriteUint32(static_cast<uint32_t>(known));
      return v8::Just(true);
    }
    uint32_t mode = protocol_.ModeOf(js_, object);
    bool uncloneable = (mode & kUncloneable) != 0 || IsMarked(js_, object, protocol_.state.uncloneable);
    bool cloneable = (mode & kCloneable) != 0 || IsMarked(js_, object, protocol_.state.clones_as_plain);
    if (!uncloneable && cloneable) {
      serializer_->WriteUint32(static_cast<uint32_t>(objects_.size()));
      Add(object);
      return v8::Just(true);
    }
    if (!uncloneable && (mode & kTransferable) != 0) {
      ThrowDataClone(js_, "Object that needs transfer was found in message but not listed in transferList");
    } else {
      ThrowDataClone(js_, "Cannot clone object of unsupported type.");
    }
    return v8::Nothing<bool>();
  }

  v8::Maybe<uint32_t> GetSharedArrayBufferId(v8::Isolate*, v8::Local<v8::SharedArrayBuffer> shared) override {
    std::shared_ptr<v8::BackingStore> store = shared->GetBackingStore();
    auto& stores = message_.shared_array_buffers;
    for (size_t i = 0; i < stores.size(); i++) {
      if (stores[i]->Data() == store->Data()) return v8::Just(static_cast<uint32_t>(i));
    }
    stores.push_back(std::move(store));
    return v8::Just(static_cast<uint32_t>(stores.size() - 1));
  }

  v8::Maybe<uint32_t> GetWasmModuleTransferId(v8::Isolate*, v8::Local<v8::WasmModuleObject> module) override {
    message_.wasm_modules.push_back(module->GetCompiledModule());
    return v8::Just(static_cast<uint32_t>(message_.wasm_modules.size() - 1));
  }

 private:
  static constexpr size_t kNotThere = SIZE_MAX;

  void Add(v8::Local<v8::Object> object) { objects_.emplace_back(js_.isolate, object); }
  size_t IndexOf(v8::Local<v8::Object> object) const {
    for (size_t i = 0; i < objects_.size(); i++) {
      if (objects_[i] == object) return i;
    }
    return kNotThere;
  }

  Js& js_;
  const Protocol& protocol_;
  Message& message_;
  v8::ValueSerializer* serializer_ = nullptr;
  // Not Locals: V8 calls from scopes of its own, which end before the objects are asked for.
  std::vector<v8::Global<v8::Object>> objects_;
  size_t transferred_count_ = 0;
};

/// Collects the transfer list: ArrayBuffers on one side, ports and other objects on the other.
class Transfer {
 public:
  Transfer(Js& js, const Protocol& protocol, SerializerDelegate& delegate, const PortEnd* source)
      : js_(js), protocol_(protocol), delegate_(delegate), source_(source) {}

  bool Collect(v8::Local<v8::Value> list) {
    if (!list->IsArray()) return true;
    v8::Local<v8::Array> array = list.As<v8::Array>();
    for (uint32_t i = 0; i < array->Length(); i++) {
      v8::Local<v8::Value> entry;
      if (!array->Get(js_.context, i).ToLocal(&entry) || !Add(entry)) return false;
    }
    return true;
  }

  const std::vector<v8::Local<v8::ArrayBuffer>>& array_buffers() const { return array_buffers_; }

  /// After the value was written: takes everything out of the hands of this realm.
  bool Take(Message& message) {
    for (v8::Local<v8::ArrayBuffer> buffer : array_buffers_) {
      // A getter of the value may have done it.
      if (buffer->WasDetached()) return Fail("An ArrayBuffer is detached and could not be cloned.");
      std::shared_ptr<v8::BackingStore> store = buffer->GetBackingStore();
      if (!buffer->Detach(v8::Local<v8::Value>()).FromMaybe(false)) return false;
      message.array_buffers.push_back(std::move(store));
    }
    return TakeObjects(message);
  }

 private:
  bool Fail(std::string_view text) {
    ThrowDataClone(js_, text);
    return false;
  }

  bool Add(v8::Local<v8::Value> entry) {
    if (entry->IsArrayBuffer()) return AddArrayBuffer(entry.As<v8::ArrayBuffer>());
    if (!entry->IsObject()) {
      ThrowInvalidArgType(js_, "Value is not an object");
      return false;
    }
    v8::Local<v8::Object> object = entry.As<v8::Object>();
    if (IsMarked(js_, object, protocol_.state.untransferable))
      return Fail("Cannot transfer object of unsupported type.");
    if (delegate_.Knows(object)) {
      return Fail(std::string("Transfer list contains duplicate ") + js_.Utf8(object->GetConstructorName()));
    }
    if ((protocol_.ModeOf(js_, object) & kTransferable) == 0) return Fail("Found invalid value in transferList.");
    v8::Local<v8::Value> argv[] = {object};
    v8::Local<v8::Value> handle;
    if (!protocol_.Call(js_, "portHandle", 1, argv).ToLocal(&handle)) return false;
    PortWrap* port = handle->IsObject() ? Wrap::From<PortWrap>(handle) : nullptr;
    if (port != nullptr) {
      if (port->end() == nullptr) return Fail("MessagePort in transfer list is already detached");
      if (port->end().get() == source_) return Fail("Transfer list contains source port");
    }
    delegate_.AddTransferred(object);
    // An object may bring more along: a stream its port.
    v8::Local<v8::Value> more;
    if (port != nullptr) return true;
    if (!protocol_.Call(js_, "transferList", 1, argv).ToLocal(&more)) return false;
    return Collect(more);
  }

  bool AddArrayBuffer(v8::Local<v8::ArrayBuffer> buffer) {
    if (!buffer->IsDetachable() || buffer->WasDetached() || IsMarked(js_, buffer, protocol_.state.untransferable)) {
      return Fail("Cannot transfer object of unsupported type.");
    }
    if (std::ranges::find(array_buffers_, buffer) != array_buffers_.end()) {
      return Fail("Transfer list contains duplicate ArrayBuffer");
    }
    array_buffers_.push_back(buffer);
    return true;
  }

  /// Moves what the list named and copies what the value held besides; a description may hold more of the latter.
  bool TakeObjects(Message& message) {
    for (size_t i = 0; i < delegate_.object_count(); i++) {
      v8::Local<v8::Object> object = delegate_.object(i);
      v8::Local<v8::Value> argv[] = {object};
      bool transferred = i < delegate_.transferred_count();
      if (transferred) {
        v8::Local<v8::Value> handle;
        if (!protocol_.Call(js_, "portHandle", 1, argv).ToLocal(&handle)) return false;
        PortWrap* port = handle->IsObject() ? Wrap::From<PortWrap>(handle) : nullptr;
        if (port != nullptr) {
          if (port->end() == nullptr) return Fail("MessagePort in transfer list is already detached");
          message.objects.push_back({port->Release(), {}});
          continue;
        }
      }
      v8::Local<v8::Value> description;
      if (!protocol_.Call(js_, transferred ? "transfer" : "clone", 1, argv).ToLocal(&description)) return false;
      v8::ValueSerializer serializer(js_.isolate, &delegate_);
      delegate_.set_serializer(&serializer);
      serializer.WriteHeader();
      if (!serializer.WriteValue(js_.context, description).FromMaybe(false)) return false;
      message.objects.push_back({nullptr, SerializedData(serializer.Release())});
    }
    return true;
  }

  Js& js_;
  const Protocol& protocol_;
  SerializerDelegate& delegate_;
  const PortEnd* source_;
  std::vector<v8::Local<v8::ArrayBuffer>> array_buffers_;
};

class DeserializerDelegate : public v8::ValueDeserializer::Delegate {
 public:
  DeserializerDelegate(Js& js, Message& message) : js_(js), message_(message) {}

  void set_deserializer(v8::ValueDeserializer* deserializer) { deserializer_ = deserializer; }
  std::vector<v8::Local<v8::Object>>& objects() { return objects_; }

  v8::MaybeLocal<v8::Object> ReadHostObject(v8::Isolate*) override {
    uint32_t index;
    if (!deserializer_->ReadUint32(&index) || index >= objects_.size() || objects_[index].IsEmpty()) {
      js_.ThrowError("Unable to deserialize an object");
      return {};
    }
    return objects_[index];
  }

  v8::MaybeLocal<v8::SharedArrayBuffer> GetSharedArrayBufferFromId(v8::Isolate* isolate, uint32_t id) override {
    if (id >= message_.shared_array_buffers.size()) return {};
    while (shared_.size() <= id) shared_.emplace_back();
    if (shared_[id].IsEmpty()) shared_[id] = v8::SharedArrayBuffer::New(isolate, message_.shared_array_buffers[id]);
    return shared_[id];
  }

  v8::MaybeLocal<v8::WasmModuleObject> GetWasmModuleFromId(v8::Isolate* isolate, uint32_t id) override {
    if (id >= message_.wasm_modules.size()) return {};
    return v8::WasmModuleObject::FromCompiledModule(isolate, message_.wasm_modules[id]);
  }

 private:
  Js& js_;
  Message& message_;
  v8::ValueDeserializer* deserializer_ = nullptr;
  std::vector<v8::Local<v8::Object>> objects_;
  std::vector<v8::Local<v8::SharedArrayBuffer>> shared_;
};

v8::MaybeLocal<v8::Object> MakeObject(Js& js, const Protocol& protocol, const SerializedData& data,
                                      DeserializerDelegate& delegate) {
  v8::ValueDeserializer deserializer(js.isolate, data.data(), data.size(), &delegate);
  delegate.set_deserializer(&deserializer);
  v8::Local<v8::Value> description;
  v8::Local<v8::Value> argv[2];
  v8::Local<v8::Value> object;
  if (!deserializer.ReadHeader(js.context).FromMaybe(false)) return {};
  if (!deserializer.ReadValue(js.context).ToLocal(&description) || !description->IsArray()) return {};
  for (uint32_t i = 0; i < 2; i++) {
    if (!description.As<v8::Array>()->Get(js.context, i).ToLocal(&argv[i])) return {};
  }
  if (!protocol.Call(js, "deserialize", 2, argv).ToLocal(&object) || !object->IsObject()) return {};
  return object.As<v8::Object>();
}

v8::MaybeLocal<v8::Object> MakePort(Js& js, const Protocol& protocol, std::shared_ptr<PortEnd> end,
                                    v8::Local<v8::Function> maker) {
  v8::Local<v8::Object> handle;
  v8::Local<v8::Value> port;
  if (!PortWrap::Create(js, std::move(end), maker).ToLocal(&handle)) return {};
  v8::Local<v8::Value> argv[] = {handle};
  if (!maker.IsEmpty()) {
    if (!maker->Call(js.context, js.Undefined(), 1, argv).ToLocal(&port) || !port->IsObject()) return {};
    return port.As<v8::Object>();
  }
  if (!protocol.Call(js, "createPort", 1, argv).ToLocal(&port) || !port->IsObject()) return {};
  return port.As<v8::Object>();
}

/// Makes the objects that V8 does not know before the value that refers to them is read: V8 allows no JavaScript to run
/// meanwhile. Ports come first, then the others from the last to the first, as descriptions refer to later ones.
bool ReadObjects(Js& js, const Protocol& protocol, Message& message, DeserializerDelegate& delegate,
                 std::vector<v8::Local<v8::Value>>* ports, v8::Local<v8::Function> make_port) {
  std::vector<v8::Local<v8::Object>>& objects = delegate.objects();
  objects.resize(message.objects.size());
  for (size_t i = 0; i < objects.size(); i++) {
    if (message.objects[i].port == nullptr) continue;
    if (!MakePort(js, protocol, std::move(message.objects[i].port), make_port).ToLocal(&objects[i])) return false;
    if (ports != nullptr) ports->push_back(objects[i]);
  }
  for (size_t i = objects.size(); i > 0; i--) {
    if (!objects[i - 1].IsEmpty()) continue;
    if (!MakeObject(js, protocol, message.objects[i - 1].description, delegate).ToLocal(&objects[i - 1])) return false;
  }
  return true;
}

}  // namespace

bool Message::HasPort(const PortEnd* end) const {
  return std::ranges::any_of(objects, [&](const HostObject& object) { return object.port.get() == end; });
}

SerializedData SerializedData::Copy() const {
  auto* data = static_cast<uint8_t*>(std::malloc(size_));
  CHECK(data != nullptr || size_ == 0);
  if (size_ != 0) std::memcpy(data, data_, size_);
  return SerializedData({data, size_});
}

std::unique_ptr<Message> Message::Copy() const {
  auto copy = std::make_unique<Message>();
  copy->value = value.Copy();
  copy->shared_array_buffers = shared_array_buffers;
  for (const v8::CompiledWasmModule& module : wasm_modules) copy->wasm_modules.push_back(module);
  return copy;
}

std::unique_ptr<Message> Serialize(Js& js, v8::Local<v8::Value> value, v8::Local<v8::Value> transfer_list,
                                   const PortEnd* source) {
  Protocol protocol(js);
  auto message = std::make_unique<Message>();
  SerializerDelegate delegate(js, protocol, *message);
  Transfer transfer(js, protocol, delegate, source);
  if (!transfer.Collect(transfer_list)) return nullptr;
  v8::ValueSerializer serializer(js.isolate, &delegate);
  delegate.set_serializer(&serializer);
  serializer.WriteHeader();
  for (uint32_t i = 0; i < transfer.array_buffers().size(); i++) {
    serializer.TransferArrayBuffer(i, transfer.array_buffers()[i]);
  }
  if (!serializer.WriteValue(js.context, value).FromMaybe(false)) return nullptr;
  message->value = SerializedData(serializer.Release());
  if (!transfer.Take(*message)) return nullptr;
  return message;
}

v8::MaybeLocal<v8::Value> Deserialize(Js& js, Message& message, std::vector<v8::Local<v8::Value>>* ports,
                                      v8::Local<v8::Function> make_port) {
  v8::EscapableHandleScope scope(js.isolate);
  Protocol protocol(js);
  DeserializerDelegate delegate(js, message);
  if (!ReadObjects(js, protocol, message, delegate, ports, make_port)) return {};
  v8::ValueDeserializer deserializer(js.isolate, message.value.data(), message.value.size(), &delegate);
  delegate.set_deserializer(&deserializer);
  for (uint32_t i = 0; i < message.array_buffers.size(); i++) {
    deserializer.TransferArrayBuffer(i, v8::ArrayBuffer::New(js.isolate, std::move(message.array_buffers[i])));
  }
  v8::Local<v8::Value> value;
  if (!deserializer.ReadHeader(js.context).FromMaybe(false)) return {};
  if (!deserializer.ReadValue(js.context).ToLocal(&value)) return {};
  return scope.EscapeMaybe(v8::MaybeLocal<v8::Value>(value));
}

}  // namespace gyre::web
