#include "engine/text.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/convert.h"
#include "engine/simdutf.h"

namespace gyre::engine {

namespace {

/// From here on a string lies outside of V8's heap: copying it into the heap would cost more than the resource does.
constexpr size_t kExternalSize = 1 << 20;

class OneByteResource : public v8::String::ExternalOneByteStringResource {
 public:
  OneByteResource(char* malloced, size_t size) : text_(malloced), size_(size) {}
  ~OneByteResource() override { std::free(text_); }
  const char* data() const override { return text_; }
  size_t length() const override { return size_; }

 private:
  char* text_;
  size_t size_;
};

class TwoByteResource : public v8::String::ExternalStringResource {
 public:
  TwoByteResource(uint16_t* malloced, size_t size) : text_(malloced), size_(size) {}
  ~TwoByteResource() override { std::free(text_); }
  const uint16_t* data() const override { return text_; }
  size_t length() const override { return size_; }

 private:
  uint16_t* text_;
  size_t size_;
};

v8::MaybeLocal<v8::String> AdoptTwoByte(Js& js, uint16_t* malloced, size_t size) {
  if (size >= kExternalSize) {
    auto resource = std::make_unique<TwoByteResource>(malloced, size);
    v8::MaybeLocal<v8::String> string = v8::String::NewExternalTwoByte(js.isolate, resource.get());
    if (!string.IsEmpty()) resource.release();
    return string;
  }
  v8::MaybeLocal<v8::String> string =
      v8::String::NewFromTwoByte(js.isolate, malloced, v8::NewStringType::kNormal, static_cast<int>(size));
  std::free(malloced);
  return string;
}

/// What V8's own decoder makes of malformed bytes; those that it takes are at most String::kMaxLength.
v8::MaybeLocal<v8::String> DecodeMalformed(Js& js, std::span<const uint8_t> bytes) {
  if (!internal::CheckStringSize(js, bytes.size())) return {};
  return v8::String::NewFromUtf8(js.isolate, reinterpret_cast<const char*>(bytes.data()), v8::NewStringType::kNormal,
                                 static_cast<int>(bytes.size()));
}

/// Whether text whose first byte beyond ASCII is `lead` may be all Latin-1: U+0080 to U+00FF begin with C2 or C3.
bool MayBeLatin1(uint8_t lead) { return lead == 0xc2 || lead == 0xc3; }

v8::MaybeLocal<v8::String> DecodeSmall(Js& js, const char* text, size_t size, uint8_t lead) {
  char16_t units[internal::kScratchSize];
  if (MayBeLatin1(lead)) {
    auto* narrow = reinterpret_cast<char*>(units);
    size_t length = simdutf::convert_utf8_to_latin1(text, size, narrow);
    if (length != 0) {
      return v8::String::NewFromOneByte(js.isolate, reinterpret_cast<uint8_t*>(narrow), v8::NewStringType::kNormal,
                                        static_cast<int>(length));
    }
  }
  size_t length = simdutf::convert_utf8_to_utf16le(text, size, units);
  if (length == 0) return DecodeMalformed(js, {reinterpret_cast<const uint8_t*>(text), size});
  return v8::String::NewFromTwoByte(js.isolate, reinterpret_cast<uint16_t*>(units), v8::NewStringType::kNormal,
                                    static_cast<int>(length));
}

v8::MaybeLocal<v8::String> DecodeBig(Js& js, const char* text, size_t size, uint8_t lead) {
  if (MayBeLatin1(lead)) {
    char* narrow = internal::AllocateText(js, size);
    if (narrow == nullptr) return {};
    size_t length = simdutf::convert_utf8_to_latin1(text, size, narrow);
    if (length != 0) {
      if (!internal::CheckStringSize(js, length)) {
        std::free(narrow);
        return {};
      }
      return internal::AdoptOneByte(js, narrow, length);
    }
    std::free(narrow);
  }
  char* memory = internal::AllocateText(js, size * 2);
  if (memory == nullptr) return {};
  size_t length = simdutf::convert_utf8_to_utf16le(text, size, reinterpret_cast<char16_t*>(memory));
  if (length == 0) {
    std::free(memory);
    return DecodeMalformed(js, {reinterpret_cast<const uint8_t*>(text), size});
  }
  if (!internal::CheckStringSize(js, length)) {
    std::free(memory);
    return {};
  }
  return AdoptTwoByte(js, reinterpret_cast<uint16_t*>(memory), length);
}

}  // namespace

namespace internal {

bool CheckStringSize(Js& js, size_t size) {
  if (size <= static_cast<size_t>(v8::String::kMaxLength)) return true;
  js.Throw("ERR_STRING_TOO_LONG");
  return false;
}

char* AllocateText(Js& js, size_t size) {
  auto* text = static_cast<char*>(std::malloc(size));
  if (text == nullptr) js.Throw("ERR_MEMORY_ALLOCATION_FAILED");
  return text;
}

v8::MaybeLocal<v8::String> AdoptOneByte(Js& js, char* malloced, size_t size) {
  if (size >= kExternalSize) {
    auto resource = std::make_unique<OneByteResource>(malloced, size);
    v8::MaybeLocal<v8::String> string = v8::String::NewExternalOneByte(js.isolate, resource.get());
    if (!string.IsEmpty()) resource.release();
    return string;
  }
  v8::MaybeLocal<v8::String> string = v8::String::NewFromOneByte(js.isolate, reinterpret_cast<uint8_t*>(malloced),
                                                                 v8::NewStringType::kNormal, static_cast<int>(size));
  std::free(malloced);
  return string;
}

}  // namespace internal

ReadableBytes::ReadableBytes(v8::Local<v8::Value> value) {
  if (value->IsArrayBufferView()) {
    v8::MemorySpan<uint8_t> contents = value.As<v8::ArrayBufferView>()->GetContents({storage_, sizeof(storage_)});
    bytes_ = {contents.data(), contents.size()};
    return;
  }
  std::optional<BufferView> bytes = BytesOf(value);
  valid_ = bytes.has_value();
  if (valid_) bytes_ = *bytes;
}

v8::MaybeLocal<v8::String> StringFromLatin1(Js& js, std::span<const uint8_t> bytes) {
  size_t size = bytes.size();
  if (size < kExternalSize) {
    return v8::String::NewFromOneByte(js.isolate, bytes.data(), v8::NewStringType::kNormal, static_cast<int>(size));
  }
  return MakeOneByteString(js, size, [&](char* out) { std::memcpy(out, bytes.data(), size); });
}

v8::MaybeLocal<v8::String> StringFromUtf8(Js& js, std::span<const uint8_t> bytes) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  size_t size = bytes.size();
  if (size == 0) return v8::String::Empty(js.isolate);
  simdutf::result ascii = simdutf::validate_ascii_with_errors(text, size);
  if (ascii.error == simdutf::SUCCESS) return StringFromLatin1(js, bytes);
  uint8_t lead = bytes[ascii.count];
  return size <= internal::kScratchSize ? DecodeSmall(js, text, size, lead) : DecodeBig(js, text, size, lead);
}

