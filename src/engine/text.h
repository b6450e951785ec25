// Text between V8 strings and bytes, at the speed of the machine's vector units.
//
// Thread: the isolate's. Invariant: malformed input never fails; it becomes U+FFFD, as WHATWG's Encoding Standard says.
#ifndef GYRE_ENGINE_TEXT_H_
#define GYRE_ENGINE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/js.h"

namespace gyre::engine {

/// The bytes of a buffer-like value, for reading only. Small typed arrays live in V8's heap: those are copied instead
/// of giving them memory outside of it, which costs far more.
class ReadableBytes {
 public:
  explicit ReadableBytes(v8::Local<v8::Value> value);
  ReadableBytes(const ReadableBytes&) = delete;
  ReadableBytes& operator=(const ReadableBytes&) = delete;
  bool valid() const { return valid_; }  // whether the value was buffer-like at all
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  uint8_t storage_[64];  // V8's limit for arrays in the heap
  std::span<const uint8_t> bytes_;
  bool valid_ = true;
};

// Each of these is empty, with ERR_STRING_TOO_LONG pending, when the result would pass V8's limit. Big results lie
// outside of V8's heap.
v8::MaybeLocal<v8::String> StringFromUtf8(Js& js, std::span<const uint8_t> bytes);
v8::MaybeLocal<v8::String> StringFromLatin1(Js& js, std::span<const uint8_t> bytes);
/// Little-endian code units at any alignment; an odd last byte is left out.
v8::MaybeLocal<v8::String> StringFromUtf16(Js& js, std::span<const uint8_t> bytes);

/// A one-byte string of `size` characters that `fill(char* out)` writes.
template <typename Fill>
v8::MaybeLocal<v8::String> MakeOneByteString(Js& js, size_t size, Fill fill);

size_t Utf8Length(v8::Isolate* isolate, v8::Local<v8::String> string);

/// Writes as many whole characters as fit, lone surrogates as U+FFFD. Returns the bytes written.
size_t WriteUtf8(v8::Isolate* isolate, v8::Local<v8::String> string, std::span<uint8_t> out);

/// The same for a one-byte string whose characters are at hand.
size_t WriteUtf8OfLatin1(std::span<const uint8_t> text, std::span<uint8_t> out);

namespace internal {
inline constexpr size_t kScratchSize = 4096;
v8::MaybeLocal<v8::String> AdoptOneByte(Js& js, char* malloced, size_t size);
bool CheckStringSize(Js& js, size_t size);
char* AllocateText(Js& js, size_t size);  // null with an exception pending
}  // namespace internal

template <typename Fill>
v8::MaybeLocal<v8::String> MakeOneByteString(Js& js, size_t size, Fill fill) {
  if (size <= internal::kScratchSize) {
    char scratch[internal::kScratchSize];
    fill(scratch);
    return v8::String::NewFromOneByte(js.isolate, reinterpret_cast<uint8_t*>(scratch), v8::NewStringType::kNormal,
                                      static_cast<int>(size));
  }
  if (!internal::CheckStringSize(js, size)) return {};
  char* text = internal::AllocateText(js, size);
  if (text == nullptr) return {};
  fill(text);
  return internal::AdoptOneByte(js, text, size);
}

}  // namespace gyre::engine

namespace gyre {
using engine::ReadableBytes;
using engine::StringFromLatin1;
using engine::StringFromUtf16;
using engine::StringFromUtf8;
}  // namespace gyre

#endif  // GYRE_ENGINE_TEXT_H_
