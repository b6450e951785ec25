#include "modules/crypto/hash.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evperr.h>
#include <openssl/hmac.h>

#include <cstring>
#include <vector>

namespace gyre::crypto {

namespace {

// What repeated one-piece digests of a realm reuse: a context a digest, and the block that short results go to.
struct HashScratch {
  explicit HashScratch(Realm&) {}
  std::vector<MdCtx> contexts;
  std::shared_ptr<v8::BackingStore> store;

  EVP_MD_CTX* Context(int id) {
    if (static_cast<size_t>(id) >= contexts.size()) contexts.resize(id + 1);
    if (contexts[id] == nullptr) contexts[id].reset(EVP_MD_CTX_new());
    return contexts[id].get();
  }
  uint8_t* Block() {
    if (store == nullptr) store = v8::ArrayBuffer::NewBackingStore(v8::Isolate::GetCurrent(), EVP_MAX_MD_SIZE);
    return static_cast<uint8_t*>(store->Data());
  }
};

// Hands a result to JavaScript: as text, in the scratch block (its length is returned), or in a Buffer of its own.
void ReturnDigest(Js& js, const Info& info, std::span<const uint8_t> digest, Encoding encoding) {
  if (encoding == Encoding::kHex && digest.size() <= EVP_MAX_MD_SIZE) {
    static constexpr char kHex[] = "0123456789abcdef";
    uint8_t text[EVP_MAX_MD_SIZE * 2];
    for (size_t i = 0; i < digest.size(); i++) {
      text[2 * i] = kHex[digest[i] >> 4];
      text[2 * i + 1] = kHex[digest[i] & 15];
    }
    v8::Local<v8::String> string;
    if (v8::String::NewFromOneByte(js.isolate, text, v8::NewStringType::kNormal, static_cast<int>(digest.size() * 2))
            .ToLocal(&string)) {
      info.GetReturnValue().Set(string);
    }
    return;
  }
  if (encoding != Encoding::kBytes) return info.GetReturnValue().Set(js.Latin1(Encode(digest, encoding)));
  if (digest.size() <= EVP_MAX_MD_SIZE) {
    uint8_t* block = js.realm.Slot<HashScratch>().Block();
    if (block != digest.data()) std::memcpy(block, digest.data(), digest.size());
    return info.GetReturnValue().Set(static_cast<uint32_t>(digest.size()));
  }
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, digest).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

Encoding EncodingArg(const Info& info, int index) {
  int value = IntArg(info, index);
  return value >= 0 && value <= 4 ? static_cast<Encoding>(value) : Encoding::kBytes;
}

const Digest* DigestArg(Js& js, const Info& info, int index) {
  const Digest* digest = DigestById(IntArg(info, index));
  if (digest == nullptr) js.ThrowError("Digest method not supported");
  return digest;
}

// The length of the result: what was asked for, or the digest's own.
size_t OutputLength(const Digest& digest, v8::Local<v8::Value> value) {
  double length = value->IsNumber() ? value.As<v8::Number>()->Value() : -1;
  return length < 0 ? static_cast<size_t>(digest.size) : static_cast<size_t>(length);
}

// HMAC, RFC 2104, over one context of the digest: OpenSSL's own HMAC copies (and allocates) a context for each message,
// which costs more than hashing a short one.
bool HmacInto(EVP_MD_CTX* ctx, const Digest& digest, std::span<const uint8_t> key, std::span<const uint8_t> message,
              uint8_t* out) {
  uint8_t pad[EVP_MAX_MD_SIZE * 4] = {};
  size_t block = static_cast<size_t>(EVP_MD_get_block_size(digest.md));
  if (block == 0 || block > sizeof pad) return false;
  if (key.size() > block) {
    if (!DigestOnce(ctx, digest, key, pad, digest.size)) return false;
  } else if (!key.empty()) {
    std::memcpy(pad, key.data(), key.size());
  }
  for (size_t i = 0; i < block; i++) pad[i] ^= 0x36;
  uint8_t inner[EVP_MAX_MD_SIZE];
  bool ok = EVP_DigestInit_ex(ctx, digest.md, nullptr) == 1 && EVP_DigestUpdate(ctx, pad, block) == 1 &&
            EVP_DigestUpdate(ctx, message.data(), message.size()) == 1 && EVP_DigestFinal_ex(ctx, inner, nullptr) == 1;
  for (size_t i = 0; i < block; i++) pad[i] ^= 0x36 ^ 0x5c;
  ok = ok && EVP_DigestInit_ex(ctx, digest.md, nullptr) == 1 && EVP_DigestUpdate(ctx, pad, block) == 1 &&
       EVP_DigestUpdate(ctx, inner, digest.size) == 1 && EVP_DigestFinal_ex(ctx, out, nullptr) == 1;
  OPENSSL_cleanse(pad, sizeof pad);
  OPENSSL_cleanse(inner, sizeof inner);
  return ok;
}

}  // namespace

// digestId(name): a number, or -1.
void DigestIdOf(const Info& info) { info.GetReturnValue().Set(DigestId(OwnBytes(info.GetIsolate(), info[0]))); }

void DigestSize(const Info& info) {
  const Digest* digest = DigestById(IntArg(info, 0));
  info.GetReturnValue().Set(digest == nullptr ? 0 : digest->size);
}

// digestScratch(): the block that short results are left in.
void DigestScratch(const Info& info) {
  Js js(info);
  HashScratch& scratch = js.realm.Slot<HashScratch>();
  scratch.Block();
  v8::Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(js.isolate, scratch.store);
  info.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, EVP_MAX_MD_SIZE));
}

