// Buffer's encodings: what `toString` reads and `write` writes.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "codec/encoding.h"
#include "engine/simdutf.h"
#include "engine/text.h"
#include "modules/buffer/native.h"

namespace gyre::modules::buffer {

namespace {

using codec::Base64Alphabet;

/// From here on the vector units beat the plain decoder although they may have to give up on lenient input.
constexpr size_t kVectorBase64 = 64;

/// The arguments of a slice: bytes from start to end.
class Slice {
 public:
  Slice(Js& js, const Info& info) {
    size_t start;
    size_t end;
    if (!IndexArgument(js, info[1], 0, &start) || !IndexArgument(js, info[2], SIZE_MAX, &end)) return;
    readable_.emplace(info[0]);
    if (!CheckReadable(js, *readable_)) return;
    std::span<const uint8_t> bytes = readable_->bytes();
    if (end == SIZE_MAX) end = bytes.size();
    end = std::max(start, end);
    if (end > bytes.size()) {
      ThrowWithCode(js, ErrorClass::kRange, "ERR_OUT_OF_RANGE", "Index out of range");
      return;
    }
    bytes_ = bytes.subspan(start, end - start);
    valid_ = true;
  }

  bool valid() const { return valid_; }  // otherwise an exception is pending
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::optional<ReadableBytes> readable_;
  std::span<const uint8_t> bytes_;
  bool valid_ = false;
};

void ReturnString(const Info& info, v8::MaybeLocal<v8::String> string) {
  v8::Local<v8::String> value;
  if (string.ToLocal(&value)) info.GetReturnValue().Set(value);
}

/// The arguments of a write: the string, and the room from offset on, at most length bytes.
bool WriteArguments(Js& js, const Info& info, v8::Local<v8::String>* string, std::span<uint8_t>* room) {
  if (!info[1]->IsString()) {
    ThrowWithCode(js, ErrorClass::kType, "ERR_INVALID_ARG_TYPE", "argument must be a string");
    return false;
  }
  *string = info[1].As<v8::String>();
  size_t offset;
  size_t length;
  if (!IndexArgument(js, info[2], 0, &offset) || !IndexArgument(js, info[3], SIZE_MAX, &length)) return false;
  std::span<uint8_t> bytes;
  if (!BytesArgument(js, info[0], &bytes)) return false;
  if (offset > bytes.size()) {
    ThrowWithCode(js, ErrorClass::kRange, "ERR_BUFFER_OUT_OF_BOUNDS", "\"offset\" is outside of buffer bounds");
    return false;
  }
  *room = bytes.subspan(offset, std::min(length, bytes.size() - offset));
  return true;
}

/// The same for a fast call, whose arguments JavaScript has checked; empty if they are wrong all the same.
std::span<uint8_t> FastRoom(v8::Local<v8::Value> buffer, double offset, double length) {
  std::optional<BufferView> bytes = BytesOf(buffer);
  if (!bytes || !(offset >= 0) || offset > static_cast<double>(bytes->size()) || !(length > 0)) return {};
  size_t start = static_cast<size_t>(offset);
  size_t left = bytes->size() - start;
  return bytes->subspan(start, length < static_cast<double>(left) ? static_cast<size_t>(length) : left);
}

std::span<const uint8_t> BytesOfString(const v8::FastOneByteString& string) {
  return {reinterpret_cast<const uint8_t*>(string.data), string.length};
}

bool Contains(std::span<const uint8_t> text, char c) { return std::memchr(text.data(), c, text.size()) != nullptr; }

size_t DecodeBase64(std::span<const uint8_t> text, std::span<uint8_t> out) {
  if (text.size() >= kVectorBase64) {
    size_t written = out.size();
    simdutf::result result = simdutf::base64_to_binary_safe(
        reinterpret_cast<const char*>(text.data()), text.size(), reinterpret_cast<char*>(out.data()), written,
        Contains(text, '-') || Contains(text, '_') ? simdutf::base64_url : simdutf::base64_default, simdutf::loose);
    if (result.error == simdutf::SUCCESS) return written;
  }
  return codec::Base64Decode(text, out);
}

size_t WriteLatin1(std::span<const uint8_t> text, std::span<uint8_t> out) {
  size_t size = std::min(text.size(), out.size());
  if (size != 0) std::memcpy(out.data(), text.data(), size);
  return size;
}

void EncodeBase64(const Info& info, Base64Alphabet alphabet) {
  Js js(info);
  Slice slice(js, info);
  if (!slice.valid()) return;
  std::span<const uint8_t> bytes = slice.bytes();
  size_t size = codec::Base64EncodedSize(bytes.size(), alphabet);
  ReturnString(info, engine::MakeOneByteString(js, size, [&](char* out) {
                 simdutf::binary_to_base64(
                     reinterpret_cast<const char*>(bytes.data()), bytes.size(), out,
                     alphabet == Base64Alphabet::kUrl ? simdutf::base64_url : simdutf::base64_default);
               }));
}

/// Calls a generic `f` with the string's units, one or two bytes wide.
template <typename F>
size_t WithUnits(v8::Isolate* isolate, v8::Local<v8::String> string, F f) {
  v8::String::ValueView view(isolate, string);
  if (view.is_one_byte()) return f(std::span<const uint8_t>(view.data8(), view.length()));
  return f(std::span<const uint16_t>(view.data16(), view.length()));
}

}  // namespace

void Utf8Slice(const Info& info) {
  Js js(info);
  Slice slice(js, info);
  if (slice.valid()) ReturnString(info, engine::StringFromUtf8(js, slice.bytes()));
}

void Ucs2Slice(const Info& info) {
  Js js(info);
  Slice slice(js, info);
  if (slice.valid()) ReturnString(info, engine::StringFromUtf16(js, slice.bytes()));
}

void Latin1Slice(const Info& info) {
  Js js(info);
  Slice slice(js, info);
  if (slice.valid()) ReturnString(info, engine::StringFromLatin1(js, slice.bytes()));
}

void AsciiSlice(const Info& info) {
  Js js(info);
  Slice slice(js, info);
  if (!slice.valid()) return;
  std::span<const uint8_t> bytes = slice.bytes();
  if (simdutf::validate_ascii(reinterpret_cast<const char*>(bytes.data()), bytes.size())) {
    return ReturnString(info, engine::StringFromLatin1(js, bytes));
  }
  ReturnString(info, engine::MakeOneByteString(js, bytes.size(), [&](char* out) {
                 for (size_t i = 0; i < bytes.size(); i++) out[i] = static_cast<char>(bytes[i] & 0x7f);
               }));
}

void Base64Slice(const Info& info) { EncodeBase64(info, Base64Alphabet::kStandard); }
void Base64UrlSlice(const Info& info) { EncodeBase64(info, Base64Alphabet::kUrl); }

void HexSlice(const Info& info) {
  Js js(info);
  Slice slice(js, info);
  if (!slice.valid()) return;
  std::span<const uint8_t> bytes = slice.bytes();
  ReturnString(info, engine::MakeOneByteString(js, bytes.size() * 2, [&](char* out) { codec::HexEncode(bytes, out); }));
}

void Utf8Write(const Info& info) {
  Js js(info);
  v8::Local<v8::String> string;
  std::span<uint8_t> room;
  if (!WriteArguments(js, info, &string, &room)) return;
  info.GetReturnValue().Set(static_cast<double>(engine::WriteUtf8(js.isolate, string, room)));
}

uint32_t FastUtf8Write(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                       double offset, double length, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  return static_cast<uint32_t>(engine::WriteUtf8OfLatin1(BytesOfString(string), FastRoom(buffer, offset, length)));
}

void Ucs2Write(const Info& info) {
  Js js(info);
  v8::Local<v8::String> string;
  std::span<uint8_t> room;
  if (!WriteArguments(js, info, &string, &room)) return;
  size_t written = WithUnits(js.isolate, string, [&](auto units) {
    size_t count = std::min(units.size(), room.size() / 2);
    for (size_t i = 0; i < count; i++) {
      uint16_t unit = units[i];
      std::memcpy(room.data() + 2 * i, &unit, 2);
    }
    return count * 2;
  });
  info.GetReturnValue().Set(static_cast<double>(written));
}

void Latin1Write(const Info& info) {
  Js js(info);
  v8::Local<v8::String> string;
  std::span<uint8_t> room;
  if (!WriteArguments(js, info, &string, &room)) return;
  size_t written = WithUnits(js.isolate, string, [&](auto units) {
    size_t count = std::min(units.size(), room.size());
    for (size_t i = 0; i < count; i++) room[i] = static_cast<uint8_t>(units[i]);
    return count;
  });
  info.GetReturnValue().Set(static_cast<double>(written));
}

uint32_t FastLatin1Write(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                         double offset, double length, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  return static_cast<uint32_t>(WriteLatin1(BytesOfString(string), FastRoom(buffer, offset, length)));
}

void Base64Write(const Info& info) {
  Js js(info);
  v8::Local<v8::String> string;
  std::span<uint8_t> room;
  if (!WriteArguments(js, info, &string, &room)) return;
  size_t written = WithUnits(js.isolate, string, [&](auto units) {
    if constexpr (sizeof(units[0]) == 1)
      return DecodeBase64(units, room);
    else
      return codec::Base64Decode(units, room);
  });
  info.GetReturnValue().Set(static_cast<double>(written));
}

uint32_t FastBase64Write(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                         double offset, double length, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  return static_cast<uint32_t>(DecodeBase64(BytesOfString(string), FastRoom(buffer, offset, length)));
}

void HexWrite(const Info& info) {
  Js js(info);
  v8::Local<v8::String> string;
  std::span<uint8_t> room;
  if (!WriteArguments(js, info, &string, &room)) return;
  size_t written = WithUnits(js.isolate, string, [&](auto units) { return codec::HexDecode(units, room); });
  info.GetReturnValue().Set(static_cast<double>(written));
}

uint32_t FastHexWrite(v8::Local<v8::Object>, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                      double offset, double length, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  return static_cast<uint32_t>(codec::HexDecode(BytesOfString(string), FastRoom(buffer, offset, length)));
}

void ByteLengthUtf8(const Info& info) {
  Js js(info);
  if (!info[0]->IsString()) {
    return ThrowWithCode(js, ErrorClass::kType, "ERR_INVALID_ARG_TYPE", "argument must be a string");
  }
  info.GetReturnValue().Set(static_cast<double>(engine::Utf8Length(js.isolate, info[0].As<v8::String>())));
}

uint32_t FastByteLengthUtf8(v8::Local<v8::Object>, const v8::FastOneByteString& string) {
  return static_cast<uint32_t>(simdutf::utf8_length_from_latin1(string.data, string.length));
}

std::string EncodeString(Js& js, v8::Local<v8::String> string, Encoding encoding) {
  std::string bytes;
  auto room = [&] { return std::span<uint8_t>(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()); };
  if (encoding == Encoding::kUtf8) {
    bytes.resize(engine::Utf8Length(js.isolate, string));
    engine::WriteUtf8(js.isolate, string, room());
    return bytes;
  }
  size_t size = WithUnits(js.isolate, string, [&](auto units) {
    using Unit = std::remove_cvref_t<decltype(units[0])>;
    std::span<const Unit> text(units.data(), units.size());
    switch (encoding) {
      case Encoding::kUtf16le:
        bytes.resize(text.size() * 2);
        for (size_t i = 0; i < text.size(); i++) {
          bytes[2 * i] = static_cast<char>(text[i]);
          bytes[2 * i + 1] = static_cast<char>(text[i] >> 8);
        }
        return bytes.size();
      case Encoding::kBase64:
      case Encoding::kBase64Url:
        bytes.resize(codec::Base64DecodedBound(text));
        return codec::Base64Decode(text, room());
      case Encoding::kHex:
        bytes.resize(text.size() / 2);
        return codec::HexDecode(text, room());
      default:
        bytes.resize(text.size());
        for (size_t i = 0; i < text.size(); i++) bytes[i] = static_cast<char>(text[i]);
        return bytes.size();
    }
  });
  bytes.resize(size);
  return bytes;
}

/// btoa(string): base64, or undefined if a character is beyond Latin-1.
void Btoa(const Info& info) {
  Js js(info);
  if (!info[0]->IsString()) return;
  v8::Local<v8::String> string = info[0].As<v8::String>();
  if (!string->ContainsOnlyOneByte()) return;
  std::string bytes = EncodeString(js, string, Encoding::kLatin1);
  size_t size = codec::Base64EncodedSize(bytes.size(), Base64Alphabet::kStandard);
  ReturnString(info, engine::MakeOneByteString(js, size, [&](char* out) {
                 simdutf::binary_to_base64(bytes.data(), bytes.size(), out, simdutf::base64_default);
               }));
}

/// What atob() makes of text that is well formed, which is nearly all; nothing where it takes a closer look.
std::optional<std::string> DecodeForgiving(v8::Isolate* isolate, v8::Local<v8::String> string) {
  v8::String::ValueView view(isolate, string);
  if (!view.is_one_byte()) return std::nullopt;
  const std::span<const uint8_t> text(view.data8(), view.length());
  std::string bytes;
  bool done = false;
  bytes.resize_and_overwrite(codec::Base64DecodedBound(text), [&](char* out, size_t room) {
    size_t written = room;
    done = simdutf::base64_to_binary_safe(reinterpret_cast<const char*>(text.data()), text.size(), out, written,
                                          simdutf::base64_default, simdutf::loose)
               .error == simdutf::SUCCESS;
    return done ? written : 0;
  });
  if (!done) return std::nullopt;
  return bytes;
}

/// atob(string): the bytes as a string; -1 for a character that does not belong, -2 for an impossible length
/// (Infra, "forgiving-base64 decode").
void Atob(const Info& info) {
  constexpr int kBadCharacter = -1;
  constexpr int kBadLength = -2;
  Js js(info);
  if (!info[0]->IsString()) return;
  v8::Local<v8::String> string = info[0].As<v8::String>();
  if (std::optional<std::string> decoded = DecodeForgiving(js.isolate, string)) {
    return ReturnString(
        info, engine::StringFromLatin1(js, {reinterpret_cast<const uint8_t*>(decoded->data()), decoded->size()}));
  }
  if (!string->ContainsOnlyOneByte()) return info.GetReturnValue().Set(kBadCharacter);
  std::string text = EncodeString(js, string, Encoding::kLatin1);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; });
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && text.ends_with('='); i++) text.pop_back();
  }
  for (char c : text) {
    bool digit = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    if (!digit) return info.GetReturnValue().Set(kBadCharacter);
  }
  if (text.size() % 4 == 1) return info.GetReturnValue().Set(kBadLength);
  std::span<const uint8_t> digits(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  std::string bytes(codec::Base64DecodedBound(digits), '\0');
  bytes.resize(DecodeBase64(digits, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}));
  ReturnString(info, engine::StringFromLatin1(js, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
}

}  // namespace gyre::modules::buffer
