// binding('crypto_x509'): the class X509Handle, and signed public keys (SPKAC).
#include "modules/crypto/x509.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace gyre::crypto {

namespace {

v8::Local<v8::Value> OptionalText(Js& js, const std::optional<std::string>& text) {
  if (!text) return js.Undefined();
  return js.Str(*text);
}

// Names of the extended key usages, as OIDs.
v8::Local<v8::Value> ExtendedKeyUsage(Js& js, X509* certificate) {
  std::unique_ptr<EXTENDED_KEY_USAGE, FreeWith<&EXTENDED_KEY_USAGE_free>> usages(
      static_cast<EXTENDED_KEY_USAGE*>(X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr)));
  ClearErrors();
  if (usages == nullptr) return js.Undefined();
  int count = sk_ASN1_OBJECT_num(usages.get());
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, count);
  for (int i = 0; i < count; i++) {
    char oid[256];
    if (OBJ_obj2txt(oid, sizeof oid, sk_ASN1_OBJECT_value(usages.get(), i), 1) < 0) continue;
    js.Set(array, static_cast<uint32_t>(i), js.Str(oid));
  }
  return array;
}

// { CN: 'x', OU: ['a', 'b'] }: a name that comes twice is an array.
v8::Local<v8::Object> NameObject(Js& js, const X509_NAME* name) {
  v8::Local<v8::Object> result = v8::Object::New(js.isolate, v8::Null(js.isolate), nullptr, nullptr, 0);
  for (int i = 0; i < X509_NAME_entry_count(name); i++) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const ASN1_OBJECT* object = X509_NAME_ENTRY_get_object(entry);
    int nid = OBJ_obj2nid(object);
    char oid[256];
    std::string key;
    if (nid != NID_undef) {
      key = OBJ_nid2sn(nid);
    } else if (OBJ_obj2txt(oid, sizeof oid, object, 1) >= 0) {
      key = oid;
    }
    unsigned char* utf8 = nullptr;
    int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
    if (size < 0) continue;
    v8::Local<v8::Value> value = js.Str({reinterpret_cast<char*>(utf8), static_cast<size_t>(size)});
    OPENSSL_free(utf8);
    v8::Local<v8::Value> existing;
    if (!js.Get(result, key).ToLocal(&existing)) continue;
    if (existing->IsArray()) {
      js.Set(existing.As<v8::Object>(), existing.As<v8::Array>()->Length(), value);
    } else if (!existing->IsUndefined()) {
      v8::Local<v8::Value> both[] = {existing, value};
      js.Set(result, key, v8::Array::New(js.isolate, both, 2));
    } else {
      js.Set(result, key, value);
    }
  }
  return result;
}

v8::Local<v8::Value> BufferOf(Js& js, const std::string& bytes) {
  v8::Local<v8::Object> buffer;
  if (!MakeBuffer(js, SpanOf(bytes)).ToLocal(&buffer)) return js.Undefined();
  return buffer;
}

// What the legacy object says of the key.
void SetKeyFields(Js& js, v8::Local<v8::Object> result, X509* certificate) {
  EVP_PKEY* pkey = X509_get0_pubkey(certificate);
  if (pkey == nullptr) return ClearErrors();
  if (EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_is_a(pkey, "RSA-PSS")) {
    BIGNUM* n = nullptr;
    BIGNUM* e = nullptr;
    EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n);
    EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e);
    BigNum owned_n(n), owned_e(e);
    if (n != nullptr) {
      char* hex = BN_bn2hex(n);
      js.Set(result, "modulus", js.Str(hex));
      OPENSSL_free(hex);
      js.Set(result, "bits", js.Int(BN_num_bits(n)));
    }
    if (e != nullptr) {
      char text[32];
      std::snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(BN_get_word(e)));
      js.Set(result, "exponent", js.Str(text));
    }
    if (std::optional<std::string> der = WritePublicKey(pkey, KeyFormat::kDer, KeyEncoding::kSpki)) {
      js.Set(result, "pubkey", BufferOf(js, *der));
    }
  } else if (EVP_PKEY_is_a(pkey, "EC")) {
    js.Set(result, "bits", js.Int(EVP_PKEY_get_bits(pkey)));
    size_t size = 0;
    unsigned char point[256];
    if (EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &size) == 1) {
      js.Set(result, "pubkey", BufferOf(js, std::string(reinterpret_cast<char*>(point), size)));
    }
    char group[80] = "";
    if (EVP_PKEY_get_utf8_string_param(pkey, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, nullptr) == 1) {
      js.Set(result, "asn1Curve", js.Str(group));
      int nid = OBJ_sn2nid(group);
      if (const char* nist = nid == NID_undef ? nullptr : EC_curve_nid2nist(nid)) {
        js.Set(result, "nistCurve", js.Str(nist));
      }
    }
  }
  ClearErrors();
}