// hashOnce(id, message, encoding, outputLength)
void HashOnce(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest == nullptr) return;
  HashScratch& scratch = js.realm.Slot<HashScratch>();
  size_t length = OutputLength(*digest, info[3]);
  BytesArg message(js.isolate, info[1]);
  Encoding encoding = EncodingArg(info, 2);
  base::Bytes large;
  uint8_t* out = scratch.Block();
  if (length > EVP_MAX_MD_SIZE) {
    large = base::Bytes::Allocate(length);
    out = large.data();
    if (out == nullptr) return js.ThrowRangeError("Array buffer allocation failed");
  }
  if (!DigestOnce(scratch.Context(IntArg(info, 0)), *digest, message.bytes(), out, length)) {
    return ThrowQueued(js, "Digest method not supported");
  }
  ReturnDigest(js, info, {out, length}, encoding);
}

// hmacOnce(id, key, message, encoding)
void HmacOnce(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest == nullptr) return;
  HashScratch& scratch = js.realm.Slot<HashScratch>();
  BytesArg key(js.isolate, info[1]);
  BytesArg message(js.isolate, info[2]);
  uint8_t* out = scratch.Block();
  if (!HmacInto(scratch.Context(IntArg(info, 0)), *digest, key.bytes(), message.bytes(), out)) {
    return ThrowQueued(js, "Hmac failed");
  }
  ReturnDigest(js, info, {out, static_cast<size_t>(digest->size)}, EncodingArg(info, 3));
}

namespace {

// A digest or an HMAC of a whole message, for WebCrypto.
class DigestJob : public CryptoJob {
 public:
  DigestJob(const Digest& digest, std::optional<std::string> key, std::string message, size_t length)
      : digest_(digest), key_(std::move(key)), message_(std::move(message)), out_(length, '\0') {}
  void Run() override {
    auto* out = reinterpret_cast<uint8_t*>(out_.data());
    MdCtx ctx(EVP_MD_CTX_new());
    bool ok = key_ ? HmacInto(ctx.get(), digest_, SpanOf(*key_), SpanOf(message_), out)
                   : DigestOnce(ctx.get(), digest_, SpanOf(message_), out, out_.size());
    if (!ok) error = CryptoError::FromQueue("Digest failed");
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, out_); }

