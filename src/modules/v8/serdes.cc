// v8.Serializer and v8.Deserializer: V8's own serializer of values, with hooks that JavaScript overrides.

#include <cstring>
#include <optional>

#include "bridge/module.h"

namespace gyre::modules {

namespace {

/// Calls the method `name` of `self` if there is one. False: there is none; an empty result: an exception is
/// pending.
bool CallHook(Js& js, v8::Local<v8::Object> self, const char* name, int argc, v8::Local<v8::Value>* argv,
              v8::MaybeLocal<v8::Value>* result) {
  v8::Local<v8::Value> hook;
  if (!js.Get(self, name).ToLocal(&hook)) {
    *result = {};
    return true;
  }
  if (!hook->IsFunction()) return false;
  *result = hook.As<v8::Function>()->Call(js.context, self, argc, argv);
  return true;
}

class SerializerWrap final : public Wrap, private v8::ValueSerializer::Delegate {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) {
      return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", std::string_view("Serializer"));
    }
    new SerializerWrap(js.realm, info.This());
  }

  SerializerWrap(Realm& realm, v8::Local<v8::Object> object)
      : Wrap(realm, object, &kClass), serializer_(realm.isolate(), this) {}

  void WriteHeader(Js&) { serializer_.WriteHeader(); }

  void WriteValue(Js& js, const Info& info) {
    bool written = false;
    if (serializer_.WriteValue(js.context, info[0]).To(&written)) info.GetReturnValue().Set(written);
  }

