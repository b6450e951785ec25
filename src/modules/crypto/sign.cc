// binding('crypto_sign'): signatures, in one piece (here or on the crypto lane) or over a message in pieces.
#include "modules/crypto/keys.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include <optional>

namespace gyre::crypto {

namespace {

// How to sign: what an options object of JavaScript says.
struct SignOptions {
  std::optional<int> padding;
  std::optional<int> salt_length;
  bool p1363 = false;  // signatures of (EC)DSA as r || s instead of DER
  std::optional<std::string> context;
};

SignOptions OptionsFrom(const Info& info, int from) {
  SignOptions options;
  if (!IsNothing(info[from])) options.padding = IntArg(info, from);
  if (!IsNothing(info[from + 1])) options.salt_length = IntArg(info, from + 1);
  options.p1363 = info[from + 2]->IsTrue();
  return options;
}

bool IsRsa(const EVP_PKEY* pkey) { return EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_is_a(pkey, "RSA-PSS"); }

bool ApplyRsaOptions(EVP_PKEY_CTX* ctx, const EVP_PKEY* pkey, const SignOptions& options) {
  if (!IsRsa(pkey)) return true;
  int padding = options.padding.value_or(EVP_PKEY_is_a(pkey, "RSA-PSS") ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING);
  if (EVP_PKEY_CTX_set_rsa_padding(ctx, padding) <= 0) return false;
  if (padding == RSA_PKCS1_PSS_PADDING && options.salt_length) {
    return EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, *options.salt_length) > 0;
  }
  return true;
}

// Octets of r and of s in the P1363 form; 0 for keys that sign otherwise.
int HalfSize(const EVP_PKEY* pkey) {
  if (EVP_PKEY_is_a(pkey, "EC")) return (EVP_PKEY_get_bits(pkey) + 7) / 8;
  if (EVP_PKEY_is_a(pkey, "DSA")) {
    BIGNUM* q = nullptr;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_FFC_Q, &q) != 1) return 0;
    int size = BN_num_bytes(q);
    BN_free(q);
    return size;
  }
  return 0;
}

using EcdsaSig = std::unique_ptr<ECDSA_SIG, FreeWith<&ECDSA_SIG_free>>;

