// binding('crypto_keygen'): making key pairs, and agreeing on secrets with them.
#include "modules/crypto/keys.h"

#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include <functional>

namespace gyre::crypto {

namespace {

// Generates with a context that `set_up` makes; on any thread.
class KeyPairJob : public CryptoJob {
 public:
  explicit KeyPairJob(std::function<PKeyCtx()> set_up) : set_up_(std::move(set_up)) {}

  void Run() override {
    PKeyCtx ctx = set_up_();
    EVP_PKEY* pkey = nullptr;
    if (ctx == nullptr || EVP_PKEY_keygen(ctx.get(), &pkey) != 1) {
      error = CryptoError::FromQueue("Key generation job failed");
      return;
    }
    pkey_.reset(pkey);
  }

  // [public, private]
  v8::Local<v8::Value> Result(Js& js) override {
    EVP_PKEY_up_ref(pkey_.get());
    PKey same(pkey_.get());
    v8::Local<v8::Object> handles[2];
    if (!KeyHandle::Make(js, MakeAsymmetricKey(KeyType::kPublic, std::move(same))).ToLocal(&handles[0]) ||
        !KeyHandle::Make(js, MakeAsymmetricKey(KeyType::kPrivate, std::move(pkey_))).ToLocal(&handles[1])) {
      return {};
    }
    v8::Local<v8::Value> pair[] = {handles[0], handles[1]};
    return v8::Array::New(js.isolate, pair, 2);
  }

 private:
  std::function<PKeyCtx()> set_up_;
  PKey pkey_;
};

void RunKeyPair(Js& js, const Info& info, int how, std::function<PKeyCtx()> set_up) {
  RunJob(js, info, info[how], "generateKeyPair", std::make_unique<KeyPairJob>(std::move(set_up)));
}

PKeyCtx ContextOf(const char* type) {
  PKeyCtx ctx(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  if (ctx == nullptr || EVP_PKEY_keygen_init(ctx.get()) != 1) return nullptr;
  return ctx;
}

// rsaPair(pss, bits, exponent, hashName | undefined, mgf1Name | undefined, saltLength | -1, how)
void RsaPair(const Info& info) {
  Js js(info);
  bool pss = info[0]->IsTrue();
  auto bits = static_cast<uint32_t>(IntArg(info, 1));
  double exponent = info[2]->IsNumber() ? info[2].As<v8::Number>()->Value() : 65537;
  const Digest* hash = nullptr;
  const Digest* mgf1 = nullptr;
  for (auto [index, target] : {std::pair{3, &hash}, std::pair{4, &mgf1}}) {
    if (IsNothing(info[index])) continue;
    std::string name = OwnBytes(js.isolate, info[index]);
    *target = DigestById(DigestId(name));
    if (*target == nullptr) {
      // The second is told from the first by its message.
      if (index == 3) return js.Throw("ERR_CRYPTO_INVALID_DIGEST", name);
      return Throw(js,
                   {.code = "ERR_CRYPTO_INVALID_DIGEST", .message = "Invalid MGF1 digest: " + name, .is_text = true});
    }
  }
  int salt = IntArg(info, 5);
  // A salt the modulus has no room for makes keys that sign nothing, but that is for the program to find out.
  RunKeyPair(js, info, 6, [=]() -> PKeyCtx {
    PKeyCtx ctx = ContextOf(pss ? "RSA-PSS" : "RSA");
    if (ctx == nullptr || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx.get(), static_cast<int>(bits)) <= 0) return nullptr;
    BigNum e(BN_new());
    BN_set_word(e.get(), static_cast<BN_ULONG>(exponent));
    if (EVP_PKEY_CTX_set1_rsa_keygen_pubexp(ctx.get(), e.get()) <= 0) return nullptr;
    if (!pss) return ctx;
    if (hash != nullptr && EVP_PKEY_CTX_set_rsa_pss_keygen_md(ctx.get(), hash->md) <= 0) return nullptr;
    // RFC 8017: the mask's hash is by default the message's.
    const Digest* mask = mgf1 != nullptr ? mgf1 : hash;
    if (mask != nullptr && EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md(ctx.get(), mask->md) <= 0) return nullptr;
    int length = salt < 0 && hash != nullptr ? hash->size : salt;
    if (length >= 0 && EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(ctx.get(), length) <= 0) return nullptr;
    return ctx;
  });
}

// A context for keys of parameters that have to be made first.
PKeyCtx ContextFromParams(PKeyCtx param_ctx) {
  EVP_PKEY* params = nullptr;
  if (EVP_PKEY_paramgen(param_ctx.get(), &params) != 1) return nullptr;
  PKey owned(params);
  PKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, params, nullptr));
  if (ctx == nullptr || EVP_PKEY_keygen_init(ctx.get()) != 1) return nullptr;
  return ctx;
}