// "OCSP - URI:http://a\nOCSP - URI:http://b" as { 'OCSP - URI': ['http://a', 'http://b'] }.
v8::Local<v8::Value> InfoAccessObject(Js& js, const std::string& text) {
  v8::Local<v8::Object> result = v8::Object::New(js.isolate, v8::Null(js.isolate), nullptr, nullptr, 0);
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = line.substr(0, colon);
    v8::Local<v8::Value> existing;
    if (!js.Get(result, key).ToLocal(&existing)) continue;
    v8::Local<v8::Array> list = existing->IsArray() ? existing.As<v8::Array>() : v8::Array::New(js.isolate);
    v8::Local<v8::Value> value = js.Str(line.substr(colon + 1));
    // What could be misread in the text is written as JSON there.
    v8::Local<v8::Value> parsed;
    if (line.size() > colon + 1 && line[colon + 1] == '"' &&
        v8::JSON::Parse(js.context, value.As<v8::String>()).ToLocal(&parsed)) {
      value = parsed;
    }
    js.Set(list, list->Length(), value);
    js.Set(result, key, list);
  }
  return result;
}

}  // namespace

v8::MaybeLocal<v8::Object> ToLegacyObject(Js& js, X509* certificate) {
  EnsureOpenSsl();
  v8::Local<v8::Object> result = js.Object();
  js.Set(result, "subject", NameObject(js, X509_get_subject_name(certificate)));
  js.Set(result, "issuer", NameObject(js, X509_get_issuer_name(certificate)));
  if (std::optional<std::string> names = SubjectAltNameText(certificate)) {
    js.Set(result, "subjectaltname", js.Str(*names));
  }
  if (std::optional<std::string> access = InfoAccessText(certificate)) {
    js.Set(result, "infoAccess", InfoAccessObject(js, *access));
  }
  js.Set(result, "ca", js.Bool(X509_check_ca(certificate) == 1));
  SetKeyFields(js, result, certificate);
  js.Set(result, "valid_from", js.Str(TimeText(X509_get0_notBefore(certificate))));
  js.Set(result, "valid_to", js.Str(TimeText(X509_get0_notAfter(certificate))));
  js.Set(result, "fingerprint", js.Str(FingerprintText(certificate, EVP_sha1())));
  js.Set(result, "fingerprint256", js.Str(FingerprintText(certificate, EVP_sha256())));
  js.Set(result, "fingerprint512", js.Str(FingerprintText(certificate, EVP_sha512())));
  v8::Local<v8::Value> usage = ExtendedKeyUsage(js, certificate);
  if (!usage->IsUndefined()) js.Set(result, "ext_key_usage", usage);
  js.Set(result, "serialNumber", js.Str(SerialText(certificate)));
  js.Set(result, "raw", BufferOf(js, DerOf(certificate)));
  return result;
}

v8::MaybeLocal<v8::Object> X509Handle::Make(Js& js, X509Ptr certificate) {
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, kClass).ToLocal(&object)) return {};
  new X509Handle(js, object, std::move(certificate));
  return object;
}

namespace {

enum class FieldId : int {
  kSubject,
  kSubjectAltName,
  kIssuer,
  kInfoAccess,
  kValidFrom,
  kValidTo,
  kFingerprint,
  kFingerprint256,
  kFingerprint512,
  kKeyUsage,
  kSerial,
  kSignatureAlgorithm,
  kSignatureAlgorithmOid,
};

std::optional<std::string> FieldText(FieldId field, X509* certificate) {
  switch (field) {
    case FieldId::kSubject: {
      std::string text = NameText(X509_get_subject_name(certificate));
      if (text.empty()) return std::nullopt;
      return text;
    }
    case FieldId::kSubjectAltName:
      return SubjectAltNameText(certificate);
    case FieldId::kIssuer:
      return NameText(X509_get_issuer_name(certificate));
    case FieldId::kInfoAccess:
      return InfoAccessText(certificate);
    case FieldId::kValidFrom:
      return TimeText(X509_get0_notBefore(certificate));
    case FieldId::kValidTo:
      return TimeText(X509_get0_notAfter(certificate));
    case FieldId::kFingerprint:
      return FingerprintText(certificate, EVP_sha1());
    case FieldId::kFingerprint256:
      return FingerprintText(certificate, EVP_sha256());
    case FieldId::kFingerprint512:
      return FingerprintText(certificate, EVP_sha512());
    case FieldId::kSerial:
      return SerialText(certificate);
    case FieldId::kSignatureAlgorithm: {
      int nid = X509_get_signature_nid(certificate);
      if (nid == NID_undef) return std::nullopt;
      return OBJ_nid2ln(nid);
    }
    case FieldId::kSignatureAlgorithmOid: {
      const X509_ALGOR* algorithm = nullptr;
      X509_get0_signature(nullptr, &algorithm, certificate);
      const ASN1_OBJECT* object = nullptr;
      X509_ALGOR_get0(&object, nullptr, nullptr, algorithm);
      char oid[128];
      OBJ_obj2txt(oid, sizeof oid, object, 1);
      return oid;
    }
    case FieldId::kKeyUsage:
      break;
  }
  return std::nullopt;
}

}  // namespace

