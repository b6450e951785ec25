// Writing keys: PEM, DER, JWK and raw bytes.
#include "modules/crypto/keys.h"

#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace gyre::crypto {

std::optional<std::string> WritePublicKey(const EVP_PKEY* pkey, KeyFormat format, KeyEncoding encoding) {
  Bio bio(BIO_new(BIO_s_mem()));
  bool ok = false;
  if (encoding == KeyEncoding::kPkcs1) {
    const RSA* rsa = EVP_PKEY_get0_RSA(const_cast<EVP_PKEY*>(pkey));
    if (rsa == nullptr) return std::nullopt;
    ok = format == KeyFormat::kPem ? PEM_write_bio_RSAPublicKey(bio.get(), rsa) == 1
                                   : i2d_RSAPublicKey_bio(bio.get(), rsa) == 1;
  } else {
    ok = format == KeyFormat::kPem ? PEM_write_bio_PUBKEY(bio.get(), pkey) == 1 : i2d_PUBKEY_bio(bio.get(), pkey) == 1;
  }
  if (!ok) return std::nullopt;
  return BioText(bio.get());
}

std::optional<std::string> WritePrivateKey(const EVP_PKEY* pkey, KeyFormat format, KeyEncoding encoding,
                                           const EVP_CIPHER* cipher, const std::string& passphrase) {
  Bio bio(BIO_new(BIO_s_mem()));
  char* pass = const_cast<char*>(passphrase.data());
  int pass_size = static_cast<int>(passphrase.size());
  auto* upass = reinterpret_cast<unsigned char*>(pass);
  auto* mutable_pkey = const_cast<EVP_PKEY*>(pkey);
  bool ok = false;
  switch (encoding) {
    case KeyEncoding::kPkcs1: {
      const RSA* rsa = EVP_PKEY_get0_RSA(mutable_pkey);
      if (rsa == nullptr) return std::nullopt;
      ok = format == KeyFormat::kPem
               ? PEM_write_bio_RSAPrivateKey(bio.get(), rsa, cipher, upass, pass_size, nullptr, nullptr) == 1
               : i2d_RSAPrivateKey_bio(bio.get(), rsa) == 1;
      break;
    }
    case KeyEncoding::kSec1: {
      const EC_KEY* ec = EVP_PKEY_get0_EC_KEY(mutable_pkey);
      if (ec == nullptr) return std::nullopt;
      ok = format == KeyFormat::kPem
               ? PEM_write_bio_ECPrivateKey(bio.get(), ec, cipher, upass, pass_size, nullptr, nullptr) == 1
               : i2d_ECPrivateKey_bio(bio.get(), ec) == 1;
      break;
    }
    default:
      ok = format == KeyFormat::kPem
               ? PEM_write_bio_PKCS8PrivateKey(bio.get(), pkey, cipher, pass, pass_size, nullptr, nullptr) == 1
               : i2d_PKCS8PrivateKey_bio(bio.get(), pkey, cipher, pass, pass_size, nullptr, nullptr) == 1;
  }
  if (!ok) return std::nullopt;
  return BioText(bio.get());
}

namespace {

void ReturnKeyBytes(Js& js, const Info& info, KeyFormat format, const std::optional<std::string>& bytes) {
  if (!bytes) return ThrowQueued(js, "Failed to export key");
  if (format == KeyFormat::kPem) return info.GetReturnValue().Set(js.Latin1(*bytes));
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, SpanOf(*bytes)).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

}  // namespace

// exportPublic(format, encoding)
void KeyHandle::ExportPublic(Js& js, const Info& info) {
  if (key_->pkey == nullptr) return js.ThrowTypeError("Not an asymmetric key");
  auto format = static_cast<KeyFormat>(IntArg(info, 0));
  ClearErrors();
  ReturnKeyBytes(js, info, format, WritePublicKey(key_->pkey.get(), format, static_cast<KeyEncoding>(IntArg(info, 1))));
}