// dsaPair(bits, divisorBits | -1, how)
void DsaPair(const Info& info) {
  Js js(info);
  int bits = IntArg(info, 0), divisor = IntArg(info, 1);
  RunKeyPair(js, info, 2, [=]() -> PKeyCtx {
    PKeyCtx ctx(EVP_PKEY_CTX_new_from_name(nullptr, "DSA", nullptr));
    if (ctx == nullptr || EVP_PKEY_paramgen_init(ctx.get()) != 1 ||
        EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx.get(), bits) <= 0) {
      return nullptr;
    }
    if (divisor >= 0 && EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx.get(), divisor) <= 0) return nullptr;
    return ContextFromParams(std::move(ctx));
  });
}

// The number of a curve by any of its names, or NID_undef.
int CurveNid(const std::string& name) {
  EnsureOpenSsl();
  int nid = EC_curve_nist2nid(name.c_str());
  return nid != NID_undef ? nid : OBJ_sn2nid(name.c_str());
}

// ecPair(curve, explicitParameters, how)
void EcPair(const Info& info) {
  Js js(info);
  std::string curve = OwnBytes(js.isolate, info[0]);
  int nid = CurveNid(curve);
  if (nid == NID_undef) return js.Throw("ERR_CRYPTO_INVALID_CURVE");
  bool explicit_parameters = info[1]->IsTrue();
  RunKeyPair(js, info, 2, [=]() -> PKeyCtx {
    PKeyCtx ctx = ContextOf("EC");
    if (ctx == nullptr || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(ctx.get(), nid) <= 0 ||
        EVP_PKEY_CTX_set_ec_param_enc(ctx.get(), explicit_parameters ? 0 : OPENSSL_EC_NAMED_CURVE) <= 0) {
      return nullptr;
    }
    return ctx;
  });
}

// plainPair(type, how): ed25519, ed448, x25519, x448.
void PlainPair(const Info& info) {
  Js js(info);
  std::string type = OwnBytes(js.isolate, info[0]);
  RunKeyPair(js, info, 1, [type] { return ContextOf(type.c_str()); });
}

const BIGNUM* GroupPrime(const std::string& name, BigNum* owner) {
  using Make = BIGNUM* (*)(BIGNUM*);
  static constexpr std::pair<const char*, Make> kGroups[] = {
      {"modp1", &BN_get_rfc2409_prime_768},   {"modp2", &BN_get_rfc2409_prime_1024},
      {"modp5", &BN_get_rfc3526_prime_1536},  {"modp14", &BN_get_rfc3526_prime_2048},
      {"modp15", &BN_get_rfc3526_prime_3072}, {"modp16", &BN_get_rfc3526_prime_4096},
      {"modp17", &BN_get_rfc3526_prime_6144}, {"modp18", &BN_get_rfc3526_prime_8192},
  };
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (auto [known, make] : kGroups) {
    if (lower == known) {
      owner->reset(make(nullptr));
      return owner->get();
    }
  }
  return nullptr;
}

using DhPtr = std::unique_ptr<DH, FreeWith<&DH_free>>;

// A context for keys of a prime and a generator.
PKeyCtx DhContext(const std::string& prime, int generator) {
  DhPtr dh(DH_new());
  BIGNUM* p = BN_bin2bn(BytePointer(prime), static_cast<int>(prime.size()), nullptr);
  BIGNUM* g = BN_new();
  BN_set_word(g, static_cast<BN_ULONG>(generator));
  DH_set0_pqg(dh.get(), p, nullptr, g);
  PKey params(EVP_PKEY_new());
  EVP_PKEY_assign_DH(params.get(), dh.release());
  PKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, params.get(), nullptr));
  if (ctx == nullptr || EVP_PKEY_keygen_init(ctx.get()) != 1) return nullptr;
  return ctx;
}

