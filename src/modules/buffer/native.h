// What the units of the buffer module's native half share.
//
// Thread: the isolate's.
#ifndef GYRE_MODULES_BUFFER_NATIVE_H_
#define GYRE_MODULES_BUFFER_NATIVE_H_

#include <span>

#include "bridge/module.h"
#include "engine/text.h"

namespace gyre::modules::buffer {

using Info = v8::FunctionCallbackInfo<v8::Value>;

/// The numbers by which src/modules/buffer/encodings.js names encodings.
enum class Encoding : uint32_t { kUtf8, kUtf16le, kLatin1, kAscii, kBase64, kBase64Url, kHex };

/// Throws a TypeError or RangeError with a code and a message that is not the code's usual one.
enum class ErrorClass { kType, kRange };
void ThrowWithCode(Js& js, ErrorClass error_class, const char* code, const char* message);

/// A non-negative integer argument, or `by_default` if it is undefined. False with an exception pending.
bool IndexArgument(Js& js, v8::Local<v8::Value> value, size_t by_default, size_t* out);

/// The bytes of the buffer argument; false with an exception pending. Later conversions of arguments may run
/// JavaScript that detaches it, so it is asked for last.
bool BytesArgument(Js& js, v8::Local<v8::Value> value, std::span<uint8_t>* out);

/// Throws unless the value was buffer-like.
bool CheckReadable(Js& js, const ReadableBytes& bytes);

// strings.cc: read and write the encodings. slice(buffer, start, end); write(buffer, string, offset, length).
void Utf8Slice(const Info& info);
void Ucs2Slice(const Info& info);
void Latin1Slice(const Info& info);
void AsciiSlice(const Info& info);
void Base64Slice(const Info& info);
void Base64UrlSlice(const Info& info);
void HexSlice(const Info& info);
void Utf8Write(const Info& info);
void Ucs2Write(const Info& info);
void Latin1Write(const Info& info);
void Base64Write(const Info& info);
void HexWrite(const Info& info);
void ByteLengthUtf8(const Info& info);
void Btoa(const Info& info);
void Atob(const Info& info);
uint32_t FastByteLengthUtf8(v8::Local<v8::Object> receiver, const v8::FastOneByteString& string);
uint32_t FastUtf8Write(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                       double offset, double length, v8::FastApiCallbackOptions& options);
uint32_t FastLatin1Write(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer,
                         const v8::FastOneByteString& string, double offset, double length,
                         v8::FastApiCallbackOptions& options);
uint32_t FastBase64Write(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer,
                         const v8::FastOneByteString& string, double offset, double length,
                         v8::FastApiCallbackOptions& options);
uint32_t FastHexWrite(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer, const v8::FastOneByteString& string,
                      double offset, double length, v8::FastApiCallbackOptions& options);
/// The bytes of a string in an encoding, for searches and fills.
std::string EncodeString(Js& js, v8::Local<v8::String> string, Encoding encoding);

// search.cc: indexOfX(buffer, value, offset, [encoding,] forward).
void IndexOfNumber(const Info& info);
void IndexOfString(const Info& info);
void IndexOfBuffer(const Info& info);
double FastIndexOfNumber(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer, uint32_t value, double offset,
                         bool forward, v8::FastApiCallbackOptions& options);
double FastIndexOfString(v8::Local<v8::Object> receiver, v8::Local<v8::Value> buffer,
                         const v8::FastOneByteString& value, double offset, uint32_t encoding, bool forward,
                         v8::FastApiCallbackOptions& options);

}  // namespace gyre::modules::buffer

#endif  // GYRE_MODULES_BUFFER_NATIVE_H_
