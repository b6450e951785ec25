#include "engine/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gyre::engine {

std::optional<BufferView> BytesOf(v8::Local<v8::Value> value) {
  if (value->IsArrayBufferView()) {
    v8::Local<v8::ArrayBufferView> view = value.As<v8::ArrayBufferView>();
    size_t size = view->ByteLength();
    if (size == 0) return BufferView();
    auto* base = static_cast<uint8_t*>(view->Buffer()->Data());
    if (base == nullptr) return BufferView();
    return BufferView(base + view->ByteOffset(), size);
  }
  if (value->IsArrayBuffer()) {
    v8::Local<v8::ArrayBuffer> buffer = value.As<v8::ArrayBuffer>();
    return BufferView(static_cast<uint8_t*>(buffer->Data()), buffer->ByteLength());
  }
  if (value->IsSharedArrayBuffer()) {
    v8::Local<v8::SharedArrayBuffer> buffer = value.As<v8::SharedArrayBuffer>();
    return BufferView(static_cast<uint8_t*>(buffer->Data()), buffer->ByteLength());
  }
  return std::nullopt;
}

std::optional<PinnedBuffer> PinnedBuffer::InPlace(v8::Local<v8::Value> value) {
  std::optional<BufferView> bytes = BytesOf(value);
  if (!bytes) return std::nullopt;
  PinnedBuffer pinned;
  if (value->IsArrayBufferView()) {
    pinned.store_ = value.As<v8::ArrayBufferView>()->Buffer()->GetBackingStore();
  } else if (value->IsArrayBuffer()) {
    pinned.store_ = value.As<v8::ArrayBuffer>()->GetBackingStore();
  } else {
    pinned.store_ = value.As<v8::SharedArrayBuffer>()->GetBackingStore();
  }
  pinned.data_ = bytes->data();
  pinned.size_ = bytes->size();
  return pinned;
}

std::optional<PinnedBuffer> PinnedBuffer::From(v8::Local<v8::Value> value) {
  std::optional<PinnedBuffer> pinned = InPlace(value);
  // Shared buffers only grow.
  if (!pinned || pinned->size_ == 0 || !pinned->store_->IsResizableByUserJavaScript() || pinned->store_->IsShared()) {
    return pinned;
  }
  pinned->offset_ = static_cast<size_t>(pinned->data_ - static_cast<uint8_t*>(pinned->store_->Data()));
  pinned->copy_ = std::make_shared_for_overwrite<uint8_t[]>(pinned->size_);
  std::memcpy(pinned->copy_.get(), pinned->data_, pinned->size_);
  pinned->data_ = pinned->copy_.get();
  return pinned;
}

void PinnedBuffer::Publish() const {
  if (copy_ == nullptr || store_->ByteLength() <= offset_) return;
  std::memcpy(static_cast<uint8_t*>(store_->Data()) + offset_, copy_.get(),
              std::min(size_, store_->ByteLength() - offset_));
}

std::optional<KernelBuffer> KernelBuffer::From(v8::Local<v8::Value> value) {
  std::optional<PinnedBuffer> pinned = InPlace(value);
  if (!pinned) return std::nullopt;
  return KernelBuffer(std::move(*pinned));
}

void ThrowBadArgument(Js& js, int index, const char* expected) {
  js.ThrowTypeError("Native argument " + std::to_string(index) + " must be " + expected);
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int, bool& out) {
  out = value->BooleanValue(js.isolate);
  return true;
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int, int32_t& out) { return value->Int32Value(js.context).To(&out); }

bool FromJs(Js& js, v8::Local<v8::Value> value, int, uint32_t& out) {
  return value->Uint32Value(js.context).To(&out);
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int, int64_t& out) {
  if (value->IsBigInt()) {
    out = value.As<v8::BigInt>()->Int64Value();
    return true;
  }
  return value->IntegerValue(js.context).To(&out);
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int, uint64_t& out) {
  if (value->IsBigInt()) {
    out = value.As<v8::BigInt>()->Uint64Value();
    return true;
  }
  int64_t number;
  if (!value->IntegerValue(js.context).To(&number)) return false;
  out = static_cast<uint64_t>(number);
  return true;
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int, double& out) { return value->NumberValue(js.context).To(&out); }

bool FromJs(Js& js, v8::Local<v8::Value> value, int index, std::string& out) {
  if (value->IsString()) {
    out = js.Utf8(value);
    return true;
  }
  if (std::optional<BufferView> bytes = BytesOf(value)) {
    out.assign(bytes->text());
    return true;
  }
  ThrowBadArgument(js, index, "a string");
  return false;
}

bool FromJs(Js&, v8::Local<v8::Value> value, int, v8::Local<v8::Value>& out) {
  out = value;
  return true;
}

#define GYRE_FROM_JS(Type, Test, text)                                                      \
  bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::Type>& out) {    \
    if (!value->Test()) {                                                                   \
      ThrowBadArgument(js, index, text);                                                    \
      return false;                                                                         \
    }                                                                                       \
    out = value.As<v8::Type>();                                                             \
    return true;                                                                            \
  }
GYRE_FROM_JS(Object, IsObject, "an object")
GYRE_FROM_JS(Function, IsFunction, "a function")
GYRE_FROM_JS(String, IsString, "a string")
GYRE_FROM_JS(Array, IsArray, "an array")
#undef GYRE_FROM_JS

bool FromJs(Js& js, v8::Local<v8::Value> value, int index, BufferView& out) {
  std::optional<BufferView> bytes = BytesOf(value);
  if (!bytes) {
    ThrowBadArgument(js, index, "a buffer");
    return false;
  }
  out = *bytes;
  return true;
}

namespace {

template <typename Buffer>
bool BufferFromJs(Js& js, v8::Local<v8::Value> value, int index, Buffer& out) {
  std::optional<Buffer> bytes = Buffer::From(value);
  if (!bytes) {
    ThrowBadArgument(js, index, "a buffer");
    return false;
  }
  out = std::move(*bytes);
  return true;
}

}  // namespace

bool FromJs(Js& js, v8::Local<v8::Value> value, int index, PinnedBuffer& out) {
  return BufferFromJs(js, value, index, out);
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int index, KernelBuffer& out) {
  return BufferFromJs(js, value, index, out);
}

bool FromJs(Js& js, v8::Local<v8::Value> value, int index, std::vector<std::string>& out) {
  v8::Local<v8::Array> array;
  if (!FromJs(js, value, index, array)) return false;
  uint32_t length = array->Length();
  for (uint32_t i = 0; i < length; i++) {
    v8::Local<v8::Value> item;
    std::string text;
    if (!array->Get(js.context, i).ToLocal(&item) || !FromJs(js, item, index, text)) return false;
    out.push_back(std::move(text));
  }
  return true;
}

}  // namespace gyre::engine