v8::MaybeLocal<v8::String> StringFromUtf16(Js& js, std::span<const uint8_t> bytes) {
  size_t size = bytes.size() / 2;
  if (size == 0) return v8::String::Empty(js.isolate);
  if (!internal::CheckStringSize(js, size)) return {};
  bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % 2 == 0;
  if (aligned && size < kExternalSize) {
    return v8::String::NewFromTwoByte(js.isolate, reinterpret_cast<const uint16_t*>(bytes.data()),
                                      v8::NewStringType::kNormal, static_cast<int>(size));
  }
  char* memory = internal::AllocateText(js, size * 2);
  if (memory == nullptr) return {};
  std::memcpy(memory, bytes.data(), size * 2);
  return AdoptTwoByte(js, reinterpret_cast<uint16_t*>(memory), size);
}

size_t Utf8Length(v8::Isolate* isolate, v8::Local<v8::String> string) {
  {
    v8::String::ValueView view(isolate, string);
    if (view.is_one_byte()) {
      return simdutf::utf8_length_from_latin1(reinterpret_cast<const char*>(view.data8()), view.length());
    }
  }
  // V8 counts lone surrogates as what they become.
  return string->Utf8LengthV2(isolate);
}

size_t WriteUtf8OfLatin1(std::span<const uint8_t> text, std::span<uint8_t> out) {
  const char* in = reinterpret_cast<const char*>(text.data());
  char* to = reinterpret_cast<char*>(out.data());
  if (text.size() * 2 <= out.size() || simdutf::utf8_length_from_latin1(in, text.size()) <= out.size()) {
    return simdutf::convert_latin1_to_utf8(in, text.size(), to);
  }
  // Not all fits: character by character.
  size_t at = 0;
  for (uint8_t unit : text) {
    size_t need = unit < 0x80 ? 1 : 2;
    if (at + need > out.size()) break;
    if (need == 1) {
      out[at++] = unit;
    } else {
      out[at++] = static_cast<uint8_t>(0xc0 | unit >> 6);
      out[at++] = static_cast<uint8_t>(0x80 | (unit & 0x3f));
    }
  }
  return at;
}

size_t WriteUtf8(v8::Isolate* isolate, v8::Local<v8::String> string, std::span<uint8_t> out) {
  {
    v8::String::ValueView view(isolate, string);
    if (view.is_one_byte()) return WriteUtf8OfLatin1({view.data8(), view.length()}, out);
    const auto* units = reinterpret_cast<const char16_t*>(view.data16());
    size_t size = view.length();
    if (size * 3 <= out.size()) {
      size_t written = simdutf::convert_utf16le_to_utf8(units, size, reinterpret_cast<char*>(out.data()));
      if (written != 0 || size == 0) return written;
    } else if (simdutf::utf8_length_from_utf16le(units, size) <= out.size()) {
      size_t written = simdutf::convert_utf16le_to_utf8(units, size, reinterpret_cast<char*>(out.data()));
      if (written != 0) return written;
    }
  }
  return string->WriteUtf8V2(isolate, reinterpret_cast<char*>(out.data()), out.size(),
                             v8::String::WriteFlags::kReplaceInvalidUtf8);
}

}  // namespace gyre::engine