  void ReleaseBuffer(Js& js, const Info& info) {
    auto [data, size] = serializer_.Release();
    v8::Local<v8::Object> buffer;
    // V8 reallocates with the delegate's functions, whose default is realloc().
    if (engine::AdoptBuffer(js, data, size).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
  }

  void TransferArrayBuffer(Js& js, const Info& info) {
    uint32_t id = 0;
    if (!info[0]->Uint32Value(js.context).To(&id)) return;
    if (info[1]->IsArrayBuffer()) {
      serializer_.TransferArrayBuffer(id, info[1].As<v8::ArrayBuffer>());
    } else if (!info[1]->IsSharedArrayBuffer()) {
      js.Throw("ERR_INVALID_ARG_TYPE", std::string_view("arrayBuffer"), std::string_view("ArrayBuffer"), info[1]);
    }
  }

  void WriteUint32(Js&, uint32_t value) { serializer_.WriteUint32(value); }
  void WriteUint64(Js&, uint32_t high, uint32_t low) {
    serializer_.WriteUint64((static_cast<uint64_t>(high) << 32) | low);
  }
  void WriteDouble(Js&, double value) { serializer_.WriteDouble(value); }

  void WriteRawBytes(Js& js, const Info& info) {
    std::optional<BufferView> bytes = engine::BytesOf(info[0]);
    if (!bytes.has_value()) return ThrowNotBytes(js, "source");
    serializer_.WriteRawBytes(bytes->data(), bytes->size());
  }

  void SetTreatArrayBufferViewsAsHostObjects(Js&, bool treat) {
    serializer_.SetTreatArrayBufferViewsAsHostObjects(treat);
  }

  static void ThrowNotBytes(Js& js, const char* name) {
    v8::Local<v8::Object> error =
        v8::Exception::TypeError(js.Str(std::string(name) + " must be a TypedArray or a DataView")).As<v8::Object>();
    js.Set(error, "code", js.Str("ERR_INVALID_ARG_TYPE"));
    js.isolate->ThrowException(error);
  }

 private:
  void ThrowDataCloneError(v8::Local<v8::String> message) override {
    Js js(realm());
    v8::Local<v8::Value> argv[] = {message};
    v8::MaybeLocal<v8::Value> made;
    v8::Local<v8::Value> error;
    if (!CallHook(js, object(), "_getDataCloneError", 1, argv, &made)) {
      js.isolate->ThrowException(v8::Exception::Error(message));
    } else if (made.ToLocal(&error)) {
      js.isolate->ThrowException(error);
    }
  }

  v8::Maybe<uint32_t> GetSharedArrayBufferId(v8::Isolate*, v8::Local<v8::SharedArrayBuffer> shared) override {
    Js js(realm());
    v8::Local<v8::Value> argv[] = {shared};
    v8::MaybeLocal<v8::Value> result;
    v8::Local<v8::Value> id;
    if (!CallHook(js, object(), "_getSharedArrayBufferId", 1, argv, &result)) {
      return v8::ValueSerializer::Delegate::GetSharedArrayBufferId(js.isolate, shared);
    }
    if (!result.ToLocal(&id)) return v8::Nothing<uint32_t>();
    return id->Uint32Value(js.context);
  }

  v8::Maybe<bool> WriteHostObject(v8::Isolate*, v8::Local<v8::Object> host) override {
    Js js(realm());
    v8::Local<v8::Value> argv[] = {host};
    v8::MaybeLocal<v8::Value> result;
    if (!CallHook(js, object(), "_writeHostObject", 1, argv, &result)) {
      return v8::ValueSerializer::Delegate::WriteHostObject(js.isolate, host);
    }
    return result.IsEmpty() ? v8::Nothing<bool>() : v8::Just(true);
  }

  v8::ValueSerializer serializer_;
};

class DeserializerWrap final : public Wrap, private v8::ValueDeserializer::Delegate {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) {
      return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", std::string_view("Deserializer"));
    }
    std::optional<BufferView> bytes = engine::BytesOf(info[0]);
    if (!bytes.has_value()) return SerializerWrap::ThrowNotBytes(js, "buffer");
    js.Set(info.This(), "buffer", info[0]);
    new DeserializerWrap(js.realm, info.This(), *bytes);
  }

  /// The bytes are copied: JavaScript could detach or change the buffer while values are being read.
  DeserializerWrap(Realm& realm, v8::Local<v8::Object> object, BufferView bytes)
      : Wrap(realm, object, &kClass),
        bytes_(bytes.data(), bytes.data() + bytes.size()),
        deserializer_(realm.isolate(), bytes_.data(), bytes_.size(), this) {}

  void ReadHeader(Js& js, const Info& info) {
    bool read = false;
    if (deserializer_.ReadHeader(js.context).To(&read)) info.GetReturnValue().Set(read);
  }

  void ReadValue(Js& js, const Info& info) {
    v8::Local<v8::Value> value;
    if (deserializer_.ReadValue(js.context).ToLocal(&value)) info.GetReturnValue().Set(value);
  }

  uint32_t GetWireFormatVersion(Js&) { return deserializer_.GetWireFormatVersion(); }

  void TransferArrayBuffer(Js& js, const Info& info) {
    uint32_t id = 0;
    if (!info[0]->Uint32Value(js.context).To(&id)) return;
    if (info[1]->IsArrayBuffer()) {
      deserializer_.TransferArrayBuffer(id, info[1].As<v8::ArrayBuffer>());
    } else if (info[1]->IsSharedArrayBuffer()) {
      deserializer_.TransferSharedArrayBuffer(id, info[1].As<v8::SharedArrayBuffer>());
    } else {
      v8::Local<v8::Object> error = v8::Exception::TypeError(
          js.Str("arrayBuffer must be an ArrayBuffer or SharedArrayBuffer")).As<v8::Object>();
      js.Set(error, "code", js.Str("ERR_INVALID_ARG_TYPE"));
      js.isolate->ThrowException(error);
    }
  }

  void ReadUint32(Js& js, const Info& info) {
    uint32_t value = 0;
    if (!deserializer_.ReadUint32(&value)) return js.ThrowError("ReadUint32() failed");
    info.GetReturnValue().Set(value);
  }

  void ReadUint64(Js& js, const Info& info) {
    uint64_t value = 0;
    if (!deserializer_.ReadUint64(&value)) return js.ThrowError("ReadUint64() failed");
    v8::Local<v8::Value> halves[] = {js.Uint(static_cast<uint32_t>(value >> 32)),
                                     js.Uint(static_cast<uint32_t>(value))};
    info.GetReturnValue().Set(v8::Array::New(js.isolate, halves, 2));
  }

  void ReadDouble(Js& js, const Info& info) {
    double value = 0;
    if (!deserializer_.ReadDouble(&value)) return js.ThrowError("ReadDouble() failed");
    info.GetReturnValue().Set(value);
  }

  /// Where in the buffer the next `length` bytes are.
  void ReadRawBytes(Js& js, const Info& info) {
    int64_t length = 0;
    if (!info[0]->IntegerValue(js.context).To(&length)) return;
    const void* data = nullptr;
    if (length < 0 || !deserializer_.ReadRawBytes(static_cast<size_t>(length), &data)) {
      return js.ThrowError("ReadRawBytes() failed");
    }
    info.GetReturnValue().Set(static_cast<double>(static_cast<const uint8_t*>(data) - bytes_.data()));
  }

 private:
  v8::MaybeLocal<v8::Object> ReadHostObject(v8::Isolate*) override {
    Js js(realm());
    v8::MaybeLocal<v8::Value> result;
    v8::Local<v8::Value> value;
    v8::Isolate::AllowJavascriptExecutionScope allow(js.isolate);
    if (!CallHook(js, object(), "_readHostObject", 0, nullptr, &result)) {
      return v8::ValueDeserializer::Delegate::ReadHostObject(js.isolate);
    }
    if (!result.ToLocal(&value)) return {};
    if (value->IsObject()) return value.As<v8::Object>();
    js.ThrowTypeError("readHostObject must return an object");
    return {};
  }

  v8::MaybeLocal<v8::SharedArrayBuffer> GetSharedArrayBufferFromId(v8::Isolate*, uint32_t id) override {
    Js js(realm());
    v8::Local<v8::Value> argv[] = {js.Uint(id)};
    v8::MaybeLocal<v8::Value> result;
    v8::Local<v8::Value> value;
    v8::Isolate::AllowJavascriptExecutionScope allow(js.isolate);
    if (!CallHook(js, object(), "_getSharedArrayBufferFromId", 1, argv, &result)) {
      return v8::ValueDeserializer::Delegate::GetSharedArrayBufferFromId(js.isolate, id);
    }
    if (!result.ToLocal(&value)) return {};
    if (value->IsSharedArrayBuffer()) return value.As<v8::SharedArrayBuffer>();
    js.ThrowTypeError("_getSharedArrayBufferFromId must return a SharedArrayBuffer");
    return {};
  }

  std::vector<uint8_t> bytes_;
  v8::ValueDeserializer deserializer_;
};

