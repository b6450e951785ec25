// The net room's state in a realm: the functions that JavaScript registered, and the slab that small reads are
// copied into.
//
// Thread: the isolate's. Owner: the realm.
#ifndef GYRE_MODULES_NET_NET_STATE_H_
#define GYRE_MODULES_NET_NET_STATE_H_

#include "bridge/module.h"

namespace gyre::modules {

struct NetState {
  explicit NetState(Realm&) {}

  v8::Global<v8::Function> on_read;
  v8::Global<v8::Function> on_connection;
  v8::Global<v8::Function> on_complete;
  v8::Global<v8::Function> on_close;

  /// Data that JavaScript looks at as a part of an ArrayBuffer.
  struct Piece {
    v8::Local<v8::ArrayBuffer> memory;  // empty when memory is short
    size_t offset = 0;
  };
  /// What a read brought: small pieces are copied into the shared slab, big ones into a block of their own, and what
  /// about fills the loop's read buffer is kept with the buffer.
  Piece Keep(Realm& realm, std::span<const uint8_t> bytes);

 private:
  static constexpr size_t kSlabSize = 64 * 1024;
  static constexpr size_t kSmall = 8 * 1024;
  static constexpr size_t kAlmostFull = 48 * 1024;
  v8::Global<v8::ArrayBuffer> slab_;
  uint8_t* slab_data_ = nullptr;
  size_t slab_used_ = 0;
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_NET_NET_STATE_H_
