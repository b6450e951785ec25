#include "modules/net/net_state.h"

#include <cstring>

#include "loop/loop.h"

namespace gyre::modules {

namespace {

v8::Local<v8::ArrayBuffer> NewBlock(v8::Isolate* isolate, size_t size, uint8_t** data) {
  std::unique_ptr<v8::BackingStore> store =
      v8::ArrayBuffer::NewBackingStore(isolate, size, v8::BackingStoreInitializationMode::kUninitialized,
                                       v8::BackingStoreOnFailureMode::kReturnNull);
  if (store == nullptr) return {};
  *data = static_cast<uint8_t*>(store->Data());
  return v8::ArrayBuffer::New(isolate, std::move(store));
}

v8::Local<v8::ArrayBuffer> Adopt(v8::Isolate* isolate, std::unique_ptr<uint8_t[]> block, size_t size) {
  auto free = [](void* data, size_t, void*) { delete[] static_cast<uint8_t*>(data); };
  return v8::ArrayBuffer::New(isolate, v8::ArrayBuffer::NewBackingStore(block.release(), size, free, nullptr));
}

}  // namespace

NetState::Piece NetState::Keep(Realm& realm, std::span<const uint8_t> bytes) {
  v8::Isolate* isolate = realm.isolate();
  if (bytes.size() >= kAlmostFull) {
    if (std::unique_ptr<uint8_t[]> block = realm.loop().TakeSharedReadBuffer(bytes)) {
      return {Adopt(isolate, std::move(block), bytes.size()), 0};
    }
  }
  if (bytes.size() > kSmall) {
    uint8_t* data = nullptr;
    v8::Local<v8::ArrayBuffer> block = NewBlock(isolate, bytes.size(), &data);
    if (!block.IsEmpty()) std::memcpy(data, bytes.data(), bytes.size());
    return {block, 0};
  }
  v8::Local<v8::ArrayBuffer> slab;
  if (!slab_.IsEmpty()) slab = slab_.Get(isolate);
  // A program may have transferred the memory away.
  if (slab.IsEmpty() || slab_used_ + bytes.size() > kSlabSize || slab->WasDetached()) {
    slab = NewBlock(isolate, kSlabSize, &slab_data_);
    if (slab.IsEmpty()) return {};
    slab_.Reset(isolate, slab);
    slab_used_ = 0;
  }
  Piece piece{slab, slab_used_};
  std::memcpy(slab_data_ + slab_used_, bytes.data(), bytes.size());
  // Aligned, so that a typed array of any kind can look at a piece.
  slab_used_ = (slab_used_ + bytes.size() + 7) & ~size_t{7};
  return piece;
}

}  // namespace gyre::modules
