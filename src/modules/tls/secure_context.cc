#include "modules/tls/secure_context.h"

#include <openssl/core_names.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include <cstring>

#include "modules/crypto/x509.h"

namespace gyre::tls {

using crypto::Bio;
using crypto::ClearErrors;
using crypto::IntArg;
using crypto::OwnBytes;
using crypto::PKey;
using crypto::ThrowQueued;
using crypto::X509Ptr;

namespace {

int GivePassphrase(char* buffer, int size, int, void* data) {
  auto* passphrase = static_cast<const std::string*>(data);
  if (passphrase == nullptr || static_cast<size_t>(size) < passphrase->size()) return -1;
  std::memcpy(buffer, passphrase->data(), passphrase->size());
  return static_cast<int>(passphrase->size());
}

// Without this OpenSSL would ask at the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

Bio BioOver(const std::string& bytes) { return Bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

// Where an SSL_CTX keeps its ticket keys.
int TicketKeysIndex() {
  static int index =
      SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, [](void*, void* keys, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<SecureContext::TicketKeys*>(keys);
      });
  return index;
}

// RFC 5077: encrypts (and authenticates) a session's state into a ticket, or gives the keys to read one.
int TicketKeyCallback(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                      int encrypting) {
  auto* keys = static_cast<SecureContext::TicketKeys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), TicketKeysIndex()));
  if (keys == nullptr) return -1;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, keys->hmac, sizeof keys->hmac),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>("SHA256"), 0),
      OSSL_PARAM_construct_end(),
  };
  if (encrypting) {
    std::memcpy(name, keys->name, sizeof keys->name);
    if (!crypto::RandomBytes({iv, 16}) || EVP_EncryptInit_ex(cipher, EVP_aes_128_cbc(), nullptr, keys->aes, iv) <= 0 ||
        EVP_MAC_CTX_set_params(mac, params) <= 0) {
      return -1;
    }
    return 1;
  }
  if (std::memcmp(name, keys->name, sizeof keys->name) != 0) return 0;  // another server's: a full handshake
  if (EVP_DecryptInit_ex(cipher, EVP_aes_128_cbc(), nullptr, keys->aes, iv) <= 0 ||
      EVP_MAC_CTX_set_params(mac, params) <= 0) {
    return -1;
  }
  return 1;
}

}  // namespace

v8::Local<v8::Value> SslError(Js& js, std::string_view fallback) {
  const char* file = nullptr;
  const char* function = nullptr;
  const char* data = nullptr;
  int line = 0, flags = 0;
  unsigned long code = ERR_peek_error_all(&file, &line, &function, &data, &flags);
  if (code == 0) return v8::Exception::Error(js.Str(fallback));
  OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS, nullptr);
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  const char* library = ERR_lib_error_string(code);
  const char* reason = ERR_reason_error_string(code);
  char text[512];
  std::snprintf(text, sizeof text, "error:%08lX:%s:%s:%s:%s:%d:%s", code, library == nullptr ? "" : library,
                function == nullptr ? "" : function, reason == nullptr ? "" : reason, file == nullptr ? "" : file, line,
                data != nullptr && (flags & ERR_TXT_STRING) ? data : "");
  v8::Local<v8::Value> error = v8::Exception::Error(js.Str(std::string(text) + "\n"));
  v8::Local<v8::Object> object = error.As<v8::Object>();
  if (library != nullptr) js.Set(object, "library", js.Str(library));
  if (function != nullptr && *function != '\0') js.Set(object, "function", js.Str(function));
  if (reason != nullptr) js.Set(object, "reason", js.Str(reason));
  std::string name = crypto::ErrorCodeName(code);
  // Programs know the errors of other libraries that surface here by the same prefix.
  if (!name.empty()) js.Set(object, "code", js.Str(name));
  ClearErrors();
  return error;
}