constexpr NativeFunction kSerializerMethods[] = {
    Method<&SerializerWrap::WriteHeader>("writeHeader"),
    RawMethod<&SerializerWrap::WriteValue>("writeValue"),
    RawMethod<&SerializerWrap::ReleaseBuffer>("releaseBuffer"),
    RawMethod<&SerializerWrap::TransferArrayBuffer>("transferArrayBuffer"),
    Method<&SerializerWrap::WriteUint32>("writeUint32"),
    Method<&SerializerWrap::WriteUint64>("writeUint64"),
    Method<&SerializerWrap::WriteDouble>("writeDouble"),
    RawMethod<&SerializerWrap::WriteRawBytes>("writeRawBytes"),
    Method<&SerializerWrap::SetTreatArrayBufferViewsAsHostObjects>("_setTreatArrayBufferViewsAsHostObjects"),
};

constexpr NativeFunction kDeserializerMethods[] = {
    RawMethod<&DeserializerWrap::ReadHeader>("readHeader"),
    RawMethod<&DeserializerWrap::ReadValue>("readValue"),
    Method<&DeserializerWrap::GetWireFormatVersion>("getWireFormatVersion"),
    RawMethod<&DeserializerWrap::TransferArrayBuffer>("transferArrayBuffer"),
    RawMethod<&DeserializerWrap::ReadUint32>("readUint32"),
    RawMethod<&DeserializerWrap::ReadUint64>("readUint64"),
    RawMethod<&DeserializerWrap::ReadDouble>("readDouble"),
    RawMethod<&DeserializerWrap::ReadRawBytes>("_readRawBytes"),
};

}  // namespace

const NativeClass SerializerWrap::kClass = {
    .name = "Serializer", .construct = &SerializerWrap::New, .methods = kSerializerMethods};
const NativeClass DeserializerWrap::kClass = {
    .name = "Deserializer", .construct = &DeserializerWrap::New, .methods = kDeserializerMethods};

namespace {
constexpr const NativeClass* kClasses[] = {&SerializerWrap::kClass, &DeserializerWrap::kClass};
}  // namespace

extern const NativeModule kSerdesModule;
const NativeModule kSerdesModule = {.name = "serdes", .classes = kClasses};

}  // namespace gyre::modules