// field(number)
void X509Handle::Field(Js& js, const Info& info) {
  auto field = static_cast<FieldId>(IntArg(info, 0));
  if (field == FieldId::kKeyUsage) return info.GetReturnValue().Set(ExtendedKeyUsage(js, certificate_.get()));
  info.GetReturnValue().Set(OptionalText(js, FieldText(field, certificate_.get())));
}

void X509Handle::PublicKey(Js& js, const Info& info) {
  ClearErrors();
  PKey pkey(X509_get_pubkey(certificate_.get()));
  if (pkey == nullptr) return ThrowQueued(js, "Failed to get public key");
  v8::Local<v8::Object> handle;
  if (KeyHandle::Make(js, MakeAsymmetricKey(KeyType::kPublic, std::move(pkey))).ToLocal(&handle)) {
    info.GetReturnValue().Set(handle);
  }
}

void X509Handle::Raw(Js& js, const Info& info) { info.GetReturnValue().Set(BufferOf(js, DerOf(certificate_.get()))); }

void X509Handle::Pem(Js& js, const Info& info) {
  Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), certificate_.get()) != 1) return ThrowQueued(js, "Failed to export");
  info.GetReturnValue().Set(js.Str(BioText(bio.get())));
}

void X509Handle::Legacy(Js& js, const Info& info) {
  v8::Local<v8::Object> object;
  if (ToLegacyObject(js, certificate_.get()).ToLocal(&object)) info.GetReturnValue().Set(object);
}

void X509Handle::CheckCa(Js&, const Info& info) { info.GetReturnValue().Set(X509_check_ca(certificate_.get()) == 1); }

// checkName(kind, name, flags): kind 0 host, 1 e-mail, 2 IP. The name that matched, the given one, or undefined.
void X509Handle::CheckName(Js& js, const Info& info) {
  std::string name = OwnBytes(js.isolate, info[1]);
  auto flags = static_cast<unsigned>(IntArg(info, 2));
  int result = 0;
  char* peer = nullptr;
  ClearErrors();
  switch (IntArg(info, 0)) {
    case 0:
      result = X509_check_host(certificate_.get(), name.data(), name.size(), flags, &peer);
      break;
    case 1:
      result = X509_check_email(certificate_.get(), name.data(), name.size(), flags);
      break;
    default:
      result = X509_check_ip_asc(certificate_.get(), name.c_str(), flags);
      break;
  }
  std::string matched = peer == nullptr ? name : peer;
  OPENSSL_free(peer);
  ClearErrors();
  if (result == 1) return info.GetReturnValue().Set(js.Str(matched));
  if (result == -2) return js.Throw("ERR_INVALID_ARG_VALUE", "name", info[1]);
  if (result < 0) js.Throw("ERR_CRYPTO_OPERATION_FAILED");
}

void X509Handle::CheckIssued(Js& js, const Info& info) {
  auto* other = Wrap::From<X509Handle>(info[0]);
  if (other == nullptr) return engine::ThrowBadArgument(js, 0, "a certificate");
  info.GetReturnValue().Set(X509_check_issued(other->certificate(), certificate_.get()) == X509_V_OK);
  ClearErrors();
}

void X509Handle::CheckPrivateKey(Js& js, const Info& info) {
  KeyPtr key = KeyHandle::Arg(js, info, 0);
  if (key == nullptr) return;
  info.GetReturnValue().Set(X509_check_private_key(certificate_.get(), key->pkey.get()) == 1);
  ClearErrors();
}

void X509Handle::Verify(Js& js, const Info& info) {
  KeyPtr key = KeyHandle::Arg(js, info, 0);
  if (key == nullptr) return;
  info.GetReturnValue().Set(X509_verify(certificate_.get(), key->pkey.get()) == 1);
  ClearErrors();
}

