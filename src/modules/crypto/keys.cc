// binding('crypto_keys'): making keys from bytes, and the class KeyHandle. Writing them is in key_export.cc.
#include "modules/crypto/keys.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstring>
#include <list>

#include "modules/crypto/key_decoder.h"

namespace gyre::crypto {

KeyData::~KeyData() {
  if (!secret.empty()) OPENSSL_cleanse(secret.data(), secret.size());
}

KeyPtr MakeSecretKey(std::string bytes) {
  auto key = std::make_shared<KeyData>();
  key->secret = std::move(bytes);
  return key;
}

KeyPtr MakeAsymmetricKey(KeyType type, PKey pkey) {
  auto key = std::make_shared<KeyData>();
  key->type = type;
  key->pkey = std::move(pkey);
  return key;
}

v8::MaybeLocal<v8::Object> KeyHandle::Make(Js& js, KeyPtr key) {
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, kClass).ToLocal(&object)) return {};
  new KeyHandle(js, object, std::move(key));
  return object;
}

KeyPtr KeyHandle::Arg(Js& js, const Info& info, int index) {
  auto* handle = Wrap::From<KeyHandle>(info[index]);
  if (handle == nullptr) {
    engine::ThrowBadArgument(js, index, "a key handle");
    return nullptr;
  }
  return handle->key();
}

void KeyHandle::Type(Js&, const Info& info) { info.GetReturnValue().Set(static_cast<int>(key_->type)); }

void KeyHandle::SecretBytes(Js& js, const Info& info) {
  if (key_->type != KeyType::kSecret) return js.ThrowTypeError("Not a secret key");
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, SpanOf(key_->secret)).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

void KeyHandle::SecretSize(Js&, const Info& info) {
  info.GetReturnValue().Set(static_cast<uint32_t>(key_->secret.size()));
}

void KeyHandle::Equals(Js& js, const Info& info) {
  KeyPtr other = Arg(js, info, 0);
  if (other == nullptr) return;
  bool equal = false;
  if (key_->type == other->type) {
    if (key_->type == KeyType::kSecret) {
      equal = key_->secret.size() == other->secret.size() &&
              CRYPTO_memcmp(key_->secret.data(), other->secret.data(), key_->secret.size()) == 0;
    } else {
      int same = EVP_PKEY_eq(key_->pkey.get(), other->pkey.get());
      ClearErrors();
      if (same == -2) return js.Throw("ERR_CRYPTO_UNSUPPORTED_OPERATION");
      equal = same == 1;
    }
  }
  info.GetReturnValue().Set(equal);
}

void KeyHandle::ToPublic(Js& js, const Info& info) {
  if (key_->type == KeyType::kSecret) return js.ThrowTypeError("A secret key has no public half");
  EVP_PKEY_up_ref(key_->pkey.get());
  v8::Local<v8::Object> object;
  if (Make(js, MakeAsymmetricKey(KeyType::kPublic, PKey(key_->pkey.get()))).ToLocal(&object)) {
    info.GetReturnValue().Set(object);
  }
}

// Whether the point lies on the curve, and belongs to the number.
void KeyHandle::CheckEc(Js&, const Info& info) {
  const EC_KEY* ec = key_->pkey == nullptr ? nullptr : EVP_PKEY_get0_EC_KEY(key_->pkey.get());
  info.GetReturnValue().Set(ec != nullptr && EC_KEY_check_key(ec) == 1);
  ClearErrors();
}

std::string AsymmetricTypeName(const EVP_PKEY* pkey) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"RSA", "rsa"}, {"RSA-PSS", "rsa-pss"}, {"DSA", "dsa"},         {"DH", "dh"},
      {"DHX", "dh"},  {"EC", "ec"},           {"ED25519", "ed25519"}, {"ED448", "ed448"},
      {"SM2", "ec"},  {"X25519", "x25519"},   {"X448", "x448"},
  };
  for (auto [ossl, node] : kNames) {
    if (EVP_PKEY_is_a(pkey, ossl)) return node;
  }
  return {};
}

void KeyHandle::AsymmetricType(Js& js, const Info& info) {
  if (key_->pkey == nullptr) return;
  std::string name = AsymmetricTypeName(key_->pkey.get());
  if (!name.empty()) info.GetReturnValue().Set(js.Str(name));
}

namespace {

std::optional<std::string> Utf8Param(const EVP_PKEY* pkey, const char* name) {
  char text[80];
  size_t size = 0;
  if (EVP_PKEY_get_utf8_string_param(pkey, name, text, sizeof text, &size) != 1) return std::nullopt;
  return std::string(text, size);
}

BigNum BigNumParam(const EVP_PKEY* pkey, const char* name) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(pkey, name, &number) != 1) return nullptr;
  return BigNum(number);
}

