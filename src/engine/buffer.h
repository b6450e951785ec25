// Making Buffers natively.
#ifndef GYRE_ENGINE_BUFFER_H_
#define GYRE_ENGINE_BUFFER_H_

#include <memory>
#include <span>

#include "engine/js.h"

namespace gyre::engine {

/// A Buffer over a new copy of `bytes`. Empty, with an exception pending, when memory is short.
v8::MaybeLocal<v8::Object> MakeBuffer(Js& js, std::span<const uint8_t> bytes);

/// A Buffer of `size` bytes whose memory the caller fills before JavaScript sees it. `*data` points to it.
v8::MaybeLocal<v8::Object> MakeBuffer(Js& js, size_t size, uint8_t** data);

/// A Buffer over memory from malloc, which it takes over. `size` may be smaller than what was allocated.
v8::MaybeLocal<v8::Object> AdoptBuffer(Js& js, void* malloced, size_t size);

/// A Buffer that looks at a part of an ArrayBuffer.
v8::MaybeLocal<v8::Object> BufferOver(Js& js, v8::Local<v8::ArrayBuffer> memory, size_t offset, size_t size);

}  // namespace gyre::engine

namespace gyre {
using engine::AdoptBuffer;
using engine::BufferOver;
using engine::MakeBuffer;
}  // namespace gyre

#endif  // GYRE_ENGINE_BUFFER_H_