// DSA's signature has the same DER as ECDSA's.
std::optional<std::string> DerToP1363(const std::string& der, int half) {
  const unsigned char* at = BytePointer(der);
  EcdsaSig sig(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (sig == nullptr) return std::nullopt;
  std::string out(static_cast<size_t>(half) * 2, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  if (BN_bn2binpad(ECDSA_SIG_get0_r(sig.get()), bytes, half) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(sig.get()), bytes + half, half) < 0) {
    return std::nullopt;
  }
  return out;
}

std::optional<std::string> P1363ToDer(const std::string& raw, int half) {
  if (half <= 0 || raw.size() != static_cast<size_t>(half) * 2) return std::nullopt;
  EcdsaSig sig(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(BytePointer(raw), half, nullptr);
  BIGNUM* s = BN_bin2bn(BytePointer(raw) + half, half, nullptr);
  if (ECDSA_SIG_set0(sig.get(), r, s) != 1) return std::nullopt;
  unsigned char* der = nullptr;
  int size = i2d_ECDSA_SIG(sig.get(), &der);
  if (size <= 0) return std::nullopt;
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

// Signs or verifies a message that is here in one piece.
class SignJob : public CryptoJob {
 public:
  KeyPtr key;
  const Digest* digest = nullptr;  // null: what the key's type implies
  std::string message;
  SignOptions options;
  std::optional<std::string> signature;  // to verify

  void Run() override {
    MdCtx ctx(EVP_MD_CTX_new());
    if (signature) {
      Verify(ctx.get());
    } else {
      Sign(ctx.get());
    }
  }

  v8::Local<v8::Value> Result(Js& js) override {
    if (signature) return js.Bool(verified_);
    return ToArrayBuffer(js, out_);
  }

 private:
  const EVP_MD* md() const { return digest == nullptr ? nullptr : digest->md; }

  bool Begin(EVP_MD_CTX* ctx, EVP_PKEY_CTX** pctx) {
    EVP_PKEY* pkey = key->pkey.get();
    int ok = signature ? EVP_DigestVerifyInit(ctx, pctx, md(), nullptr, pkey)
                       : EVP_DigestSignInit(ctx, pctx, md(), nullptr, pkey);
    return ok == 1 && ApplyRsaOptions(*pctx, pkey, options);
  }

  void Sign(EVP_MD_CTX* ctx) {
    EVP_PKEY_CTX* pctx = nullptr;
    size_t size = 0;
    bool ok = Begin(ctx, &pctx) && EVP_DigestSign(ctx, nullptr, &size, BytePointer(message), message.size()) == 1;
    if (ok) {
      out_.resize(size);
      ok = EVP_DigestSign(ctx, reinterpret_cast<unsigned char*>(out_.data()), &size, BytePointer(message),
                          message.size()) == 1;
      out_.resize(size);
    }
    if (ok && options.p1363) {
      if (int half = HalfSize(key->pkey.get())) {
        std::optional<std::string> raw = DerToP1363(out_, half);
        ok = raw.has_value();
        if (ok) out_ = std::move(*raw);
      }
    }
    if (!ok) error = CryptoError::FromQueue("Signing failed");
  }

  void Verify(EVP_MD_CTX* ctx) {
    EVP_PKEY_CTX* pctx = nullptr;
    if (!Begin(ctx, &pctx)) {
      error = CryptoError::FromQueue("Verification failed");
      return;
    }
    if (options.p1363) {
      if (int half = HalfSize(key->pkey.get())) {
        std::optional<std::string> der = P1363ToDer(*signature, half);
        if (!der) return;
        signature = std::move(*der);
      }
    }
    verified_ =
        EVP_DigestVerify(ctx, BytePointer(*signature), signature->size(), BytePointer(message), message.size()) == 1;
    ClearErrors();
  }

  std::string out_;
  bool verified_ = false;
};

// `digest` of an argument: absent, or a name. False with an exception pending for an unknown one.
bool DigestNamed(Js& js, v8::Local<v8::Value> value, const Digest** digest) {
  if (IsNothing(value)) return true;
  std::string name = OwnBytes(js.isolate, value);
  *digest = DigestById(DigestId(name));
  if (*digest != nullptr) return true;
  js.Throw("ERR_CRYPTO_INVALID_DIGEST", name);
  return false;
}

// signOnce(key, digest | undefined, data, padding, saltLength, p1363, how)
void SignOnce(const Info& info) {
  Js js(info);
  KeyPtr key = KeyHandle::Arg(js, info, 0);
  auto job = std::make_unique<SignJob>();
  if (key == nullptr || !DigestNamed(js, info[1], &job->digest)) return;
  if (key->type != KeyType::kPrivate) return js.ThrowTypeError("Not a private key");
  job->key = std::move(key);
  job->message = OwnBytes(js.isolate, info[2]);
  job->options = OptionsFrom(info, 3);
  RunJob(js, info, info[6], "sign", std::move(job));
}

// verifyOnce(key, digest | undefined, data, padding, saltLength, p1363, signature, how)
void VerifyOnce(const Info& info) {
  Js js(info);
  KeyPtr key = KeyHandle::Arg(js, info, 0);
  auto job = std::make_unique<SignJob>();
  if (key == nullptr || !DigestNamed(js, info[1], &job->digest)) return;
  if (key->pkey == nullptr) return js.ThrowTypeError("Not an asymmetric key");
  job->key = std::move(key);
  job->message = OwnBytes(js.isolate, info[2]);
  job->options = OptionsFrom(info, 3);
  job->signature = OwnBytes(js.isolate, info[6]);
  RunJob(js, info, info[7], "verify", std::move(job));
}

// The message of createSign and createVerify, hashed as it comes: the key is known only at the end.
class SignState : public Wrap {
 public:
  static const NativeClass kClass;

  // new SignState(digestName)
  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("SignState needs new");
    std::string name = OwnBytes(js.isolate, info[0]);
    const Digest* digest = DigestById(DigestId(name));
    if (digest == nullptr) {
      js.Throw("ERR_CRYPTO_INVALID_DIGEST", name);
      return;
    }
    auto* state = new SignState(js, info.This(), *digest);
    if (EVP_DigestInit_ex(state->ctx_.get(), digest->md, nullptr) != 1) ThrowQueued(js, "Failed to initialize");
  }

  void Update(Js& js, const Info& info) {
    BytesArg data(js.isolate, info[0]);
    if (done_) return js.ThrowError("Not initialised");
    if (EVP_DigestUpdate(ctx_.get(), data.data(), data.size()) != 1) ThrowQueued(js, "Update failed");
  }

  // sign(key, padding, saltLength, p1363)
  void Sign(Js& js, const Info& info) {
    KeyPtr key = KeyHandle::Arg(js, info, 0);
    if (key == nullptr) return;
    SignOptions options = OptionsFrom(info, 1);
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned int hash_size = 0;
    PKeyCtx ctx;
    if (!Finish(js, *key, options, false, hash, &hash_size, &ctx)) return;
    size_t size = 0;
    std::string out;
    bool ok = EVP_PKEY_sign(ctx.get(), nullptr, &size, hash, hash_size) == 1;
    if (ok) {
      out.resize(size);
      ok = EVP_PKEY_sign(ctx.get(), reinterpret_cast<unsigned char*>(out.data()), &size, hash, hash_size) == 1;
      out.resize(size);
    }
    if (!ok) return ThrowQueued(js, "PEM_read_bio_PrivateKey failed");
    if (options.p1363) {
      if (int half = HalfSize(key->pkey.get())) {
        std::optional<std::string> raw = DerToP1363(out, half);
        if (!raw) return js.ThrowError("Malformed signature");
        out = std::move(*raw);
      }
    }
    v8::Local<v8::Object> buffer;
    if (MakeBuffer(js, SpanOf(out)).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
  }

  // verify(key, signature, padding, saltLength, p1363)
  void Verify(Js& js, const Info& info) {
    KeyPtr key = KeyHandle::Arg(js, info, 0);
    if (key == nullptr) return;
    std::string signature = OwnBytes(js.isolate, info[1]);
    SignOptions options = OptionsFrom(info, 2);
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned int hash_size = 0;
    PKeyCtx ctx;
    if (!Finish(js, *key, options, true, hash, &hash_size, &ctx)) return;
    if (options.p1363) {
      if (int half = HalfSize(key->pkey.get())) {
        std::optional<std::string> der = P1363ToDer(signature, half);
        if (!der) return info.GetReturnValue().Set(false);
        signature = std::move(*der);
      }
    }
    bool ok = EVP_PKEY_verify(ctx.get(), BytePointer(signature), signature.size(), hash, hash_size) == 1;
    ClearErrors();
    info.GetReturnValue().Set(ok);
  }

 private:
  SignState(Js& js, v8::Local<v8::Object> object, const Digest& digest)
      : Wrap(js.realm, object, &kClass), ctx_(EVP_MD_CTX_new()), digest_(digest) {}

  // Ends the hash and makes a context for the key.
  bool Finish(Js& js, const KeyData& key, const SignOptions& options, bool verify, uint8_t* hash, unsigned int* size,
              PKeyCtx* ctx) {
    ClearErrors();
    if (done_) {
      js.ThrowError("Not initialised");
      return false;
    }
    if (key.pkey == nullptr) {
      js.ThrowTypeError("Not an asymmetric key");
      return false;
    }
    done_ = true;
    EVP_PKEY* pkey = key.pkey.get();
    // Keys that hash the message in their own way cannot take a hash.
    if (EVP_PKEY_is_a(pkey, "ED25519") || EVP_PKEY_is_a(pkey, "ED448")) {
      js.Throw("ERR_CRYPTO_UNSUPPORTED_OPERATION");
      return false;
    }
    ctx->reset(EVP_PKEY_CTX_new_from_pkey(nullptr, pkey, nullptr));
    bool ok = EVP_DigestFinal_ex(ctx_.get(), hash, size) == 1 && *ctx != nullptr &&
              (verify ? EVP_PKEY_verify_init(ctx->get()) : EVP_PKEY_sign_init(ctx->get())) == 1 &&
              ApplyRsaOptions(ctx->get(), pkey, options) && EVP_PKEY_CTX_set_signature_md(ctx->get(), digest_.md) > 0;
    if (!ok) ThrowQueued(js, verify ? "Verification failed" : "Signing failed");
    return ok;
  }

  MdCtx ctx_;
  const Digest& digest_;
  bool done_ = false;
};

constexpr NativeFunction kStateMethods[] = {
    RawMethod<&SignState::Update>("update"),
    RawMethod<&SignState::Sign>("sign"),
    RawMethod<&SignState::Verify>("verify"),
};
const NativeClass SignState::kClass = {.name = "SignState", .construct = &SignState::New, .methods = kStateMethods};

constexpr NativeFunction kFunctions[] = {
    RawFn("signOnce", &SignOnce, 7),
    RawFn("verifyOnce", &VerifyOnce, 8),
};
const NativeClass* const kClasses[] = {&SignState::kClass};

}  // namespace
}  // namespace gyre::crypto

namespace gyre::modules {
extern const NativeModule kCryptoSignModule;
const NativeModule kCryptoSignModule = {
    .name = "crypto_sign", .functions = crypto::kFunctions, .classes = crypto::kClasses};
}  // namespace gyre::modules