// new SecureContext(method name | undefined, minimum, maximum): versions as numbers. SSLv23 keeps the minimum,
// TLS_method keeps neither, other names stand for one version.
void SecureContext::New(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("SecureContext needs new");
  crypto::EnsureOpenSsl();
  ClearErrors();
  int min_version = IntArg(info, 1), max_version = IntArg(info, 2);
  const SSL_METHOD* method = TLS_method();
  if (info[0]->IsString()) {
    std::string name = OwnBytes(js.isolate, info[0]);
    struct Named {
      const char* name;
      int version;  // 0: any
      int role;     // 0 both, 1 server, 2 client
    };
    static constexpr Named kMethods[] = {
        {"TLS_method", 0, 0},
        {"TLS_server_method", 0, 1},
        {"TLS_client_method", 0, 2},
        {"SSLv23_method", -1, 0},
        {"SSLv23_server_method", -1, 1},
        {"SSLv23_client_method", -1, 2},
        {"TLSv1_method", TLS1_VERSION, 0},
        {"TLSv1_server_method", TLS1_VERSION, 1},
        {"TLSv1_client_method", TLS1_VERSION, 2},
        {"TLSv1_1_method", TLS1_1_VERSION, 0},
        {"TLSv1_1_server_method", TLS1_1_VERSION, 1},
        {"TLSv1_1_client_method", TLS1_1_VERSION, 2},
        {"TLSv1_2_method", TLS1_2_VERSION, 0},
        {"TLSv1_2_server_method", TLS1_2_VERSION, 1},
        {"TLSv1_2_client_method", TLS1_2_VERSION, 2},
    };
    const Named* found = nullptr;
    for (const Named& named : kMethods) {
      if (name == named.name) found = &named;
    }
    if (found == nullptr) {
      std::string text = name.starts_with("SSLv2_") || name.starts_with("SSLv3_")
                             ? name.substr(0, 5) + " methods disabled"
                             : "Unknown method: " + name;
      return js.Throw("ERR_TLS_INVALID_PROTOCOL_METHOD", text);
    }
    if (found->version >= 0) min_version = max_version = found->version;
    if (found->version == -1) max_version = TLS1_2_VERSION;
    if (found->role == 1) method = TLS_server_method();
    if (found->role == 2) method = TLS_client_method();
  }
  SslCtx ctx(SSL_CTX_new(method));
  if (ctx == nullptr) return ThrowQueued(js, "SSL_CTX_new failed");
  SSL_CTX_set_options(ctx.get(),
                      SSL_OP_NO_SSLv2 | SSL_OP_NO_SSLv3 | SSL_OP_NO_COMPRESSION | SSL_OP_ALLOW_CLIENT_RENEGOTIATION);
  // Sessions are handed to JavaScript; nothing is kept here.
  SSL_CTX_set_session_cache_mode(ctx.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL |
                                                SSL_SESS_CACHE_NO_AUTO_CLEAR);
  SSL_CTX_set_mode(ctx.get(),
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_min_proto_version(ctx.get(), min_version);
  SSL_CTX_set_max_proto_version(ctx.get(), max_version);
  // OpenSSL's "auto" for keys of Diffie-Hellman is off by default; JavaScript turns it on.
  auto keys = std::make_unique<TicketKeys>();
  if (!crypto::RandomBytes({reinterpret_cast<uint8_t*>(keys.get()), sizeof(TicketKeys)})) {
    return ThrowQueued(js, "Random bytes are not available");
  }
  SSL_CTX_set_ex_data(ctx.get(), TicketKeysIndex(), keys.release());
  SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx.get(), &TicketKeyCallback);
  new SecureContext(js, info.This(), std::move(ctx));
}