v8::Local<v8::Value> ToBigInt(Js& js, const BIGNUM* number) {
  std::vector<uint64_t> words((BN_num_bytes(number) + 7) / 8);
  BN_bn2lebinpad(number, reinterpret_cast<unsigned char*>(words.data()), static_cast<int>(words.size() * 8));
  v8::Local<v8::BigInt> result;
  if (!v8::BigInt::NewFromWords(js.context, 0, static_cast<int>(words.size()), words.data()).ToLocal(&result)) {
    return js.Undefined();
  }
  return result;
}

// The names that keys of RSA-PSS carry with them, when they restrict themselves.
void SetPssDetails(Js& js, v8::Local<v8::Object> target, const EVP_PKEY* pkey) {
  const RSA* rsa = EVP_PKEY_get0_RSA(const_cast<EVP_PKEY*>(pkey));
  const RSA_PSS_PARAMS* params = rsa == nullptr ? nullptr : RSA_get0_pss_params(rsa);
  if (params == nullptr) return;
  // RFC 8017, appendix A.2.3: what is not said is SHA-1, and a salt of 20 octets.
  std::string hash = "sha1", mgf1 = "sha1";
  int64_t salt = 20;
  if (params->hashAlgorithm != nullptr) hash = OBJ_nid2ln(OBJ_obj2nid(params->hashAlgorithm->algorithm));
  if (params->maskHash != nullptr) {
    mgf1 = OBJ_nid2ln(OBJ_obj2nid(params->maskHash->algorithm));
  } else if (params->maskGenAlgorithm != nullptr) {
    std::unique_ptr<X509_ALGOR, FreeWith<&X509_ALGOR_free>> mask(static_cast<X509_ALGOR*>(
        ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(X509_ALGOR), params->maskGenAlgorithm->parameter)));
    if (mask != nullptr) mgf1 = OBJ_nid2ln(OBJ_obj2nid(mask->algorithm));
  }
  if (params->saltLength != nullptr) ASN1_INTEGER_get_int64(&salt, params->saltLength);
  js.Set(target, "hashAlgorithm", js.Str(hash));
  js.Set(target, "mgf1HashAlgorithm", js.Str(mgf1));
  js.Set(target, "saltLength", js.Num(static_cast<double>(salt)));
}

}  // namespace

// details(): what asymmetricKeyDetails shows.
void KeyHandle::Details(Js& js, const Info& info) {
  v8::Local<v8::Object> result = js.Object();
  info.GetReturnValue().Set(result);
  const EVP_PKEY* pkey = key_->pkey.get();
  if (pkey == nullptr) return;
  std::string type = AsymmetricTypeName(pkey);
  if (type == "rsa" || type == "rsa-pss") {
    BigNum exponent = BigNumParam(pkey, OSSL_PKEY_PARAM_RSA_E);
    js.Set(result, "modulusLength", js.Int(EVP_PKEY_get_bits(pkey)));
    if (exponent != nullptr) js.Set(result, "publicExponent", ToBigInt(js, exponent.get()));
    if (type == "rsa-pss") SetPssDetails(js, result, pkey);
  } else if (type == "dsa") {
    BigNum q = BigNumParam(pkey, OSSL_PKEY_PARAM_FFC_Q);
    js.Set(result, "modulusLength", js.Int(EVP_PKEY_get_bits(pkey)));
    js.Set(result, "divisorLength", js.Int(q == nullptr ? 0 : BN_num_bits(q.get())));
  } else if (type == "ec") {
    if (std::optional<std::string> group = Utf8Param(pkey, OSSL_PKEY_PARAM_GROUP_NAME)) {
      js.Set(result, "namedCurve", js.Str(*group));
    }
  }
  ClearErrors();
}