 private:
  const Digest& digest_;
  std::optional<std::string> key_;
  std::string message_, out_;
};

}  // namespace

// digestJob(id, message, outputLength | -1, how)
void RunDigestJob(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest == nullptr) return;
  RunJob(js, info, info[3], "digest",
         std::make_unique<DigestJob>(*digest, std::nullopt, OwnBytes(js.isolate, info[1]),
                                     OutputLength(*digest, info[2])));
}

// hmacJob(id, key, message, how)
void RunHmacJob(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest == nullptr) return;
  RunJob(js, info, info[3], "hmac",
         std::make_unique<DigestJob>(*digest, OwnBytes(js.isolate, info[1]), OwnBytes(js.isolate, info[2]),
                                     static_cast<size_t>(digest->size)));
}

namespace {

// NIST SP 800-185, section 4.
class KmacJob : public CryptoJob {
 public:
  std::string name, key, customization, message, out;
  void Run() override {
    std::unique_ptr<EVP_MAC, FreeWith<&EVP_MAC_free>> mac(EVP_MAC_fetch(nullptr, name.c_str(), nullptr));
    std::unique_ptr<EVP_MAC_CTX, FreeWith<&EVP_MAC_CTX_free>> ctx(mac == nullptr ? nullptr
                                                                                 : EVP_MAC_CTX_new(mac.get()));
    size_t size = out.size();
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_CUSTOM, customization.data(), customization.size()),
        OSSL_PARAM_construct_end(),
    };
    bool ok = ctx != nullptr && EVP_MAC_init(ctx.get(), BytePointer(key), key.size(), params) == 1 &&
              EVP_MAC_update(ctx.get(), BytePointer(message), message.size()) == 1 &&
              EVP_MAC_final(ctx.get(), reinterpret_cast<uint8_t*>(out.data()), &size, out.size()) == 1;
    if (!ok) error = CryptoError::FromQueue("KMAC failed");
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, out); }
};

}  // namespace

// kmacJob(name, key, customization | undefined, message, outputLength, how)
void RunKmacJob(const Info& info) {
  Js js(info);
  auto job = std::make_unique<KmacJob>();
  job->name = OwnBytes(js.isolate, info[0]);
  job->key = OwnBytes(js.isolate, info[1]);
  if (!IsNothing(info[2])) job->customization = OwnBytes(js.isolate, info[2]);
  job->message = OwnBytes(js.isolate, info[3]);
  job->out.resize(static_cast<size_t>(std::max(0, IntArg(info, 4))));
  RunJob(js, info, info[5], "kmac", std::move(job));
}

// checkOutputLength(id, length): only an extendable function has a length of choice.
void CheckOutputLength(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest == nullptr || digest->is_xof) return;
  if (OutputLength(*digest, info[1]) == static_cast<size_t>(digest->size)) return;
  CryptoError error;
  error.ossl_code = ERR_PACK(ERR_LIB_EVP, 0, EVP_R_NOT_XOF_OR_INVALID_LENGTH);
  Throw(js, error);
}

// fixedSize(id): undefined for an extendable function.
void FixedSize(const Info& info) {
  const Digest* digest = DigestById(IntArg(info, 0));
  if (digest != nullptr && !digest->is_xof) info.GetReturnValue().Set(digest->size);
}

void CheckHmac(const Info& info) {
  Js js(info);
  const Digest* digest = DigestArg(js, info, 0);
  if (digest != nullptr && digest->is_xof) js.ThrowError("error:00000000:lib(0)::reason(0)");
}

// --- states of messages that come in pieces ---

class HashState : public Wrap {
 public:
  static const NativeClass kClass;
  HashState(Js& js, v8::Local<v8::Object> object, const Digest& digest, size_t length)
      : Wrap(js.realm, object, &kClass), ctx_(EVP_MD_CTX_new()), digest_(digest), length_(length) {}