// setKey(pem, passphrase | undefined) or setKey(key handle)
void SecureContext::SetKey(Js& js, const Info& info) {
  ClearErrors();
  PKey pkey;
  if (auto* handle = Wrap::From<crypto::KeyHandle>(info[0])) {
    EVP_PKEY_up_ref(handle->key()->pkey.get());
    pkey.reset(handle->key()->pkey.get());
  } else {
    std::string pem = OwnBytes(js.isolate, info[0]);
    std::optional<std::string> passphrase;
    if (!crypto::IsNothing(info[1])) passphrase = OwnBytes(js.isolate, info[1]);
    Bio bio = BioOver(pem);
    pkey.reset(passphrase ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &GivePassphrase, &*passphrase)
                          : PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr));
  }
  if (pkey == nullptr) return ThrowQueued(js, "PEM_read_bio_PrivateKey");
  if (SSL_CTX_use_PrivateKey(ctx_.get(), pkey.get()) != 1) ThrowQueued(js, "SSL_CTX_use_PrivateKey");
}

bool SecureContext::UseChain(X509* leaf, STACK_OF(X509) * others) {
  if (SSL_CTX_use_certificate(ctx_.get(), leaf) != 1) return false;
  SSL_CTX_clear_extra_chain_certs(ctx_.get());
  issuer_.reset();
  for (int i = 0; i < sk_X509_num(others); i++) {
    X509* other = sk_X509_value(others, i);
    if (SSL_CTX_add1_chain_cert(ctx_.get(), other) != 1) return false;
    if (issuer_ == nullptr && X509_check_issued(other, leaf) == X509_V_OK) {
      X509_up_ref(other);
      issuer_.reset(other);
    }
  }
  ClearErrors();
  if (issuer_ == nullptr) {
    // The issuer may be among the authorities.
    X509_STORE_CTX* store_ctx = X509_STORE_CTX_new();
    X509* issuer = nullptr;
    if (X509_STORE_CTX_init(store_ctx, SSL_CTX_get_cert_store(ctx_.get()), nullptr, nullptr) == 1 &&
        X509_STORE_CTX_get1_issuer(&issuer, store_ctx, leaf) == 1) {
      issuer_.reset(issuer);
    }
    X509_STORE_CTX_free(store_ctx);
    ClearErrors();
  }
  X509_up_ref(leaf);
  certificate_.reset(leaf);
  return true;
}

namespace {

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using X509Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

}  // namespace

// setCert(pem): the leaf, then what leads to an authority.
void SecureContext::SetCert(Js& js, const Info& info) {
  ClearErrors();
  std::string pem = OwnBytes(js.isolate, info[0]);
  Bio bio = BioOver(pem);
  X509Ptr leaf(PEM_read_bio_X509_AUX(bio.get(), nullptr, &NoPassphrase, nullptr));
  if (leaf == nullptr) return ThrowQueued(js, "Failed to parse certificate");
  X509Stack others(sk_X509_new_null());
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr)) sk_X509_push(others.get(), next);
  // The last read ends for want of another start line.
  ClearErrors();
  if (!UseChain(leaf.get(), others.get())) ThrowQueued(js, "SSL_CTX_use_certificate_chain");
}

X509_STORE* SecureContext::OwnStore() {
  if (!has_own_store_) {
    has_own_store_ = true;
    SSL_CTX_set_cert_store(ctx_.get(), X509_STORE_new());
  }
  return SSL_CTX_get_cert_store(ctx_.get());
}

void SecureContext::AddCaCert(Js& js, const Info& info) {
  ClearErrors();
  std::string pem = OwnBytes(js.isolate, info[0]);
  Bio bio = BioOver(pem);
  X509_STORE* store = OwnStore();
  while (X509* next = PEM_read_bio_X509_AUX(bio.get(), nullptr, &NoPassphrase, nullptr)) {
    X509Ptr certificate(next);
    X509_STORE_add_cert(store, certificate.get());
    SSL_CTX_add_client_CA(ctx_.get(), certificate.get());
  }
  ClearErrors();
}

void SecureContext::AddRootCerts(Js&, const Info&) {
  X509_STORE* store = OwnStore();
  for (const X509Ptr& root : RootCertificates()) X509_STORE_add_cert(store, root.get());
  ClearErrors();
}

