// Buffer's indexOf and lastIndexOf.
#include <algorithm>
#include <cstring>

#include "engine/simdutf.h"
#include "modules/buffer/native.h"

namespace gyre::modules::buffer {

namespace {

constexpr int64_t kNotFound = -1;

enum class Direction { kForward, kBackward };

/// Where a search begins (as String.prototype.indexOf and lastIndexOf clamp it), or -1 if it cannot find anything.
int64_t StartOf(int64_t size, int64_t offset, int64_t needle_size, Direction direction) {
  if (offset < 0) {
    if (offset + size >= 0) return size + offset;
    return direction == Direction::kForward || needle_size == 0 ? 0 : kNotFound;
  }
  if (offset <= size - needle_size) return offset;
  if (needle_size == 0) return size;
  return direction == Direction::kForward ? kNotFound : size - 1;
}

int64_t FindForward(std::span<const uint8_t> bytes, size_t start, std::span<const uint8_t> needle, size_t unit) {
  while (start + needle.size() <= bytes.size()) {
    const void* found = needle.size() == 1
                            ? std::memchr(bytes.data() + start, needle[0], bytes.size() - start)
                            : ::memmem(bytes.data() + start, bytes.size() - start, needle.data(), needle.size());
    if (found == nullptr) return kNotFound;
    size_t at = static_cast<size_t>(static_cast<const uint8_t*>(found) - bytes.data());
    if (at % unit == 0) return static_cast<int64_t>(at);
    start = at + 1;
  }
  return kNotFound;
}

int64_t FindBackward(std::span<const uint8_t> bytes, size_t start, std::span<const uint8_t> needle, size_t unit) {
  size_t at = std::min(start, bytes.size() - needle.size());
  while (true) {
    const void* found = ::memrchr(bytes.data(), needle[0], at + 1);
    if (found == nullptr) return kNotFound;
    at = static_cast<size_t>(static_cast<const uint8_t*>(found) - bytes.data());
    if (at % unit == 0 && std::memcmp(bytes.data() + at, needle.data(), needle.size()) == 0) {
      return static_cast<int64_t>(at);
    }
    if (at == 0) return kNotFound;
    at--;
  }
}

/// `unit` is the width of a character: with two bytes, matches begin at even places only.
int64_t Find(std::span<const uint8_t> bytes, std::span<const uint8_t> needle, double offset, Direction direction,
             size_t unit) {
  int64_t size = static_cast<int64_t>(bytes.size());
  int64_t needle_size = static_cast<int64_t>(needle.size());
  int64_t start = StartOf(size, static_cast<int64_t>(offset), needle_size, direction);
  if (needle.empty()) return start;
  if (start < 0 || needle_size > size || (direction == Direction::kForward && start + needle_size > size)) {
    return kNotFound;
  }
  if (unit == 2 && (needle_size < 2 || size < 2)) return kNotFound;
  // A search by two bytes starts at the character that the offset lies in.
  size_t from = static_cast<size_t>(start) / unit * unit;
  return direction == Direction::kForward ? FindForward(bytes, from, needle, unit)
                                          : FindBackward(bytes, from, needle, unit);
}

Direction DirectionOf(bool forward) { return forward ? Direction::kForward : Direction::kBackward; }

/// The offset argument, which search.js has clamped to 32 bits.
double OffsetArgument(v8::Local<v8::Value> value) { return value->IsNumber() ? value.As<v8::Number>()->Value() : 0; }

}  // namespace

void IndexOfNumber(const Info& info) {
  Js js(info);
  ReadableBytes bytes(info[0]);
  if (!CheckReadable(js, bytes)) return;
  uint8_t value = info[1]->IsUint32() ? static_cast<uint8_t>(info[1].As<v8::Uint32>()->Value()) : uint8_t{0};
  int64_t at = Find(bytes.bytes(), {&value, 1}, OffsetArgument(info[2]), DirectionOf(info[3]->IsTrue()), 1);
  info.GetReturnValue().Set(static_cast<double>(at));
}

double FastIndexOfNumber(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, uint32_t value, double offset,
                         bool forward, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  ReadableBytes bytes(buffer);
  uint8_t byte = static_cast<uint8_t>(value);
  return static_cast<double>(Find(bytes.bytes(), {&byte, 1}, offset, DirectionOf(forward), 1));
}

void IndexOfString(const Info& info) {
  Js js(info);
  if (!info[1]->IsString()) return;
  Encoding encoding = static_cast<Encoding>(info[3]->IsUint32() ? info[3].As<v8::Uint32>()->Value() : 0);
  std::string needle = EncodeString(js, info[1].As<v8::String>(), encoding);
  ReadableBytes bytes(info[0]);
  if (!CheckReadable(js, bytes)) return;
  int64_t at = Find(bytes.bytes(), {reinterpret_cast<const uint8_t*>(needle.data()), needle.size()},
                    OffsetArgument(info[2]), DirectionOf(info[4]->IsTrue()), encoding == Encoding::kUtf16le ? 2 : 1);
  info.GetReturnValue().Set(static_cast<double>(at));
}

double FastIndexOfString(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, const v8::FastOneByteString& value,
                         double offset, uint32_t encoding, bool forward, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  ReadableBytes bytes(buffer);
  std::span<const uint8_t> needle(reinterpret_cast<const uint8_t*>(value.data), value.length);
  Encoding kind = static_cast<Encoding>(encoding);
  bool as_it_is = kind == Encoding::kLatin1 || kind == Encoding::kAscii ||
                  (kind == Encoding::kUtf8 && simdutf::validate_ascii(value.data, value.length));
  if (as_it_is) return static_cast<double>(Find(bytes.bytes(), needle, offset, DirectionOf(forward), 1));
  Js js(options.isolate);
  v8::Local<v8::String> string;
  if (!v8::String::NewFromOneByte(js.isolate, needle.data(), v8::NewStringType::kNormal,
                                  static_cast<int>(needle.size()))
           .ToLocal(&string)) {
    return kNotFound;
  }
  std::string encoded = EncodeString(js, string, kind);
  return static_cast<double>(Find(bytes.bytes(), {reinterpret_cast<const uint8_t*>(encoded.data()), encoded.size()},
                                  offset, DirectionOf(forward), kind == Encoding::kUtf16le ? 2 : 1));
}

void IndexOfBuffer(const Info& info) {
  Js js(info);
  ReadableBytes bytes(info[0]);
  ReadableBytes needle(info[1]);
  if (!CheckReadable(js, bytes) || !CheckReadable(js, needle)) return;
  Encoding encoding = static_cast<Encoding>(info[3]->IsUint32() ? info[3].As<v8::Uint32>()->Value() : 0);
  int64_t at = Find(bytes.bytes(), needle.bytes(), OffsetArgument(info[2]), DirectionOf(info[4]->IsTrue()),
                    encoding == Encoding::kUtf16le ? 2 : 1);
  info.GetReturnValue().Set(static_cast<double>(at));
}

}  // namespace gyre::modules::buffer