// dhPair(group name | prime bytes | number of bits, generator, how)
void DhPair(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  int generator = IntArg(info, 1);
  if (info[0]->IsNumber()) {
    int bits = IntArg(info, 0);
    return RunKeyPair(js, info, 2, [=]() -> PKeyCtx {
      PKeyCtx ctx(EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr));
      if (ctx == nullptr || EVP_PKEY_paramgen_init(ctx.get()) != 1 ||
          EVP_PKEY_CTX_set_dh_paramgen_prime_len(ctx.get(), bits) <= 0 ||
          EVP_PKEY_CTX_set_dh_paramgen_generator(ctx.get(), generator) <= 0) {
        return nullptr;
      }
      return ContextFromParams(std::move(ctx));
    });
  }
  std::string prime;
  if (info[0]->IsString()) {
    BigNum owner;
    const BIGNUM* number = GroupPrime(OwnBytes(js.isolate, info[0]), &owner);
    if (number == nullptr) return js.Throw("ERR_CRYPTO_UNKNOWN_DH_GROUP");
    prime.resize(static_cast<size_t>(BN_num_bytes(number)));
    BN_bn2bin(number, reinterpret_cast<unsigned char*>(prime.data()));
    generator = 2;
  } else {
    prime = OwnBytes(js.isolate, info[0]);
  }
  RunKeyPair(js, info, 2, [=] { return DhContext(prime, generator); });
}

// --- agreement ---

class AgreeJob : public CryptoJob {
 public:
  AgreeJob(KeyPtr own, KeyPtr peer) : own_(std::move(own)), peer_(std::move(peer)) {}
  void Run() override {
    PKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, own_->pkey.get(), nullptr));
    size_t size = 0;
    bool ok = ctx != nullptr && EVP_PKEY_derive_init(ctx.get()) == 1 &&
              EVP_PKEY_derive_set_peer(ctx.get(), peer_->pkey.get()) == 1;
    if (ok && EVP_PKEY_is_a(own_->pkey.get(), "DH")) EVP_PKEY_CTX_set_dh_pad(ctx.get(), 1);
    ok = ok && EVP_PKEY_derive(ctx.get(), nullptr, &size) == 1;
    if (ok) {
      out_.resize(size);
      ok = EVP_PKEY_derive(ctx.get(), reinterpret_cast<unsigned char*>(out_.data()), &size) == 1;
      out_.resize(size);
    }
    if (!ok) error = CryptoError::FromQueue("diffieHellman failed");
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, out_); }

 private:
  KeyPtr own_, peer_;
  std::string out_;
};

// agree(privateKey, publicKey, how)
void Agree(const Info& info) {
  Js js(info);
  KeyPtr own = KeyHandle::Arg(js, info, 0);
  if (own == nullptr) return;
  KeyPtr peer = KeyHandle::Arg(js, info, 1);
  if (peer == nullptr) return;
  if (own->pkey == nullptr || peer->pkey == nullptr) return js.ThrowTypeError("Not asymmetric keys");
  RunJob(js, info, info[2], "diffieHellman", std::make_unique<AgreeJob>(std::move(own), std::move(peer)));
}

// --- encapsulation ---