void SecureContext::AddCrl(Js& js, const Info& info) {
  ClearErrors();
  std::string pem = OwnBytes(js.isolate, info[0]);
  Bio bio = BioOver(pem);
  std::unique_ptr<X509_CRL, crypto::FreeWith<&X509_CRL_free>> crl(
      PEM_read_bio_X509_CRL(bio.get(), nullptr, &NoPassphrase, nullptr));
  if (crl == nullptr) return js.Throw("ERR_CRYPTO_OPERATION_FAILED", "Failed to parse CRL");
  X509_STORE* store = OwnStore();
  X509_STORE_add_crl(store, crl.get());
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
}

// loadPKCS12(bytes, passphrase | undefined)
void SecureContext::LoadPkcs12(Js& js, const Info& info) {
  ClearErrors();
  std::string bytes = OwnBytes(js.isolate, info[0]);
  std::string passphrase;
  if (!crypto::IsNothing(info[1])) passphrase = OwnBytes(js.isolate, info[1]);
  Bio bio = BioOver(bytes);
  std::unique_ptr<PKCS12, crypto::FreeWith<&PKCS12_free>> p12(d2i_PKCS12_bio(bio.get(), nullptr));
  EVP_PKEY* raw_key = nullptr;
  X509* raw_certificate = nullptr;
  STACK_OF(X509)* raw_others = nullptr;
  bool ok = p12 != nullptr && PKCS12_parse(p12.get(), passphrase.c_str(), &raw_key, &raw_certificate, &raw_others) == 1;
  PKey pkey(raw_key);
  X509Ptr leaf(raw_certificate);
  X509Stack others(raw_others);
  if (ok && pkey == nullptr) return js.ThrowError("Unable to load private key from PFX data");
  if (ok && leaf == nullptr) return js.ThrowError("Unable to load certificate from PFX data");
  ok = ok && SSL_CTX_use_certificate(ctx_.get(), leaf.get()) == 1 && UseChain(leaf.get(), others.get()) &&
       SSL_CTX_use_PrivateKey(ctx_.get(), pkey.get()) == 1;
  if (ok) {
    for (int i = 0; i < sk_X509_num(others.get()); i++) {
      X509* ca = sk_X509_value(others.get(), i);
      X509_STORE_add_cert(OwnStore(), ca);
      SSL_CTX_add_client_CA(ctx_.get(), ca);
    }
    ClearErrors();
    return;
  }
  unsigned long first = ERR_peek_error();
  if (ERR_GET_LIB(first) == ERR_LIB_EVP && ERR_GET_REASON(first) == ERR_R_UNSUPPORTED) {
    ClearErrors();
    return js.Throw("ERR_CRYPTO_UNSUPPORTED_OPERATION", "Unsupported PKCS12 PFX data");
  }
  unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "Unable to load PFX data" : reason;
  if (ERR_GET_REASON(code) == PKCS12_R_MAC_VERIFY_FAILURE) text = "mac verify failure";
  ClearErrors();
  js.ThrowError(text);
}

// setCiphers(list): for TLS 1.2 and older.
void SecureContext::SetCiphers(Js& js, const Info& info) {
  ClearErrors();
  std::string list = OwnBytes(js.isolate, info[0]);
  if (SSL_CTX_set_cipher_list(ctx_.get(), list.c_str()) == 1) return ClearErrors();
  // An empty list leaves only the suites of TLS 1.3, which is fine.
  if (list.empty() && ERR_GET_REASON(ERR_peek_error()) == SSL_R_NO_CIPHER_MATCH) return ClearErrors();
  ThrowQueued(js, "Failed to set ciphers");
}

void SecureContext::SetCipherSuites(Js& js, const Info& info) {
  ClearErrors();
  if (SSL_CTX_set_ciphersuites(ctx_.get(), OwnBytes(js.isolate, info[0]).c_str()) != 1) {
    ThrowQueued(js, "Failed to set ciphers");
  }
}

