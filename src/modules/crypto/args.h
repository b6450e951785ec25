// Between JavaScript and OpenSSL: bytes of arguments, errors, and the jobs that run here or on the crypto lane.
//
// Thread: the isolate's, except CryptoJob::Run, which may be called on a lane.
#ifndef GYRE_MODULES_CRYPTO_ARGS_H_
#define GYRE_MODULES_CRYPTO_ARGS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bridge/module.h"
#include "modules/crypto/ossl.h"

namespace gyre::crypto {

/// The bytes of a string (its UTF-8) or of a buffer, for the length of one call. Small ones are copied to the stack;
/// large buffers are looked at in place.
class BytesArg {
 public:
  BytesArg(v8::Isolate* isolate, v8::Local<v8::Value> value);
  BytesArg(const BytesArg&) = delete;
  BytesArg& operator=(const BytesArg&) = delete;

  std::span<const uint8_t> bytes() const { return bytes_; }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  uint8_t inline_[256];
  std::unique_ptr<uint8_t[]> heap_;
  std::span<const uint8_t> bytes_;
};

/// A copy of the bytes of a string or buffer.
std::string OwnBytes(v8::Isolate* isolate, v8::Local<v8::Value> value);
inline std::span<const uint8_t> SpanOf(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}
inline const uint8_t* BytePointer(const std::string& bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }

v8::Local<v8::Value> ToJsError(Js& js, const CryptoError& error);
void Throw(Js& js, const CryptoError& error);
/// Throws what OpenSSL queued.
void ThrowQueued(Js& js, std::string_view fallback);

int32_t IntArg(const Info& info, int index);
bool IsNothing(v8::Local<v8::Value> value);

/// An ArrayBuffer over a copy of `bytes`, or over memory that it takes.
v8::Local<v8::Value> ToArrayBuffer(Js& js, std::span<const uint8_t> bytes);
v8::Local<v8::Value> ToArrayBuffer(Js& js, base::Bytes bytes);
v8::Local<v8::Value> ToArrayBuffer(Js& js, const std::string& bytes);

/// One operation, written once: run here (sync) or on the lane.
class CryptoJob {
 public:
  virtual ~CryptoJob() = default;
  /// Any thread. Failure goes into `error`.
  virtual void Run() = 0;
  /// The isolate's thread, after a Run without error.
  virtual v8::Local<v8::Value> Result(Js& js) = 0;
  std::optional<CryptoError> error;
};

/// Runs `job` at once if `how` is undefined (its result is returned or its error thrown), else on the crypto lane.
void RunJob(Js& js, const Info& info, v8::Local<v8::Value> how, const char* kind, std::unique_ptr<CryptoJob> job);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_ARGS_H_