// exportPrivate(format, encoding, cipherName | undefined, passphrase | undefined)
void KeyHandle::ExportPrivate(Js& js, const Info& info) {
  if (key_->type != KeyType::kPrivate) return js.ThrowTypeError("Not a private key");
  auto format = static_cast<KeyFormat>(IntArg(info, 0));
  const EVP_CIPHER* cipher = nullptr;
  std::string passphrase;
  if (!IsNothing(info[2])) {
    cipher = CipherByName(OwnBytes(js.isolate, info[2]));
    if (cipher == nullptr) return js.Throw("ERR_CRYPTO_UNKNOWN_CIPHER");
    passphrase = OwnBytes(js.isolate, info[3]);
  }
  ClearErrors();
  ReturnKeyBytes(
      js, info, format,
      WritePrivateKey(key_->pkey.get(), format, static_cast<KeyEncoding>(IntArg(info, 1)), cipher, passphrase));
}

namespace {

bool SetNumber(Js& js, v8::Local<v8::Object> target, const char* name, const EVP_PKEY* pkey, const char* param,
               int width) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(pkey, param, &raw) != 1) return false;
  BigNum number(raw);
  std::vector<uint8_t> bytes(std::max(width, BN_num_bytes(number.get())));
  BN_bn2binpad(number.get(), bytes.data(), static_cast<int>(bytes.size()));
  return js.Set(target, name, js.Latin1(Encode(bytes, Encoding::kBase64Url)));
}

// RFC 7518, section 6.3.
bool RsaJwk(Js& js, v8::Local<v8::Object> target, const EVP_PKEY* pkey, bool is_private) {
  js.Set(target, "kty", js.Str("RSA"));
  bool ok = SetNumber(js, target, "n", pkey, OSSL_PKEY_PARAM_RSA_N, 0) &&
            SetNumber(js, target, "e", pkey, OSSL_PKEY_PARAM_RSA_E, 0);
  if (!ok || !is_private) return ok;
  return SetNumber(js, target, "d", pkey, OSSL_PKEY_PARAM_RSA_D, 0) &&
         SetNumber(js, target, "p", pkey, OSSL_PKEY_PARAM_RSA_FACTOR1, 0) &&
         SetNumber(js, target, "q", pkey, OSSL_PKEY_PARAM_RSA_FACTOR2, 0) &&
         SetNumber(js, target, "dp", pkey, OSSL_PKEY_PARAM_RSA_EXPONENT1, 0) &&
         SetNumber(js, target, "dq", pkey, OSSL_PKEY_PARAM_RSA_EXPONENT2, 0) &&
         SetNumber(js, target, "qi", pkey, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, 0);
}

// RFC 7518, section 6.2, and RFC 8812 for secp256k1. False with an exception pending for other curves.
bool EcJwk(Js& js, v8::Local<v8::Object> target, const EVP_PKEY* pkey, bool is_private) {
  static constexpr struct {
    const char* ossl;
    const char* jwk;
    int width;
  } kCurves[] = {{"prime256v1", "P-256", 32},
                 {"secp256k1", "secp256k1", 32},
                 {"secp384r1", "P-384", 48},
                 {"secp521r1", "P-521", 66}};
  char group[80] = {};
  EVP_PKEY_get_utf8_string_param(pkey, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, nullptr);
  for (const auto& curve : kCurves) {
    if (std::string_view(group) != curve.ossl) continue;
    js.Set(target, "kty", js.Str("EC"));
    bool ok = SetNumber(js, target, "x", pkey, OSSL_PKEY_PARAM_EC_PUB_X, curve.width) &&
              SetNumber(js, target, "y", pkey, OSSL_PKEY_PARAM_EC_PUB_Y, curve.width);
    js.Set(target, "crv", js.Str(curve.jwk));
    return ok && (!is_private || SetNumber(js, target, "d", pkey, OSSL_PKEY_PARAM_PRIV_KEY, curve.width));
  }
  js.Throw("ERR_CRYPTO_JWK_UNSUPPORTED_CURVE", std::string("Unsupported JWK EC curve: ") + group + ".");
  return false;
}