void SecureContext::SetSigalgs(Js& js, const Info& info) {
  ClearErrors();
  if (SSL_CTX_set1_sigalgs_list(ctx_.get(), OwnBytes(js.isolate, info[0]).c_str()) != 1) {
    ThrowQueued(js, "error:00000000:lib(0)::reason(0)");
  }
}

void SecureContext::SetEcdhCurve(Js& js, const Info& info) {
  std::string curves = OwnBytes(js.isolate, info[0]);
  if (curves == "auto") return;
  if (SSL_CTX_set1_curves_list(ctx_.get(), curves.c_str()) != 1) {
    ClearErrors();
    js.Throw("ERR_CRYPTO_OPERATION_FAILED", "Failed to set ECDH curve");
  }
}

// setDHParam(true | pem): a warning's text, or undefined.
void SecureContext::SetDhParam(Js& js, const Info& info) {
  if (info[0]->IsTrue()) {
    SSL_CTX_set_dh_auto(ctx_.get(), 1);
    return;
  }
  ClearErrors();
  std::string pem = OwnBytes(js.isolate, info[0]);
  Bio bio = BioOver(pem);
  PKey params(PEM_read_bio_Parameters(bio.get(), nullptr));
  ClearErrors();
  if (params == nullptr) return;  // what is no parameters at all is ignored, as it always was
  int bits = EVP_PKEY_get_bits(params.get());
  if (bits < 1024) return js.Throw("ERR_INVALID_ARG_VALUE", "DH parameter", info[0], "is less than 1024 bits");
  if (SSL_CTX_set0_tmp_dh_pkey(ctx_.get(), params.get()) != 1) {
    ClearErrors();
    return js.Throw("ERR_CRYPTO_OPERATION_FAILED", "Error setting temp DH parameter");
  }
  (void)params.release();
  if (bits < 2048) info.GetReturnValue().Set(js.Str("DH parameter is less than 2048 bits"));
}

void SecureContext::SetProtocols(Js&, const Info& info) {
  SSL_CTX_set_min_proto_version(ctx_.get(), IntArg(info, 0));
  SSL_CTX_set_max_proto_version(ctx_.get(), IntArg(info, 1));
}

void SecureContext::SetOptions(Js&, const Info& info) {
  double options = info[0]->IsNumber() ? info[0].As<v8::Number>()->Value() : 0;
  SSL_CTX_set_options(ctx_.get(), static_cast<uint64_t>(options));
}

void SecureContext::SetSessionIdContext(Js& js, const Info& info) {
  std::string id = OwnBytes(js.isolate, info[0]);
  if (SSL_CTX_set_session_id_context(ctx_.get(), crypto::BytePointer(id), static_cast<unsigned>(id.size())) != 1) {
    ClearErrors();
    js.ThrowTypeError("SSL_CTX_set_session_id_context error");
  }
}

void SecureContext::SetSessionTimeout(Js&, const Info& info) { SSL_CTX_set_timeout(ctx_.get(), IntArg(info, 0)); }

void SecureContext::SetAllowPartialTrustChain(Js&, const Info&) {
  X509_STORE_set_flags(SSL_CTX_get_cert_store(ctx_.get()), X509_V_FLAG_PARTIAL_CHAIN);
}

void SecureContext::GetTicketKeys(Js& js, const Info& info) {
  auto* keys = static_cast<TicketKeys*>(SSL_CTX_get_ex_data(ctx_.get(), TicketKeysIndex()));
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, std::span(reinterpret_cast<const uint8_t*>(keys), sizeof *keys)).ToLocal(&buffer)) {
    info.GetReturnValue().Set(buffer);
  }
}

void SecureContext::SetTicketKeys(Js& js, const Info& info) {
  std::string bytes = OwnBytes(js.isolate, info[0]);
  if (bytes.size() != sizeof(TicketKeys)) return js.ThrowTypeError("Ticket keys length must be 48 bytes");
  std::memcpy(SSL_CTX_get_ex_data(ctx_.get(), TicketKeysIndex()), bytes.data(), bytes.size());
}

