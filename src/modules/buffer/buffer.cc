#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/simdutf.h"
#include "modules/buffer/native.h"

namespace gyre::modules {

namespace buffer {

void ThrowWithCode(Js& js, ErrorClass error_class, const char* code, const char* message) {
  v8::Local<v8::String> text = js.Str(message);
  v8::Local<v8::Value> error =
      error_class == ErrorClass::kType ? v8::Exception::TypeError(text) : v8::Exception::RangeError(text);
  if (!js.Set(error.As<v8::Object>(), "code", js.Str(code))) return;
  js.isolate->ThrowException(error);
}

bool IndexArgument(Js& js, v8::Local<v8::Value> value, size_t by_default, size_t* out) {
  if (value->IsUint32()) {
    *out = value.As<v8::Uint32>()->Value();
    return true;
  }
  if (value->IsUndefined()) {
    *out = by_default;
    return true;
  }
  int64_t number;
  if (!value->IntegerValue(js.context).To(&number)) return false;
  if (number < 0) {
    ThrowWithCode(js, ErrorClass::kRange, "ERR_OUT_OF_RANGE", "Index out of range");
    return false;
  }
  *out = static_cast<size_t>(number);
  return true;
}

namespace {

void ThrowNoBuffer(Js& js) {
  ThrowWithCode(js, ErrorClass::kType, "ERR_INVALID_ARG_TYPE", "argument must be a buffer");
}

}  // namespace

bool BytesArgument(Js& js, v8::Local<v8::Value> value, std::span<uint8_t>* out) {
  std::optional<BufferView> bytes = BytesOf(value);
  if (!bytes) {
    ThrowNoBuffer(js);
    return false;
  }
  *out = *bytes;
  return true;
}

bool CheckReadable(Js& js, const ReadableBytes& bytes) {
  if (bytes.valid()) return true;
  ThrowNoBuffer(js);
  return false;
}

namespace {

int CompareBytes(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  size_t size = std::min(a.size(), b.size());
  int order = size == 0 ? 0 : std::memcmp(a.data(), b.data(), size);
  if (order == 0) return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
  return order < 0 ? -1 : 1;
}

void Compare(const Info& info) {
  Js js(info);
  ReadableBytes a(info[0]);
  ReadableBytes b(info[1]);
  if (CheckReadable(js, a) && CheckReadable(js, b)) info.GetReturnValue().Set(CompareBytes(a.bytes(), b.bytes()));
}

int32_t FastCompare(v8::Local<v8::Object>, v8::Local<v8::Value> a, v8::Local<v8::Value> b,
                    v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  return CompareBytes(ReadableBytes(a).bytes(), ReadableBytes(b).bytes());
}

/// The part of `bytes` from start to end, cut down to what there is.
template <typename Byte>
std::span<Byte> Part(std::span<Byte> bytes, size_t start, size_t end) {
  end = std::min(end, bytes.size());
  return start >= end ? std::span<Byte>() : bytes.subspan(start, end - start);
}

void CompareRanges(const Info& info) {
  Js js(info);
  size_t at[4];
  for (int i = 0; i < 4; i++) {
    if (!IndexArgument(js, info[2 + i], 0, &at[i])) return;
  }
  ReadableBytes a(info[0]);
  ReadableBytes b(info[1]);
  if (!CheckReadable(js, a) || !CheckReadable(js, b)) return;
  info.GetReturnValue().Set(CompareBytes(Part(a.bytes(), at[0], at[1]), Part(b.bytes(), at[2], at[3])));
}

void CopyBytes(std::span<uint8_t> source, std::span<uint8_t> target, size_t target_start, size_t source_start,
               size_t count) {
  if (source_start >= source.size() || target_start >= target.size()) return;
  count = std::min({count, source.size() - source_start, target.size() - target_start});
  std::memmove(target.data() + target_start, source.data() + source_start, count);
}

/// copy(source, target, targetStart, sourceStart, count)
void Copy(const Info& info) {
  Js js(info);
  size_t at[3];
  for (int i = 0; i < 3; i++) {
    if (!IndexArgument(js, info[2 + i], 0, &at[i])) return;
  }
  std::span<uint8_t> source;
  std::span<uint8_t> target;
  if (!BytesArgument(js, info[0], &source) || !BytesArgument(js, info[1], &target)) return;
  CopyBytes(source, target, at[0], at[1], at[2]);
}

/// A double that JavaScript has checked to be an index; anything else becomes one that is past every end.
size_t ToSize(double value) {
  if (!(value >= 0) || value > 9007199254740991.0) return SIZE_MAX >> 1;
  return static_cast<size_t>(value);
}

void FastCopy(v8::Local<v8::Object>, v8::Local<v8::Value> source, v8::Local<v8::Value> target, double target_start,
              double source_start, double count, v8::FastApiCallbackOptions& options) {
  v8::HandleScope scope(options.isolate);
  std::optional<BufferView> from = BytesOf(source);
  std::optional<BufferView> to = BytesOf(target);
  if (from && to) CopyBytes(*from, *to, ToSize(target_start), ToSize(source_start), ToSize(count));
}

/// fill(buffer, pattern, start, end)
void Fill(const Info& info) {
  Js js(info);
  size_t start;
  size_t end;
  if (!IndexArgument(js, info[2], 0, &start) || !IndexArgument(js, info[3], SIZE_MAX, &end)) return;
  std::span<uint8_t> bytes;
  std::span<uint8_t> pattern;
  if (!BytesArgument(js, info[0], &bytes) || !BytesArgument(js, info[1], &pattern)) return;
  std::span<uint8_t> part = Part(bytes, start, end);
  if (part.empty() || pattern.empty()) return;
  size_t done = std::min(pattern.size(), part.size());
  std::memmove(part.data(), pattern.data(), done);
  // What is written doubles, until all is.
  while (done < part.size()) {
    size_t more = std::min(done, part.size() - done);
    std::memcpy(part.data() + done, part.data(), more);
    done += more;
  }
}

template <typename Unit>
void SwapUnits(const Info& info) {
  Js js(info);
  std::span<uint8_t> bytes;
  if (!BytesArgument(js, info[0], &bytes)) return;
  for (size_t i = 0; i + sizeof(Unit) <= bytes.size(); i += sizeof(Unit)) {
    Unit unit;
    std::memcpy(&unit, bytes.data() + i, sizeof(Unit));
    unit = std::byteswap(unit);
    std::memcpy(bytes.data() + i, &unit, sizeof(Unit));
  }
}

void IsUtf8(const Info& info) {
  Js js(info);
  ReadableBytes readable(info[0]);
  if (!CheckReadable(js, readable)) return;
  std::span<const uint8_t> bytes = readable.bytes();
  info.GetReturnValue().Set(simdutf::validate_utf8(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void IsAscii(const Info& info) {
  Js js(info);
  ReadableBytes readable(info[0]);
  if (!CheckReadable(js, readable)) return;
  std::span<const uint8_t> bytes = readable.bytes();
  info.GetReturnValue().Set(simdutf::validate_ascii(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void IsAnyArrayBuffer(const Info& info) {
  info.GetReturnValue().Set(info[0]->IsArrayBuffer() || info[0]->IsSharedArrayBuffer());
}

void CreateUnsafeArrayBuffer(const Info& info) {
  Js js(info);
  size_t size;
  if (!IndexArgument(js, info[0], 0, &size)) return;
  std::unique_ptr<v8::BackingStore> store;
  if (size <= v8::TypedArray::kMaxByteLength) {
    store = v8::ArrayBuffer::NewBackingStore(js.isolate, size, v8::BackingStoreInitializationMode::kUninitialized,
                                             v8::BackingStoreOnFailureMode::kReturnNull);
  }
  if (store == nullptr) return js.ThrowRangeError("Array buffer allocation failed");
  info.GetReturnValue().Set(v8::ArrayBuffer::New(js.isolate, std::move(store)));
}

/// markUntransferable(object): postMessage refuses to transfer it (see src/web/messaging.cc).
void MarkUntransferable(const Info& info) {
  Js js(info);
  if (!info[0]->IsObject()) return;
  v8::Local<v8::Private> key = v8::Private::ForApi(js.isolate, js.Name("gyre:untransferable"));
  info[0].As<v8::Object>()->SetPrivate(js.context, key, v8::True(js.isolate)).Check();  // our own object
}

void SetPrototype(const Info& info) {
  Js js(info);
  js.realm.SetHook(Hook::kBufferPrototype, info[0]);
}

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "kMaxLength", js.Num(static_cast<double>(v8::TypedArray::kMaxByteLength)));
  js.Set(target, "kStringMaxLength", js.Num(v8::String::kMaxLength));
}

constexpr NativeFunction kFunctions[] = {
    FastFn<&FastByteLengthUtf8>("byteLengthUtf8", &ByteLengthUtf8),
    FastFn<&FastCompare>("compare", &Compare),
    RawFn("compareRanges", &CompareRanges),
    FastFn<&FastCopy>("copy", &Copy),
    RawFn("fill", &Fill),
    RawFn("swap16", &SwapUnits<uint16_t>),
    RawFn("swap32", &SwapUnits<uint32_t>),
    RawFn("swap64", &SwapUnits<uint64_t>),
    RawFn("isUtf8", &IsUtf8),
    RawFn("isAscii", &IsAscii),
    RawFn("isAnyArrayBuffer", &IsAnyArrayBuffer),
    RawFn("createUnsafeArrayBuffer", &CreateUnsafeArrayBuffer),
    RawFn("markUntransferable", &MarkUntransferable),
    RawFn("setPrototype", &SetPrototype),
    FastFn<&FastIndexOfNumber>("indexOfNumber", &IndexOfNumber),
    FastFn<&FastIndexOfString>("indexOfString", &IndexOfString),
    RawFn("indexOfBuffer", &IndexOfBuffer),
    RawFn("utf8Slice", &Utf8Slice),
    RawFn("ucs2Slice", &Ucs2Slice),
    RawFn("latin1Slice", &Latin1Slice),
    RawFn("asciiSlice", &AsciiSlice),
    RawFn("base64Slice", &Base64Slice),
    RawFn("base64urlSlice", &Base64UrlSlice),
    RawFn("hexSlice", &HexSlice),
    FastFn<&FastUtf8Write>("utf8Write", &Utf8Write),
    RawFn("ucs2Write", &Ucs2Write),
    FastFn<&FastLatin1Write>("latin1Write", &Latin1Write),
    FastFn<&FastLatin1Write>("asciiWrite", &Latin1Write),
    FastFn<&FastBase64Write>("base64Write", &Base64Write),
    FastFn<&FastHexWrite>("hexWrite", &HexWrite),
    RawFn("btoa", &Btoa),
    RawFn("atob", &Atob),
};

}  // namespace
}  // namespace buffer

extern const NativeModule kBufferModule;
const NativeModule kBufferModule = {
    .name = "buffer", .functions = buffer::kFunctions, .classes = {}, .init = &buffer::Init};

}  // namespace gyre::modules
