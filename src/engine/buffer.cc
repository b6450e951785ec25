#include "engine/buffer.h"

#include <cstdlib>
#include <cstring>

#include "engine/realm.h"

namespace gyre::engine {

v8::MaybeLocal<v8::Object> BufferOver(Js& js, v8::Local<v8::ArrayBuffer> memory, size_t offset, size_t size) {
  v8::Local<v8::Uint8Array> view = v8::Uint8Array::New(memory, offset, size);
  v8::Local<v8::Value> prototype = js.realm.hook(Hook::kBufferPrototype);
  if (prototype->IsObject() && view->SetPrototypeV2(js.context, prototype).IsNothing()) return {};
  return view;
}

v8::MaybeLocal<v8::Object> MakeBuffer(Js& js, size_t size, uint8_t** data) {
  if (size > v8::TypedArray::kMaxByteLength) {
    js.Throw("ERR_BUFFER_TOO_LARGE", static_cast<double>(v8::TypedArray::kMaxByteLength));
    return {};
  }
  std::unique_ptr<v8::BackingStore> store =
      v8::ArrayBuffer::NewBackingStore(js.isolate, size, v8::BackingStoreInitializationMode::kUninitialized,
                                       v8::BackingStoreOnFailureMode::kReturnNull);
  if (store == nullptr) {
    js.Throw("ERR_MEMORY_ALLOCATION_FAILED");
    return {};
  }
  *data = static_cast<uint8_t*>(store->Data());
  return BufferOver(js, v8::ArrayBuffer::New(js.isolate, std::move(store)), 0, size);
}

v8::MaybeLocal<v8::Object> MakeBuffer(Js& js, std::span<const uint8_t> bytes) {
  uint8_t* data = nullptr;
  v8::MaybeLocal<v8::Object> buffer = MakeBuffer(js, bytes.size(), &data);
  if (!buffer.IsEmpty() && !bytes.empty()) memcpy(data, bytes.data(), bytes.size());
  return buffer;
}

v8::MaybeLocal<v8::Object> AdoptBuffer(Js& js, void* malloced, size_t size) {
  std::unique_ptr<v8::BackingStore> store = v8::ArrayBuffer::NewBackingStore(
      malloced, size, [](void* memory, size_t, void*) { free(memory); }, nullptr);
  return BufferOver(js, v8::ArrayBuffer::New(js.isolate, std::move(store)), 0, size);
}

}  // namespace gyre::engine