std::optional<std::string> RawBytes(const EVP_PKEY* pkey, bool is_private) {
  auto read = is_private ? &EVP_PKEY_get_raw_private_key : &EVP_PKEY_get_raw_public_key;
  size_t size = 0;
  if (read(pkey, nullptr, &size) != 1) return std::nullopt;
  std::string bytes(size, '\0');
  if (read(pkey, reinterpret_cast<unsigned char*>(bytes.data()), &size) != 1) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

// RFC 8037.
bool OkpJwk(Js& js, v8::Local<v8::Object> target, const EVP_PKEY* pkey, bool is_private, const std::string& type) {
  std::string curve = type;
  curve[0] = static_cast<char>(curve[0] - 32);  // Ed25519, X448
  std::optional<std::string> x = RawBytes(pkey, false);
  if (!x) return false;
  js.Set(target, "crv", js.Str(curve));
  if (is_private) {
    std::optional<std::string> d = RawBytes(pkey, true);
    if (!d) return false;
    js.Set(target, "d", js.Latin1(Encode(SpanOf(*d), Encoding::kBase64Url)));
  }
  js.Set(target, "x", js.Latin1(Encode(SpanOf(*x), Encoding::kBase64Url)));
  return js.Set(target, "kty", js.Str("OKP"));
}

}  // namespace

// exportJwk(rsaPss): an object.
void KeyHandle::ExportJwk(Js& js, const Info& info) {
  v8::Local<v8::Object> target = js.Object();
  if (key_->type == KeyType::kSecret) {
    js.Set(target, "kty", js.Str("oct"));
    js.Set(target, "k", js.Latin1(Encode(SpanOf(key_->secret), Encoding::kBase64Url)));
    return info.GetReturnValue().Set(target);
  }
  const EVP_PKEY* pkey = key_->pkey.get();
  bool is_private = key_->type == KeyType::kPrivate;
  std::string type = AsymmetricTypeName(pkey);
  ClearErrors();
  bool ok = false;
  if (type == "rsa" || (type == "rsa-pss" && info[0]->IsTrue())) {
    ok = RsaJwk(js, target, pkey, is_private);
  } else if (type == "ec") {
    v8::TryCatch catcher(js.isolate);
    ok = EcJwk(js, target, pkey, is_private);
    if (catcher.HasCaught()) {
      catcher.ReThrow();
      return;
    }
  } else if (type == "ed25519" || type == "ed448" || type == "x25519" || type == "x448") {
    ok = OkpJwk(js, target, pkey, is_private, type);
  } else {
    return js.Throw("ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE");
  }
  if (!ok) return ThrowQueued(js, "Failed to export key");
  info.GetReturnValue().Set(target);
}

// exportRaw(form): the bytes that WebCrypto calls raw: a point (form 2 compressed, 4 not), or the key itself.
void KeyHandle::ExportRaw(Js& js, const Info& info) {
  const EVP_PKEY* pkey = key_->pkey.get();
  if (pkey == nullptr) return js.ThrowTypeError("Not an asymmetric key");
  ClearErrors();
  std::optional<std::string> bytes;
  if (AsymmetricTypeName(pkey) == "ec") {
    size_t size = 0;
    const EC_KEY* ec = EVP_PKEY_get0_EC_KEY(const_cast<EVP_PKEY*>(pkey));
    if (ec == nullptr) return ThrowQueued(js, "Failed to export key");
    const EC_GROUP* group = EC_KEY_get0_group(ec);
    const EC_POINT* point = EC_KEY_get0_public_key(ec);
    auto form = static_cast<point_conversion_form_t>(IntArg(info, 0) == 2 ? 2 : 4);
    size = EC_POINT_point2oct(group, point, form, nullptr, 0, nullptr);
    bytes.emplace(size, '\0');
    EC_POINT_point2oct(group, point, form, reinterpret_cast<unsigned char*>(bytes->data()), size, nullptr);
  } else {
    bytes = RawBytes(pkey, key_->type == KeyType::kPrivate && info[0]->IsUndefined());
  }
  if (!bytes) return ThrowQueued(js, "Failed to export key");
  info.GetReturnValue().Set(ToArrayBuffer(js, *bytes));
}

}  // namespace gyre::crypto