class KemJob : public CryptoJob {
 public:
  KemJob(KeyPtr key, std::optional<std::string> ciphertext)
      : key_(std::move(key)), ciphertext_(std::move(ciphertext)) {}
  void Run() override {
    PKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, key_->pkey.get(), nullptr));
    bool ok = ctx != nullptr && (ciphertext_ ? Decapsulate(ctx.get()) : Encapsulate(ctx.get()));
    if (ok) return;
    error = CryptoError::Coded("ERR_CRYPTO_OPERATION_FAILED",
                               ciphertext_ ? "Failed to perform decapsulation" : "Failed to perform encapsulation");
  }
  // The secret, or [secret, ciphertext].
  v8::Local<v8::Value> Result(Js& js) override {
    v8::Local<v8::Value> secret = ToArrayBuffer(js, secret_);
    if (ciphertext_) return secret;
    v8::Local<v8::Value> both[] = {secret, ToArrayBuffer(js, wrapped_)};
    return v8::Array::New(js.isolate, both, 2);
  }

 private:
  // RSA has one scheme, RSASVE (SP 800-56B); OpenSSL wants to be told.
  bool Choose(EVP_PKEY_CTX* ctx) {
    return !EVP_PKEY_is_a(key_->pkey.get(), "RSA") || EVP_PKEY_CTX_set_kem_op(ctx, "RSASVE") > 0;
  }
  bool Encapsulate(EVP_PKEY_CTX* ctx) {
    size_t wrapped = 0, secret = 0;
    if (EVP_PKEY_encapsulate_init(ctx, nullptr) <= 0 || !Choose(ctx) ||
        EVP_PKEY_encapsulate(ctx, nullptr, &wrapped, nullptr, &secret) <= 0) {
      return false;
    }
    wrapped_.resize(wrapped);
    secret_.resize(secret);
    return EVP_PKEY_encapsulate(ctx, reinterpret_cast<unsigned char*>(wrapped_.data()), &wrapped,
                                reinterpret_cast<unsigned char*>(secret_.data()), &secret) > 0;
  }
  bool Decapsulate(EVP_PKEY_CTX* ctx) {
    size_t secret = 0;
    const unsigned char* in = BytePointer(*ciphertext_);
    if (EVP_PKEY_decapsulate_init(ctx, nullptr) <= 0 || !Choose(ctx) ||
        EVP_PKEY_decapsulate(ctx, nullptr, &secret, in, ciphertext_->size()) <= 0) {
      return false;
    }
    secret_.resize(secret);
    if (EVP_PKEY_decapsulate(ctx, reinterpret_cast<unsigned char*>(secret_.data()), &secret, in, ciphertext_->size()) <=
        0) {
      return false;
    }
    secret_.resize(secret);
    return true;
  }

  KeyPtr key_;
  std::optional<std::string> ciphertext_;
  std::string secret_, wrapped_;
};

// kem(key, ciphertext | undefined, how)
void Kem(const Info& info) {
  Js js(info);
  KeyPtr key = KeyHandle::Arg(js, info, 0);
  if (key == nullptr) return;
  if (key->pkey == nullptr) return js.ThrowTypeError("Not an asymmetric key");
  std::optional<std::string> ciphertext;
  if (!IsNothing(info[1])) ciphertext = OwnBytes(js.isolate, info[1]);
  RunJob(js, info, info[2], "kem", std::make_unique<KemJob>(std::move(key), std::move(ciphertext)));
}

// --- the class DiffieHellman ---

class DiffieHellman : public Wrap {
 public:
  static const NativeClass kClass;

  // new DiffieHellman(group name, undefined) | (bits, generator number) | (prime bytes, generator bytes)
  static void New(const Info& info);
  void GenerateKeys(Js& js, const Info& info) {
    ClearErrors();
    if (DH_generate_key(dh_.get()) != 1) return ThrowQueued(js, "Key generation failed");
    ReturnNumber(js, info, DH_get0_pub_key(dh_.get()));
  }
  void ComputeSecret(Js& js, const Info& info);
  void GetPrime(Js& js, const Info& info) { ReturnNumber(js, info, DH_get0_p(dh_.get())); }
  void GetGenerator(Js& js, const Info& info) { ReturnNumber(js, info, DH_get0_g(dh_.get())); }
  void GetPublicKey(Js& js, const Info& info) {
    const BIGNUM* key = DH_get0_pub_key(dh_.get());
    if (key == nullptr) return js.Throw("ERR_CRYPTO_INVALID_STATE", "No public key - did you forget to generate one?");
    ReturnNumber(js, info, key);
  }
  void GetPrivateKey(Js& js, const Info& info) {
    const BIGNUM* key = DH_get0_priv_key(dh_.get());
    if (key == nullptr) return js.Throw("ERR_CRYPTO_INVALID_STATE", "No private key - did you forget to generate one?");
    ReturnNumber(js, info, key);
  }
  void SetPublicKey(Js& js, const Info& info) {
    BytesArg key(js.isolate, info[0]);
    DH_set0_key(dh_.get(), BN_bin2bn(key.data(), static_cast<int>(key.size()), nullptr), nullptr);
  }
  void SetPrivateKey(Js& js, const Info& info) {
    BytesArg key(js.isolate, info[0]);
    DH_set0_key(dh_.get(), nullptr, BN_bin2bn(key.data(), static_cast<int>(key.size()), nullptr));
  }
  void VerifyError(Js&, const Info& info) {
    int codes = 0;
    if (DH_check(dh_.get(), &codes) != 1) ClearErrors();
    info.GetReturnValue().Set(codes);
  }