namespace {

// parse(bytes): PEM or DER.
void Parse(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  ClearErrors();
  std::string bytes = OwnBytes(js.isolate, info[0]);
  Bio bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  X509Ptr certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
  if (certificate == nullptr) {
    CryptoError failure = CryptoError::FromQueue("Failed to parse certificate");
    const unsigned char* at = BytePointer(bytes);
    certificate.reset(d2i_X509(nullptr, &at, static_cast<long>(bytes.size())));
    ClearErrors();
    if (certificate == nullptr) return Throw(js, failure);
  }
  v8::Local<v8::Object> handle;
  if (X509Handle::Make(js, std::move(certificate)).ToLocal(&handle)) info.GetReturnValue().Set(handle);
}

using Spki = std::unique_ptr<NETSCAPE_SPKI, FreeWith<&NETSCAPE_SPKI_free>>;

Spki SpkacFrom(Js& js, const Info& info) {
  EnsureOpenSsl();
  std::string text = OwnBytes(js.isolate, info[0]);
  // Trailing line ends are no part of the base64.
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == '\t' || text.back() == ' ')) {
    text.pop_back();
  }
  Spki spki(text.empty() ? nullptr : NETSCAPE_SPKI_b64_decode(text.data(), static_cast<int>(text.size())));
  ClearErrors();
  return spki;
}

void VerifySpkac(const Info& info) {
  Js js(info);
  Spki spki = SpkacFrom(js, info);
  bool ok = false;
  if (spki != nullptr) {
    PKey pkey(X509_PUBKEY_get(spki->spkac->pubkey));
    ok = pkey != nullptr && NETSCAPE_SPKI_verify(spki.get(), pkey.get()) > 0;
  }
  ClearErrors();
  info.GetReturnValue().Set(ok);
}

void SpkacPublicKey(const Info& info) {
  Js js(info);
  Spki spki = SpkacFrom(js, info);
  std::optional<std::string> pem;
  if (spki != nullptr) {
    PKey pkey(NETSCAPE_SPKI_get_pubkey(spki.get()));
    if (pkey != nullptr) pem = WritePublicKey(pkey.get(), KeyFormat::kPem, KeyEncoding::kSpki);
  }
  ClearErrors();
  info.GetReturnValue().Set(BufferOf(js, pem.value_or("")));
}

void SpkacChallenge(const Info& info) {
  Js js(info);
  Spki spki = SpkacFrom(js, info);
  std::string challenge;
  if (spki != nullptr) {
    unsigned char* text = nullptr;
    int size = ASN1_STRING_to_UTF8(&text, spki->spkac->challenge);
    if (size > 0) challenge.assign(reinterpret_cast<char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  ClearErrors();
  info.GetReturnValue().Set(BufferOf(js, challenge));
}

void NewX509Handle(const Info& info) { Js(info).Throw("ERR_ILLEGAL_CONSTRUCTOR"); }

constexpr NativeFunction kMethods[] = {
    RawMethod<&X509Handle::Field>("field"),
    RawMethod<&X509Handle::PublicKey>("publicKey"),
    RawMethod<&X509Handle::Raw>("raw"),
    RawMethod<&X509Handle::Pem>("pem"),
    RawMethod<&X509Handle::Legacy>("toLegacy"),
    RawMethod<&X509Handle::CheckCa>("checkCA"),
    RawMethod<&X509Handle::CheckName>("checkName"),
    RawMethod<&X509Handle::CheckIssued>("checkIssued"),
    RawMethod<&X509Handle::CheckPrivateKey>("checkPrivateKey"),
    RawMethod<&X509Handle::Verify>("verify"),
};

constexpr NativeFunction kFunctions[] = {
    RawFn("parse", &Parse, 1),
    RawFn("verifySpkac", &VerifySpkac, 1),
    RawFn("spkacPublicKey", &SpkacPublicKey, 1),
    RawFn("spkacChallenge", &SpkacChallenge, 1),
};
const NativeClass* const kClasses[] = {&X509Handle::kClass};

}  // namespace

const NativeClass X509Handle::kClass = {.name = "X509Handle", .construct = &NewX509Handle, .methods = kMethods};

}  // namespace gyre::crypto

namespace gyre::modules {
extern const NativeModule kCryptoX509Module;
const NativeModule kCryptoX509Module = {
    .name = "crypto_x509", .functions = crypto::kFunctions, .classes = crypto::kClasses};
}  // namespace gyre::modules
