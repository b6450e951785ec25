// The native half of TextEncoder and TextDecoder.
#include <cstring>
#include <vector>

#include "bridge/module.h"
#include "engine/simdutf.h"
#include "engine/text.h"

// Declarations from ICU's unicode/ucnv.h, whose functions carry the version as a suffix.
extern "C" {
struct UConverter;
using UConverterToUCallback = void (*)(const void*, void*, const char*, int32_t, int, int*);
UConverter* ucnv_open_77(const char* name, int* error);
void ucnv_close_77(UConverter* converter);
void ucnv_reset_77(UConverter* converter);
void ucnv_toUnicode_77(UConverter* converter, char16_t** target, const char16_t* target_limit, const char** source,
                       const char* source_limit, int32_t* offsets, int8_t flush, int* error);
void ucnv_setToUCallBack_77(UConverter* converter, UConverterToUCallback callback, const void* context,
                            UConverterToUCallback* old_callback, const void** old_context, int* error);
void ucnv_cbToUWriteUChars_77(void* arguments, const char16_t* source, int32_t length, int32_t offset, int* error);
void UCNV_TO_U_CALLBACK_STOP_77(const void*, void*, const char*, int32_t, int, int*);
}

namespace gyre::modules {

namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

constexpr int kBufferOverflow = 15;  // U_BUFFER_OVERFLOW_ERROR

/// decodeUtf8(bytes, fatal, keepBom): the text, or undefined if it is malformed and `fatal`.
void DecodeUtf8(const Info& info) {
  Js js(info);
  ReadableBytes readable(info[0]);
  std::span<const uint8_t> bytes = readable.bytes();
  constexpr uint8_t kBom[] = {0xef, 0xbb, 0xbf};
  bool keep_bom = info[2]->IsTrue();
  if (!keep_bom && bytes.size() >= 3 && std::memcmp(bytes.data(), kBom, 3) == 0) bytes = bytes.subspan(3);
  bool fatal = info[1]->IsTrue();
  if (fatal && !simdutf::validate_utf8(reinterpret_cast<const char*>(bytes.data()), bytes.size())) return;
  v8::Local<v8::String> text;
  if (engine::StringFromUtf8(js, bytes).ToLocal(&text)) info.GetReturnValue().Set(text);
}

/// decodeUtf16(bytes, bigEndian)
void DecodeUtf16(const Info& info) {
  Js js(info);
  ReadableBytes readable(info[0]);
  std::span<const uint8_t> bytes = readable.bytes();
  v8::Local<v8::String> text;
  if (info[1]->IsTrue()) {
    std::vector<uint8_t> swapped(bytes.size() & ~size_t{1});
    for (size_t i = 0; i < swapped.size(); i++) swapped[i] = bytes[i ^ 1];
    if (engine::StringFromUtf16(js, swapped).ToLocal(&text)) info.GetReturnValue().Set(text);
    return;
  }
  if (engine::StringFromUtf16(js, bytes).ToLocal(&text)) info.GetReturnValue().Set(text);
}

constexpr size_t kResultCount = 2;

struct EncodingState {
  explicit EncodingState(Realm& realm) : result(realm.SharedField<uint32_t>("encodeIntoResult", kResultCount)) {}
  uint32_t* result;  // of encodeInto: code units read, bytes written
};

/// encodeInto(string, bytes)
void EncodeInto(const Info& info) {
  Js js(info);
  uint32_t* result = js.realm.Slot<EncodingState>().result;
  result[0] = result[1] = 0;
  std::optional<BufferView> room = BytesOf(info[1]);
  if (!info[0]->IsString() || !room) return;
  v8::Local<v8::String> string = info[0].As<v8::String>();
  size_t read = 0;
  size_t written = string->WriteUtf8V2(js.isolate, reinterpret_cast<char*>(room->data()), room->size(),
                                       v8::String::WriteFlags::kReplaceInvalidUtf8, &read);
  result[0] = static_cast<uint32_t>(read);
  result[1] = static_cast<uint32_t>(written);
}

/// What a converter does with malformed bytes: U+FFFD, where ICU itself writes U+001A for some encodings.
void ReplaceMalformed(const void*, void* arguments, const char*, int32_t, int reason, int* error) {
  constexpr int kIrregular = 2;  // up to here the reason is the input, beyond it the converter's life
  if (reason > kIrregular) return;
  constexpr char16_t kReplacement = 0xfffd;
  *error = 0;
  ucnv_cbToUWriteUChars_77(arguments, &kReplacement, 1, 0, error);
}

constexpr std::string_view kWindows1252 = "ibm-5348_P100-1997";

bool IsAscii(std::span<const uint8_t> bytes) {
  return simdutf::validate_ascii(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// A converter of ICU's, for one TextDecoder.
class Converter : public Wrap {
 public:
  static const NativeClass kClass;

  Converter(Realm& realm, v8::Local<v8::Object> object, UConverter* converter, bool is_windows_1252)
      : Wrap(realm, object, &kClass), converter_(converter), is_windows_1252_(is_windows_1252) {}
  ~Converter() override { ucnv_close_77(converter_); }

  /// new Converter(name, fatal)
  static void Construct(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall() || !info[0]->IsString()) return js.ThrowTypeError("new Converter(name, fatal)");
    std::string name = js.Utf8(info[0]);
    int error = 0;
    UConverter* converter = ucnv_open_77(name.c_str(), &error);
    if (error > 0 || converter == nullptr) return js.Throw("ERR_ENCODING_NOT_SUPPORTED", name);
    error = 0;
    ucnv_setToUCallBack_77(converter, info[1]->IsTrue() ? &UCNV_TO_U_CALLBACK_STOP_77 : &ReplaceMalformed, nullptr,
                           nullptr, nullptr, &error);
    new Converter(js.realm, info.This(), converter, name == kWindows1252);
  }

  /// decode(flush, bytes): the text, or undefined if it is malformed and the converter fatal.
  static void Decode(const Info& info) {
    Js js(info);
    Converter* self = This<Converter>(info);
    if (self == nullptr) return;
    ReadableBytes readable(info[1]);
    v8::Local<v8::String> string;
    if (self->is_windows_1252_ && IsAscii(readable.bytes())) {
      if (engine::StringFromLatin1(js, readable.bytes()).ToLocal(&string)) info.GetReturnValue().Set(string);
      return;
    }
    std::u16string text;
    if (!self->Convert(readable.bytes(), info[0]->IsTrue(), &text)) return;
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size() * 2);
    if (engine::StringFromUtf16(js, bytes).ToLocal(&string)) info.GetReturnValue().Set(string);
  }

 private:
  bool Convert(std::span<const uint8_t> bytes, bool flush, std::u16string* text) {
    const char* source = reinterpret_cast<const char*>(bytes.data());
    const char* source_end = source + bytes.size();
    char16_t chunk[1024];
    int error;
    do {
      char16_t* target = chunk;
      error = 0;
      ucnv_toUnicode_77(converter_, &target, chunk + std::size(chunk), &source, source_end, nullptr, flush, &error);
      text->append(chunk, target);
    } while (error == kBufferOverflow);
    if (flush || error > 0) ucnv_reset_77(converter_);
    return error <= 0;
  }

  UConverter* converter_;
  bool is_windows_1252_;  // the encoding that "latin1" and "ascii" name: one byte a character, no state
};

constexpr NativeFunction kConverterMethods[] = {RawFn("decode", &Converter::Decode)};
const NativeClass Converter::kClass = {
    .name = "Converter", .construct = &Converter::Construct, .methods = kConverterMethods};

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "encodeIntoResult", js.realm.SharedArray<v8::Uint32Array>("encodeIntoResult", kResultCount));
}

constexpr NativeFunction kFunctions[] = {
    RawFn("decodeUtf8", &DecodeUtf8),
    RawFn("decodeUtf16", &DecodeUtf16),
    RawFn("encodeInto", &EncodeInto),
};
constexpr const NativeClass* kClasses[] = {&Converter::kClass};

}  // namespace

extern const NativeModule kEncodingModule;
const NativeModule kEncodingModule = {.name = "encoding", .functions = kFunctions, .classes = kClasses, .init = &Init};

}  // namespace gyre::modules