namespace {

void ReturnDer(Js& js, const Info& info, X509* certificate) {
  if (certificate == nullptr) return info.GetReturnValue().SetNull();
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, crypto::SpanOf(crypto::DerOf(certificate))).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

}  // namespace

void SecureContext::GetCertificate(Js& js, const Info& info) { ReturnDer(js, info, certificate_.get()); }
void SecureContext::GetIssuer(Js& js, const Info& info) { ReturnDer(js, info, issuer_.get()); }

// setClientCertEngine(name): an engine of OpenSSL's gives the client's certificate and key.
void SecureContext::SetClientCertEngine(Js& js, const Info& info) {
  ClearErrors();
  ENGINE* engine = ENGINE_by_id(OwnBytes(js.isolate, info[0]).c_str());
  if (engine == nullptr) return ThrowQueued(js, "ENGINE_by_id");
  if (SSL_CTX_set_client_cert_engine(ctx_.get(), engine) != 1) ThrowQueued(js, "SSL_CTX_set_client_cert_engine");
  ENGINE_free(engine);
}

const std::vector<X509Ptr>& RootCertificates() {
  static const auto* roots = [] {
    auto* list = new std::vector<X509Ptr>;
    crypto::EnsureOpenSsl();
    const char* named = secure_getenv("SSL_CERT_FILE");
    const char* const kPlaces[] = {named, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                   "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
    for (const char* place : kPlaces) {
      if (place == nullptr) continue;
      Bio bio(BIO_new_file(place, "r"));
      if (bio == nullptr) continue;
      while (X509* root = PEM_read_bio_X509_AUX(bio.get(), nullptr, &NoPassphrase, nullptr)) list->emplace_back(root);
      if (!list->empty()) break;
    }
    ClearErrors();
    return list;
  }();
  return *roots;
}

namespace {

constexpr NativeFunction kMethods[] = {
    RawMethod<&SecureContext::SetKey>("setKey"),
    RawMethod<&SecureContext::SetCert>("setCert"),
    RawMethod<&SecureContext::AddCaCert>("addCACert"),
    RawMethod<&SecureContext::AddRootCerts>("addRootCerts"),
    RawMethod<&SecureContext::AddCrl>("addCRL"),
    RawMethod<&SecureContext::LoadPkcs12>("loadPKCS12"),
    RawMethod<&SecureContext::SetCiphers>("setCiphers"),
    RawMethod<&SecureContext::SetCipherSuites>("setCipherSuites"),
    RawMethod<&SecureContext::SetSigalgs>("setSigalgs"),
    RawMethod<&SecureContext::SetEcdhCurve>("setECDHCurve"),
    RawMethod<&SecureContext::SetDhParam>("setDHParam"),
    RawMethod<&SecureContext::SetProtocols>("setProtocols"),
    RawMethod<&SecureContext::SetOptions>("setOptions"),
    RawMethod<&SecureContext::SetSessionIdContext>("setSessionIdContext"),
    RawMethod<&SecureContext::SetSessionTimeout>("setSessionTimeout"),
    RawMethod<&SecureContext::SetAllowPartialTrustChain>("setAllowPartialTrustChain"),
    RawMethod<&SecureContext::GetTicketKeys>("getTicketKeys"),
    RawMethod<&SecureContext::SetTicketKeys>("setTicketKeys"),
    RawMethod<&SecureContext::GetCertificate>("getCertificate"),
    RawMethod<&SecureContext::GetIssuer>("getIssuer"),
    RawMethod<&SecureContext::SetClientCertEngine>("setClientCertEngine"),
};

}  // namespace

const NativeClass SecureContext::kClass = {
    .name = "SecureContext", .construct = &SecureContext::New, .methods = kMethods};

}  // namespace gyre::tls