namespace {

int GivePassphrase(char* buffer, int size, int, void* data) {
  auto* passphrase = static_cast<const std::string*>(data);
  if (passphrase == nullptr) return -1;
  if (static_cast<size_t>(size) < passphrase->size()) return -1;
  std::memcpy(buffer, passphrase->data(), passphrase->size());
  return static_cast<int>(passphrase->size());
}

Bio BioOver(const std::string& bytes) { return Bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

// The DER within a PEM block of this name; nothing if the text holds no such block.
std::optional<std::string> PemBlock(const std::string& text, const char* name) {
  Bio bio = BioOver(text);
  unsigned char* der = nullptr;
  long size = 0;
  ERR_set_mark();
  bool found = PEM_bytes_read_bio(&der, &size, nullptr, name, bio.get(), nullptr, nullptr) == 1;
  ERR_pop_to_mark();
  if (!found) return std::nullopt;
  std::string result(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return result;
}

PKey ReadPemPublic(const std::string& text) {
  if (std::optional<std::string> der = PemBlock(text, PEM_STRING_PUBLIC)) {
    if (PKey key = DecodePublic(*der)) return key;
    const unsigned char* at = BytePointer(*der);
    return PKey(d2i_PUBKEY(nullptr, &at, static_cast<long>(der->size())));
  }
  if (std::optional<std::string> der = PemBlock(text, PEM_STRING_RSA_PUBLIC)) {
    const unsigned char* at = BytePointer(*der);
    return PKey(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, static_cast<long>(der->size())));
  }
  if (std::optional<std::string> der = PemBlock(text, PEM_STRING_X509)) {
    const unsigned char* at = BytePointer(*der);
    X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der->size())));
    return certificate == nullptr ? nullptr : PKey(X509_get_pubkey(certificate.get()));
  }
  return nullptr;
}

bool IsEncryptedPkcs8(const std::string& der) {
  // EncryptedPrivateKeyInfo is a SEQUENCE whose first member is a SEQUENCE; PrivateKeyInfo's is an INTEGER.
  size_t at = 2;
  if (der.size() < 4 || der[0] != 0x30) return false;
  if (static_cast<uint8_t>(der[1]) & 0x80) at += static_cast<uint8_t>(der[1]) & 0x7f;
  return at < der.size() && der[at] == 0x30;
}

PKey ReadDerPrivate(const std::string& der, KeyEncoding encoding, const std::string* passphrase) {
  const unsigned char* at = BytePointer(der);
  long size = static_cast<long>(der.size());
  switch (encoding) {
    case KeyEncoding::kPkcs1:
      return PKey(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, size));
    case KeyEncoding::kSec1:
      return PKey(d2i_PrivateKey(EVP_PKEY_EC, nullptr, &at, size));
    case KeyEncoding::kPkcs8: {
      if (PKey key = DecodePrivate(der)) return key;
      Bio bio = BioOver(der);
      if (IsEncryptedPkcs8(der)) {
        return PKey(d2i_PKCS8PrivateKey_bio(bio.get(), nullptr, &GivePassphrase, const_cast<std::string*>(passphrase)));
      }
      std::unique_ptr<PKCS8_PRIV_KEY_INFO, FreeWith<&PKCS8_PRIV_KEY_INFO_free>> key_info(
          d2i_PKCS8_PRIV_KEY_INFO_bio(bio.get(), nullptr));
      return key_info == nullptr ? nullptr : PKey(EVP_PKCS82PKEY(key_info.get()));
    }
    default:
      return nullptr;
  }
}

PKey ReadPrivate(const std::string& bytes, KeyFormat format, KeyEncoding encoding, const std::string* passphrase) {
  if (format == KeyFormat::kDer) return ReadDerPrivate(bytes, encoding, passphrase);
  if (PKey key = DecodePemPrivate(bytes)) return key;
  Bio bio = BioOver(bytes);
  return PKey(PEM_read_bio_PrivateKey(bio.get(), nullptr, &GivePassphrase, const_cast<std::string*>(passphrase)));
}

PKey ReadDerPublic(const std::string& der, KeyEncoding encoding) {
  const unsigned char* at = BytePointer(der);
  long size = static_cast<long>(der.size());
  if (encoding == KeyEncoding::kPkcs1) return PKey(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, size));
  if (PKey key = DecodePublic(der)) return key;
  return PKey(d2i_PUBKEY(nullptr, &at, size));
}

// The two ways in which OpenSSL reads a key blame different things when a passphrase was asked for and there is none;
// programs know one of them.
void ExplainLackOfPassphrase() {
  unsigned long first = ERR_peek_error();
  if (ERR_GET_LIB(first) != ERR_LIB_PEM || ERR_GET_REASON(first) != PEM_R_BAD_PASSWORD_READ) return;
  ClearErrors();
  ERR_raise(ERR_LIB_CRYPTO, ERR_R_INTERRUPTED_OR_CANCELLED);
  ERR_raise(ERR_LIB_PEM, PEM_R_BAD_PASSWORD_READ);
}

void ReturnKey(Js& js, const Info& info, KeyType type, PKey pkey) {
  v8::Local<v8::Object> object;
  if (KeyHandle::Make(js, MakeAsymmetricKey(type, std::move(pkey))).ToLocal(&object)) info.GetReturnValue().Set(object);
}