  // new HashState(id | other, outputLength)
  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("HashState needs new");
    HashState* other = Wrap::From<HashState>(info[0]);
    const Digest* digest = other != nullptr ? &other->digest_ : DigestArg(js, info, 0);
    if (digest == nullptr) return;
    auto* state = new HashState(js, info.This(), *digest, OutputLength(*digest, info[1]));
    int ok = other != nullptr ? EVP_MD_CTX_copy_ex(state->ctx_.get(), other->ctx_.get())
                              : EVP_DigestInit_ex(state->ctx_.get(), digest->md, nullptr);
    if (ok != 1) ThrowQueued(js, "Digest method not supported");
  }

  void Update(Js& js, const Info& info) {
    BytesArg message(js.isolate, info[0]);
    if (EVP_DigestUpdate(ctx_.get(), message.data(), message.size()) != 1) ThrowQueued(js, "Hash update failed");
  }

  void Final(Js& js, const Info& info) {
    base::Bytes out = base::Bytes::Allocate(std::max<size_t>(length_, EVP_MAX_MD_SIZE));
    if (out.data() == nullptr) return js.ThrowRangeError("Array buffer allocation failed");
    bool ok = true;
    if (length_ == static_cast<size_t>(digest_.size)) {
      ok = EVP_DigestFinal_ex(ctx_.get(), out.data(), nullptr) == 1;
    } else if (length_ > 0) {
      ok = EVP_DigestFinalXOF(ctx_.get(), out.data(), length_) == 1;
    }
    if (!ok) return ThrowQueued(js, "Digest failed");
    ReturnDigest(js, info, {out.data(), length_}, EncodingArg(info, 0));
  }

 private:
  MdCtx ctx_;
  const Digest& digest_;
  size_t length_;
};

constexpr NativeFunction kHashMethods[] = {
    RawMethod<&HashState::Update>("update"),
    RawMethod<&HashState::Final>("digest"),
};
const NativeClass HashState::kClass = {.name = "Hash", .construct = &HashState::New, .methods = kHashMethods};

class HmacState : public Wrap {
 public:
  static const NativeClass kClass;
  HmacState(Js& js, v8::Local<v8::Object> object) : Wrap(js.realm, object, &kClass), ctx_(HMAC_CTX_new()) {}

  // new HmacState(id, key)
  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("HmacState needs new");
    const Digest* digest = DigestArg(js, info, 0);
    if (digest == nullptr) return;
    BytesArg key(js.isolate, info[1]);
    auto* state = new HmacState(js, info.This());
    // A null key would mean "the key of before".
    const void* data = key.size() == 0 ? "" : static_cast<const void*>(key.data());
    if (HMAC_Init_ex(state->ctx_.get(), data, static_cast<int>(key.size()), digest->md, nullptr) != 1) {
      ThrowQueued(js, "Hmac failed");
    }
  }

  void Update(Js& js, const Info& info) {
    BytesArg message(js.isolate, info[0]);
    if (HMAC_Update(ctx_.get(), message.data(), message.size()) != 1) ThrowQueued(js, "Hmac update failed");
  }

  void Final(Js& js, const Info& info) {
    uint8_t out[EVP_MAX_MD_SIZE];
    unsigned int size = sizeof out;
    if (HMAC_Final(ctx_.get(), out, &size) != 1) return ThrowQueued(js, "Hmac failed");
    ReturnDigest(js, info, {out, size}, EncodingArg(info, 0));
  }

 private:
  std::unique_ptr<HMAC_CTX, FreeWith<&HMAC_CTX_free>> ctx_;
};

constexpr NativeFunction kHmacMethods[] = {
    RawMethod<&HmacState::Update>("update"),
    RawMethod<&HmacState::Final>("digest"),
};
const NativeClass HmacState::kClass = {.name = "Hmac", .construct = &HmacState::New, .methods = kHmacMethods};

const NativeClass* const kHashClasses[] = {&HashState::kClass, &HmacState::kClass};

}  // namespace gyre::crypto