 private:
  DiffieHellman(Js& js, v8::Local<v8::Object> object, DhPtr dh) : Wrap(js.realm, object, &kClass), dh_(std::move(dh)) {}
  static void ReturnNumber(Js& js, const Info& info, const BIGNUM* number) {
    uint8_t* data = nullptr;
    v8::Local<v8::Object> buffer;
    if (!MakeBuffer(js, static_cast<size_t>(BN_num_bytes(number)), &data).ToLocal(&buffer)) return;
    BN_bn2bin(number, data);
    info.GetReturnValue().Set(buffer);
  }

  DhPtr dh_;
};

void DiffieHellman::New(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("DiffieHellman needs new");
  EnsureOpenSsl();
  ClearErrors();
  DhPtr dh(DH_new());
  if (info[0]->IsString()) {
    BigNum prime;
    if (GroupPrime(OwnBytes(js.isolate, info[0]), &prime) == nullptr) return js.Throw("ERR_CRYPTO_UNKNOWN_DH_GROUP");
    BIGNUM* generator = BN_new();
    BN_set_word(generator, 2);
    DH_set0_pqg(dh.get(), prime.release(), nullptr, generator);
  } else if (info[0]->IsNumber()) {
    if (DH_generate_parameters_ex(dh.get(), IntArg(info, 0), IntArg(info, 1), nullptr) != 1) {
      return ThrowQueued(js, "Initialization failed");
    }
  } else {
    BytesArg prime(js.isolate, info[0]);
    BIGNUM* generator = nullptr;
    if (info[1]->IsNumber()) {
      generator = BN_new();
      BN_set_word(generator, static_cast<BN_ULONG>(IntArg(info, 1)));
    } else {
      BytesArg bytes(js.isolate, info[1]);
      generator = BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
    }
    if ((info[1]->IsNumber() && IntArg(info, 1) < 2) || BN_is_zero(generator) || BN_is_one(generator) ||
        BN_is_negative(generator)) {
      BN_free(generator);
      ERR_raise(ERR_LIB_DH, DH_R_BAD_GENERATOR);
      return ThrowQueued(js, "Initialization failed");
    }
    DH_set0_pqg(dh.get(), BN_bin2bn(prime.data(), static_cast<int>(prime.size()), nullptr), nullptr, generator);
  }
  new DiffieHellman(js, info.This(), std::move(dh));
}

// computeSecret(otherPublicKey)
void DiffieHellman::ComputeSecret(Js& js, const Info& info) {
  BytesArg other(js.isolate, info[0]);
  BigNum key(BN_bin2bn(other.data(), static_cast<int>(other.size()), nullptr));
  ClearErrors();
  int codes = 0;
  if (DH_check_pub_key(dh_.get(), key.get(), &codes) == 1) {
    if (codes & DH_CHECK_PUBKEY_TOO_SMALL) return js.Throw("ERR_CRYPTO_INVALID_KEYLEN", "Supplied key is too small");
    if (codes & DH_CHECK_PUBKEY_TOO_LARGE) return js.Throw("ERR_CRYPTO_INVALID_KEYLEN", "Supplied key is too large");
  }
  if (codes != 0) {
    ClearErrors();
    return js.Throw("ERR_CRYPTO_INVALID_KEYTYPE");
  }
  std::string secret(static_cast<size_t>(DH_size(dh_.get())), '\0');
  int size = DH_compute_key_padded(reinterpret_cast<unsigned char*>(secret.data()), key.get(), dh_.get());
  if (size < 0) return ThrowQueued(js, "computeSecret failed");
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, SpanOf(secret)).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

constexpr NativeFunction kDhMethods[] = {
    RawMethod<&DiffieHellman::GenerateKeys>("generateKeys"), RawMethod<&DiffieHellman::ComputeSecret>("computeSecret"),
    RawMethod<&DiffieHellman::GetPrime>("getPrime"),         RawMethod<&DiffieHellman::GetGenerator>("getGenerator"),
    RawMethod<&DiffieHellman::GetPublicKey>("getPublicKey"), RawMethod<&DiffieHellman::GetPrivateKey>("getPrivateKey"),
    RawMethod<&DiffieHellman::SetPublicKey>("setPublicKey"), RawMethod<&DiffieHellman::SetPrivateKey>("setPrivateKey"),
    RawMethod<&DiffieHellman::VerifyError>("verifyError"),
};
const NativeClass DiffieHellman::kClass = {
    .name = "DiffieHellman", .construct = &DiffieHellman::New, .methods = kDhMethods};