// secretKey(bytes)
void SecretKey(const Info& info) {
  Js js(info);
  v8::Local<v8::Object> object;
  if (KeyHandle::Make(js, MakeSecretKey(OwnBytes(js.isolate, info[0]))).ToLocal(&object)) {
    info.GetReturnValue().Set(object);
  }
}

// readKey(bytes, format, encoding, private, passphrase | undefined)
// A public key may be asked of a private one or of a certificate.
void ReadKey(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::string bytes = OwnBytes(js.isolate, info[0]);
  auto format = static_cast<KeyFormat>(IntArg(info, 1));
  auto encoding = static_cast<KeyEncoding>(IntArg(info, 2));
  bool is_private = info[3]->IsTrue();
  std::optional<std::string> passphrase;
  if (!IsNothing(info[4])) passphrase = OwnBytes(js.isolate, info[4]);
  const std::string* pass = passphrase ? &*passphrase : nullptr;
  ClearErrors();
  PKey pkey;
  if (!is_private) {
    if (format == KeyFormat::kPem) {
      pkey = ReadPemPublic(bytes);
      // The block was there; what is in it is no key that OpenSSL knows.
      if (pkey == nullptr && ERR_peek_error() != 0) return ThrowQueued(js, "Failed to read asymmetric key");
    } else if (encoding == KeyEncoding::kSpki || encoding == KeyEncoding::kPkcs1) {
      pkey = ReadDerPublic(bytes, encoding);
      // What was meant as a public key of PKCS#1 may be a private one.
      if (pkey == nullptr && encoding == KeyEncoding::kPkcs1) {
        ClearErrors();
        pkey = ReadPrivate(bytes, format, encoding, pass);
      }
      if (pkey == nullptr) return ThrowQueued(js, "Failed to read asymmetric key");
    }
  }
  if (pkey == nullptr) {
    if (!is_private) ClearErrors();
    pkey = ReadPrivate(bytes, format, encoding, pass);
  }
  if (pkey == nullptr) {
    if (pass == nullptr && format == KeyFormat::kDer && encoding == KeyEncoding::kPkcs8 && IsEncryptedPkcs8(bytes)) {
      ClearErrors();
      return js.Throw("ERR_MISSING_PASSPHRASE");
    }
    if (pass == nullptr) ExplainLackOfPassphrase();
    return ThrowQueued(js, "Failed to read asymmetric key");
  }
  ClearErrors();
  ReturnKey(js, info, is_private ? KeyType::kPrivate : KeyType::kPublic, std::move(pkey));
}

// --- from the members of a JWK, decoded to bytes by JavaScript ---

