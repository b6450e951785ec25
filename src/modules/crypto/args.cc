#include "modules/crypto/args.h"

#include "base/clamp.h"

#include <cstring>

namespace gyre::crypto {

BytesArg::BytesArg(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  if (value->IsString()) {
    v8::Local<v8::String> string = value.As<v8::String>();
    // Three bytes a UTF-16 unit are always enough.
    size_t capacity = static_cast<size_t>(string->Length()) * 3;
    uint8_t* out = inline_;
    if (capacity > sizeof inline_) {
      capacity = string->Utf8LengthV2(isolate);
      heap_.reset(new uint8_t[capacity]);
      out = heap_.get();
    }
    size_t size = string->WriteUtf8V2(isolate, reinterpret_cast<char*>(out), capacity,
                                      v8::String::WriteFlags::kReplaceInvalidUtf8);
    bytes_ = {out, size};
  } else if (value->IsArrayBufferView()) {
    v8::MemorySpan<uint8_t> contents =
        value.As<v8::ArrayBufferView>()->GetContents(v8::MemorySpan<uint8_t>(inline_, sizeof inline_));
    bytes_ = {contents.data(), contents.size()};
  } else if (std::optional<BufferView> view = BytesOf(value)) {
    bytes_ = *view;
  }
}

std::string OwnBytes(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  BytesArg bytes(isolate, value);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

namespace {

v8::Local<v8::Value> CodedError(Js& js, const CryptoError& error) {
  if (error.is_text) {
    v8::Local<v8::Value> exception = v8::Exception::TypeError(js.Str(error.message));
    js.Set(exception.As<v8::Object>(), "code", js.Str(error.code));
    return exception;
  }
  // The one list of errors makes it: throw, and catch what was thrown.
  v8::TryCatch catcher(js.isolate);
  if (error.message.empty()) {
    js.Throw(error.code);
  } else {
    js.Throw(error.code, error.message);
  }
  return catcher.Exception();
}

}  // namespace

v8::Local<v8::Value> ToJsError(Js& js, const CryptoError& error) {
  if (!error.code.empty()) return CodedError(js, error);
  std::string message = error.ossl_code != 0 ? ErrorText(error.ossl_code) : error.message;
  v8::Local<v8::Value> exception = v8::Exception::Error(js.Str(message));
  v8::Local<v8::Object> object = exception.As<v8::Object>();
  if (!error.stack.empty()) {
    v8::Local<v8::Array> stack = v8::Array::New(js.isolate, static_cast<int>(error.stack.size()));
    for (uint32_t i = 0; i < error.stack.size(); i++) js.Set(stack, i, js.Str(ErrorText(error.stack[i])));
    js.Set(object, "opensslErrorStack", stack);
  }
  if (error.ossl_code == 0) return exception;
  // "error:1C80006B:Provider routines::wrong final block length"
  size_t library_at = message.find(':', 6);
  size_t function_at = library_at == std::string::npos ? library_at : message.find(':', library_at + 1);
  size_t reason_at = function_at == std::string::npos ? function_at : message.find(':', function_at + 1);
  if (reason_at == std::string::npos) return exception;
  js.Set(object, "library", js.Str(message.substr(library_at + 1, function_at - library_at - 1)));
  js.Set(object, "reason", js.Str(message.substr(reason_at + 1)));
  std::string code = ErrorCodeName(error.ossl_code);
  if (!code.empty()) js.Set(object, "code", js.Str(code));
  return exception;
}

void Throw(Js& js, const CryptoError& error) { js.isolate->ThrowException(ToJsError(js, error)); }

void ThrowQueued(Js& js, std::string_view fallback) { Throw(js, CryptoError::FromQueue(fallback)); }

int32_t IntArg(const Info& info, int index) {
  v8::Local<v8::Value> value = info[index];
  if (value->IsInt32()) return value.As<v8::Int32>()->Value();
  if (value->IsNumber()) return base::ClampTo<int32_t>(value.As<v8::Number>()->Value());
  return 0;
}

bool IsNothing(v8::Local<v8::Value> value) { return value->IsNullOrUndefined(); }

v8::Local<v8::Value> ToArrayBuffer(Js& js, std::span<const uint8_t> bytes) {
  base::Bytes copy = base::Bytes::Allocate(bytes.size());
  if (!bytes.empty() && copy.data() != nullptr) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return ToArrayBuffer(js, std::move(copy));
}

v8::Local<v8::Value> ToArrayBuffer(Js& js, base::Bytes bytes) {
  size_t size = bytes.size();
  if (size == 0) return v8::ArrayBuffer::New(js.isolate, 0);
  std::unique_ptr<v8::BackingStore> store = v8::ArrayBuffer::NewBackingStore(
      bytes.Release(), size, [](void* data, size_t, void*) { std::free(data); }, nullptr);
  return v8::ArrayBuffer::New(js.isolate, std::move(store));
}

v8::Local<v8::Value> ToArrayBuffer(Js& js, const std::string& bytes) { return ToArrayBuffer(js, SpanOf(bytes)); }

/// The name by which async_hooks knows a job.
static const char* ProviderOf(std::string_view kind) {
  if (kind == "pbkdf2") return "PBKDF2REQUEST";
  if (kind == "scrypt") return "SCRYPTREQUEST";
  if (kind == "randomBytes") return "RANDOMBYTESREQUEST";
  if (kind == "generatePrime") return "RANDOMPRIMEREQUEST";
  if (kind == "checkPrime") return "CHECKPRIMEREQUEST";
  if (kind == "generateKeyPair") return "KEYPAIRGENREQUEST";
  if (kind == "sign") return "SIGNREQUEST";
  if (kind == "verify") return "VERIFYREQUEST";
  if (kind == "cipher" || kind == "rsa") return "CIPHERREQUEST";
  if (kind == "hkdf" || kind == "diffieHellman") return "DERIVEBITSREQUEST";
  return "HASHREQUEST";
}

void RunJob(Js& js, const Info& info, v8::Local<v8::Value> how, const char* kind, std::unique_ptr<CryptoJob> job) {
  EnsureOpenSsl();
  std::unique_ptr<PendingCall> call = PendingCall::From(js, how, ProviderOf(kind));
  if (call == nullptr) {
    if (!how->IsUndefined()) return;  // an exception is pending
    ClearErrors();
    job->Run();
    if (job->error) return Throw(js, *job->error);
    v8::Local<v8::Value> result = job->Result(js);
    if (!result.IsEmpty()) info.GetReturnValue().Set(result);
    return;
  }
  info.GetReturnValue().Set(call->result(js));
  auto* raw = job.get();
  bridge::RunOnLane(
      js, loop::Lane::kCrypto, kind, std::move(call),
      [raw] {
        ClearErrors();
        raw->Run();
        return 0;
      },
      [job = std::move(job)](Js& js, PendingCall& call, int) {
        if (job->error) return call.Reject(js, ToJsError(js, *job->error));
        v8::Local<v8::Value> result = job->Result(js);
        if (!result.IsEmpty()) call.Resolve(js, result);
      });
}

}  // namespace gyre::crypto