// --- the class ECDH ---

class Ecdh : public Wrap {
 public:
  static const NativeClass kClass;
  static void New(const Info& info);
  void GenerateKeys(Js& js, const Info& info) {
    ClearErrors();
    is_checked_ = EC_KEY_generate_key(key_.get()) == 1;
    if (!is_checked_) ThrowQueued(js, "Key generation failed");
  }
  void ComputeSecret(Js& js, const Info& info);
  void GetPublicKey(Js& js, const Info& info);
  void GetPrivateKey(Js& js, const Info& info);
  void SetPrivateKey(Js& js, const Info& info);
  void SetPublicKey(Js& js, const Info& info);

  static EcPoint PointFrom(const EC_GROUP* group, std::span<const uint8_t> bytes) {
    EcPoint point(EC_POINT_new(group));
    if (EC_POINT_oct2point(group, point.get(), bytes.data(), bytes.size(), nullptr) != 1) point.reset();
    return point;
  }
  static void ReturnPoint(Js& js, const Info& info, const EC_GROUP* group, const EC_POINT* point, int form) {
    auto conversion = static_cast<point_conversion_form_t>(form);
    size_t size = EC_POINT_point2oct(group, point, conversion, nullptr, 0, nullptr);
    uint8_t* data = nullptr;
    v8::Local<v8::Object> buffer;
    if (size == 0) return ThrowQueued(js, "Failed to get public key length");
    if (!MakeBuffer(js, size, &data).ToLocal(&buffer)) return;
    EC_POINT_point2oct(group, point, conversion, data, size, nullptr);
    info.GetReturnValue().Set(buffer);
  }

 private:
  using EcKeyPtr = std::unique_ptr<EC_KEY, FreeWith<&EC_KEY_free>>;
  Ecdh(Js& js, v8::Local<v8::Object> object, EcKeyPtr key) : Wrap(js.realm, object, &kClass), key_(std::move(key)) {}
  const EC_GROUP* group() const { return EC_KEY_get0_group(key_.get()); }
  EcKeyPtr key_;
  // Checking a pair takes as long as an agreement: it is done once.
  bool is_checked_ = false;
};

void Ecdh::New(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("ECDH needs new");
  int nid = OBJ_sn2nid(OwnBytes(js.isolate, info[0]).c_str());
  if (nid == NID_undef) nid = CurveNid(OwnBytes(js.isolate, info[0]));
  EcKeyPtr key(nid == NID_undef ? nullptr : EC_KEY_new_by_curve_name(nid));
  ClearErrors();
  if (key == nullptr) return js.Throw("ERR_CRYPTO_INVALID_CURVE");
  new Ecdh(js, info.This(), std::move(key));
}

// computeSecret(otherPublicKey): undefined if that is no point of the curve.
void Ecdh::ComputeSecret(Js& js, const Info& info) {
  BytesArg other(js.isolate, info[0]);
  ClearErrors();
  if (!is_checked_ && EC_KEY_check_key(key_.get()) != 1) {
    ClearErrors();
    return js.Throw("ERR_CRYPTO_INVALID_KEYPAIR");
  }
  is_checked_ = true;
  EcPoint point = PointFrom(group(), other.bytes());
  if (point == nullptr) return ClearErrors();
  size_t size = (static_cast<size_t>(EC_GROUP_get_degree(group())) + 7) / 8;
  std::string secret(size, '\0');
  if (ECDH_compute_key(secret.data(), size, point.get(), key_.get(), nullptr) <= 0) {
    return ThrowQueued(js, "Failed to compute ECDH key");
  }
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, SpanOf(secret)).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

// getPublicKey(form)
void Ecdh::GetPublicKey(Js& js, const Info& info) {
  const EC_POINT* point = EC_KEY_get0_public_key(key_.get());
  if (point == nullptr) return js.ThrowError("Failed to get ECDH public key");
  ReturnPoint(js, info, group(), point, IntArg(info, 0));
}