class ParamBuilder {
 public:
  ParamBuilder() : builder_(OSSL_PARAM_BLD_new()) {}
  void Number(const char* name, const std::string& bytes) {
    BigNum number(BN_bin2bn(BytePointer(bytes), static_cast<int>(bytes.size()), nullptr));
    OSSL_PARAM_BLD_push_BN(builder_.get(), name, number.get());
    numbers_.push_back(std::move(number));
  }
  void Text(const char* name, std::string text) {
    const std::string& kept = texts_.emplace_back(std::move(text));
    OSSL_PARAM_BLD_push_utf8_string(builder_.get(), name, kept.c_str(), 0);
  }
  void Octets(const char* name, std::string bytes) {
    const std::string& kept = texts_.emplace_back(std::move(bytes));
    OSSL_PARAM_BLD_push_octet_string(builder_.get(), name, kept.data(), kept.size());
  }
  PKey Make(const char* type, bool is_private) {
    PKeyCtx ctx(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    std::unique_ptr<OSSL_PARAM, FreeWith<&OSSL_PARAM_free>> params(OSSL_PARAM_BLD_to_param(builder_.get()));
    EVP_PKEY* pkey = nullptr;
    int selection = is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    if (ctx == nullptr || params == nullptr || EVP_PKEY_fromdata_init(ctx.get()) != 1 ||
        EVP_PKEY_fromdata(ctx.get(), &pkey, selection, params.get()) != 1) {
      return nullptr;
    }
    return PKey(pkey);
  }

 private:
  std::unique_ptr<OSSL_PARAM_BLD, FreeWith<&OSSL_PARAM_BLD_free>> builder_;
  // What the builder only refers to.
  std::vector<BigNum> numbers_;
  std::list<std::string> texts_;
};

// rsaKey([n, e, d, p, q, dp, dq, qi]): the first two for a public key.
void RsaKey(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  static constexpr const char* kNames[] = {
      OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
      OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
      OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
      OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
  };
  if (!info[0]->IsArray()) return engine::ThrowBadArgument(js, 0, "an array");
  v8::Local<v8::Array> members = info[0].As<v8::Array>();
  bool is_private = members->Length() > 2;
  ParamBuilder builder;
  for (uint32_t i = 0; i < members->Length() && i < 8; i++) {
    v8::Local<v8::Value> member;
    if (!members->Get(js.context, i).ToLocal(&member)) return;
    builder.Number(kNames[i], OwnBytes(js.isolate, member));
  }
  PKey pkey = builder.Make("RSA", is_private);
  ClearErrors();
  if (pkey == nullptr) return js.Throw("ERR_CRYPTO_INVALID_JWK", "Invalid JWK RSA key");
  ReturnKey(js, info, is_private ? KeyType::kPrivate : KeyType::kPublic, std::move(pkey));
}

// ecKey(curve, point, privateNumber | undefined): the point uncompressed, compressed, or absent.
void EcKey(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::string curve = OwnBytes(js.isolate, info[0]);
  bool is_private = !IsNothing(info[2]);
  ParamBuilder builder;
  builder.Text(OSSL_PKEY_PARAM_GROUP_NAME, curve);
  builder.Octets(OSSL_PKEY_PARAM_PUB_KEY, OwnBytes(js.isolate, info[1]));
  if (is_private) builder.Number(OSSL_PKEY_PARAM_PRIV_KEY, OwnBytes(js.isolate, info[2]));
  PKey pkey = builder.Make("EC", is_private);
  PKeyCtx check(pkey == nullptr ? nullptr : EVP_PKEY_CTX_new_from_pkey(nullptr, pkey.get(), nullptr));
  bool ok = check != nullptr &&
            (is_private ? EVP_PKEY_pairwise_check(check.get()) == 1 : EVP_PKEY_public_check_quick(check.get()) == 1);
  ClearErrors();
  if (!ok) return js.Throw("ERR_CRYPTO_INVALID_JWK", "Invalid JWK EC key");
  ReturnKey(js, info, is_private ? KeyType::kPrivate : KeyType::kPublic, std::move(pkey));
}

// rawKey(name, bytes, private): ed25519, ed448, x25519, x448. undefined if the bytes are no such key.
void RawKey(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::string name = OwnBytes(js.isolate, info[0]);
  std::string bytes = OwnBytes(js.isolate, info[1]);
  bool is_private = info[2]->IsTrue();
  PKey pkey(is_private
                ? EVP_PKEY_new_raw_private_key_ex(nullptr, name.c_str(), nullptr, BytePointer(bytes), bytes.size())
                : EVP_PKEY_new_raw_public_key_ex(nullptr, name.c_str(), nullptr, BytePointer(bytes), bytes.size()));
  ClearErrors();
  if (pkey != nullptr) ReturnKey(js, info, is_private ? KeyType::kPrivate : KeyType::kPublic, std::move(pkey));
}

void NewKeyHandle(const Info& info) { Js(info).Throw("ERR_ILLEGAL_CONSTRUCTOR"); }

constexpr NativeFunction kHandleMethods[] = {
    RawMethod<&KeyHandle::Type>("type"),
    RawMethod<&KeyHandle::SecretBytes>("exportBytes"),
    RawMethod<&KeyHandle::SecretSize>("size"),
    RawMethod<&KeyHandle::Equals>("equals"),
    RawMethod<&KeyHandle::AsymmetricType>("asymmetricType"),
    RawMethod<&KeyHandle::Details>("details"),
    RawMethod<&KeyHandle::ExportPublic>("exportPublic"),
    RawMethod<&KeyHandle::ExportPrivate>("exportPrivate"),
    RawMethod<&KeyHandle::ExportJwk>("exportJwk"),
    RawMethod<&KeyHandle::ExportRaw>("exportRaw"),
    RawMethod<&KeyHandle::ToPublic>("toPublic"),
    RawMethod<&KeyHandle::CheckEc>("checkEc"),
};

}  // namespace

const NativeClass KeyHandle::kClass = {.name = "KeyHandle", .construct = &NewKeyHandle, .methods = kHandleMethods};

}  // namespace gyre::crypto

namespace gyre::modules {

namespace {

constexpr NativeFunction kFunctions[] = {
    RawFn("secretKey", &crypto::SecretKey, 1), RawFn("readKey", &crypto::ReadKey, 5),
    RawFn("rsaKey", &crypto::RsaKey, 1),       RawFn("ecKey", &crypto::EcKey, 3),
    RawFn("rawKey", &crypto::RawKey, 3),
};
const NativeClass* const kClasses[] = {&crypto::KeyHandle::kClass};

}  // namespace

extern const NativeModule kCryptoKeysModule;
const NativeModule kCryptoKeysModule = {.name = "crypto_keys", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