void Ecdh::GetPrivateKey(Js& js, const Info& info) {
  const BIGNUM* number = EC_KEY_get0_private_key(key_.get());
  if (number == nullptr) return js.ThrowError("Failed to get ECDH private key");
  uint8_t* data = nullptr;
  v8::Local<v8::Object> buffer;
  if (!MakeBuffer(js, static_cast<size_t>(BN_num_bytes(number)), &data).ToLocal(&buffer)) return;
  BN_bn2bin(number, data);
  info.GetReturnValue().Set(buffer);
}

void Ecdh::SetPrivateKey(Js& js, const Info& info) {
  BytesArg bytes(js.isolate, info[0]);
  BigNum number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  const BIGNUM* order = EC_GROUP_get0_order(group());
  if (BN_is_zero(number.get()) || BN_cmp(number.get(), order) >= 0) {
    return js.Throw("ERR_CRYPTO_INVALID_KEYTYPE", "Private key is not valid for specified curve.");
  }
  EcKeyPtr key(EC_KEY_dup(key_.get()));
  EcPoint point(EC_POINT_new(group()));
  if (EC_KEY_set_private_key(key.get(), number.get()) != 1 ||
      EC_POINT_mul(group(), point.get(), number.get(), nullptr, nullptr, nullptr) != 1 ||
      EC_KEY_set_public_key(key.get(), point.get()) != 1) {
    ClearErrors();
    return js.ThrowError("Failed to convert BN to a private key");
  }
  key_ = std::move(key);
  is_checked_ = false;
}

void Ecdh::SetPublicKey(Js& js, const Info& info) {
  BytesArg bytes(js.isolate, info[0]);
  EcPoint point = PointFrom(group(), bytes.bytes());
  ClearErrors();
  if (point == nullptr) return js.ThrowError("Failed to convert Buffer to EC_POINT");
  is_checked_ = false;
  if (EC_KEY_set_public_key(key_.get(), point.get()) != 1) ThrowQueued(js, "Failed to set EC_POINT as the public key");
}

constexpr NativeFunction kEcdhMethods[] = {
    RawMethod<&Ecdh::GenerateKeys>("generateKeys"),   RawMethod<&Ecdh::ComputeSecret>("computeSecret"),
    RawMethod<&Ecdh::GetPublicKey>("getPublicKey"),   RawMethod<&Ecdh::GetPrivateKey>("getPrivateKey"),
    RawMethod<&Ecdh::SetPrivateKey>("setPrivateKey"), RawMethod<&Ecdh::SetPublicKey>("setPublicKey"),
};
const NativeClass Ecdh::kClass = {.name = "ECDH", .construct = &Ecdh::New, .methods = kEcdhMethods};

// convertPoint(point, curve, form)
void ConvertPoint(const Info& info) {
  Js js(info);
  BytesArg bytes(js.isolate, info[0]);
  int nid = CurveNid(OwnBytes(js.isolate, info[1]));
  EcGroup group(nid == NID_undef ? nullptr : EC_GROUP_new_by_curve_name(nid));
  ClearErrors();
  if (group == nullptr) return js.Throw("ERR_CRYPTO_INVALID_CURVE");
  EcPoint point = Ecdh::PointFrom(group.get(), bytes.bytes());
  ClearErrors();
  if (point == nullptr) return js.ThrowError("Failed to convert Buffer to EC_POINT");
  Ecdh::ReturnPoint(js, info, group.get(), point.get(), IntArg(info, 2));
}

constexpr NativeFunction kFunctions[] = {
    RawFn("rsaPair", &RsaPair, 7),           RawFn("dsaPair", &DsaPair, 3), RawFn("ecPair", &EcPair, 3),
    RawFn("plainPair", &PlainPair, 2),       RawFn("dhPair", &DhPair, 3),   RawFn("agree", &Agree, 3),
    RawFn("convertPoint", &ConvertPoint, 3), RawFn("kem", &Kem, 3),
};
const NativeClass* const kClasses[] = {&DiffieHellman::kClass, &Ecdh::kClass};

}  // namespace
}  // namespace gyre::crypto

namespace gyre::modules {
extern const NativeModule kCryptoKeygenModule;
const NativeModule kCryptoKeygenModule = {
    .name = "crypto_keygen", .functions = crypto::kFunctions, .classes = crypto::kClasses};
}  // namespace gyre::modules
