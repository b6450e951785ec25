// What is known of a connection after its handshake.
#include <openssl/err.h>
#include <openssl/pem.h>

#include "modules/crypto/x509.h"
#include "modules/tls/connection.h"

namespace gyre::tls {

using crypto::ClearErrors;
using crypto::IntArg;
using crypto::OwnBytes;
using crypto::X509Ptr;

namespace {

v8::Local<v8::Value> ToBuffer(Js& js, std::span<const uint8_t> bytes) {
  v8::Local<v8::Object> buffer;
  if (!MakeBuffer(js, bytes).ToLocal(&buffer)) return js.Undefined();
  return buffer;
}

// The names of verification failures that programs compare, by X509_V_ERR_ number.
const char* VerifyCode(long result) {
  switch (result) {
#define GYRE_CODE(name)   \
  case X509_V_ERR_##name: \
    return #name;
    GYRE_CODE(UNABLE_TO_GET_ISSUER_CERT)
    GYRE_CODE(UNABLE_TO_GET_CRL)
    GYRE_CODE(UNABLE_TO_DECRYPT_CERT_SIGNATURE)
    GYRE_CODE(UNABLE_TO_DECRYPT_CRL_SIGNATURE)
    GYRE_CODE(UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY)
    GYRE_CODE(CERT_SIGNATURE_FAILURE)
    GYRE_CODE(CRL_SIGNATURE_FAILURE)
    GYRE_CODE(CERT_NOT_YET_VALID)
    GYRE_CODE(CERT_HAS_EXPIRED)
    GYRE_CODE(CRL_NOT_YET_VALID)
    GYRE_CODE(CRL_HAS_EXPIRED)
    GYRE_CODE(ERROR_IN_CERT_NOT_BEFORE_FIELD)
    GYRE_CODE(ERROR_IN_CERT_NOT_AFTER_FIELD)
    GYRE_CODE(ERROR_IN_CRL_LAST_UPDATE_FIELD)
    GYRE_CODE(ERROR_IN_CRL_NEXT_UPDATE_FIELD)
    GYRE_CODE(OUT_OF_MEM)
    GYRE_CODE(DEPTH_ZERO_SELF_SIGNED_CERT)
    GYRE_CODE(SELF_SIGNED_CERT_IN_CHAIN)
    GYRE_CODE(UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
    GYRE_CODE(UNABLE_TO_VERIFY_LEAF_SIGNATURE)
    GYRE_CODE(CERT_CHAIN_TOO_LONG)
    GYRE_CODE(CERT_REVOKED)
    GYRE_CODE(INVALID_CA)
    GYRE_CODE(PATH_LENGTH_EXCEEDED)
    GYRE_CODE(INVALID_PURPOSE)
    GYRE_CODE(CERT_UNTRUSTED)
    GYRE_CODE(CERT_REJECTED)
    GYRE_CODE(HOSTNAME_MISMATCH)
#undef GYRE_CODE
    default:
      return "UNSPECIFIED";
  }
}

}  // namespace

// verifyError(): null, or an Error that says what is wrong with the peer's certificate.
void Connection::VerifyError(Js& js, const Info& info) {
  long result = SSL_get_verify_result(ssl_.get());
  X509Ptr peer(SSL_get1_peer_certificate(ssl_.get()));
  if (peer == nullptr) {
    // Keys that both sides knew before, and TLS 1.3's resumed sessions of them, need no certificate.
    const SSL_CIPHER* cipher = SSL_get_current_cipher(ssl_.get());
    const SSL_SESSION* session = SSL_get_session(ssl_.get());
    bool is_psk = cipher != nullptr && SSL_CIPHER_get_auth_nid(cipher) == NID_auth_psk;
    bool is_13_psk = session != nullptr && SSL_SESSION_get_protocol_version(session) == TLS1_3_VERSION &&
                     SSL_session_reused(ssl_.get());
    result = is_psk || is_13_psk ? X509_V_OK : X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT;
  }
  if (result == X509_V_OK) return info.GetReturnValue().SetNull();
  v8::Local<v8::Value> error = v8::Exception::Error(js.Str(X509_verify_cert_error_string(result)));
  js.Set(error.As<v8::Object>(), "code", js.Str(VerifyCode(result)));
  info.GetReturnValue().Set(error);
}

namespace {

// The certificates from the leaf up, as far as they are known.
std::vector<X509Ptr> PeerChain(SSL* ssl, bool is_server) {
  std::vector<X509Ptr> chain;
  STACK_OF(X509)* sent = SSL_get_peer_cert_chain(ssl);
  auto add = [&chain](X509* certificate) {
    X509_up_ref(certificate);
    chain.emplace_back(certificate);
  };
  // Of a client the leaf is not in the chain.
  if (is_server || sk_X509_num(sent) <= 0) {
    if (X509* leaf = SSL_get1_peer_certificate(ssl)) chain.emplace_back(leaf);
  }
  std::vector<X509*> rest;
  for (int i = 0; i < sk_X509_num(sent); i++) rest.push_back(sk_X509_value(sent, i));
  if (chain.empty() && !rest.empty()) {
    add(rest.front());
    rest.erase(rest.begin());
  }
  // In whatever order they were sent.
  for (bool found = true; found && !chain.empty();) {
    found = false;
    for (size_t i = 0; i < rest.size(); i++) {
      if (X509_check_issued(rest[i], chain.back().get()) == X509_V_OK) {
        add(rest[i]);
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
        found = true;
        break;
      }
    }
  }
  // Those that were not sent, from the authorities.
  while (!chain.empty() && X509_check_issued(chain.back().get(), chain.back().get()) != X509_V_OK) {
    X509_STORE_CTX* store_ctx = X509_STORE_CTX_new();
    ::X509* issuer = nullptr;
    bool found = X509_STORE_CTX_init(store_ctx, SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl)), nullptr, nullptr) == 1 &&
                 X509_STORE_CTX_get1_issuer(&issuer, store_ctx, chain.back().get()) == 1;
    X509_STORE_CTX_free(store_ctx);
    if (!found) break;
    chain.emplace_back(issuer);
    if (chain.size() > 64) break;
  }
  ClearErrors();
  return chain;
}

}  // namespace

// getCertificate(own, detailed): the legacy object; with `detailed` each one's issuerCertificate too.
void Connection::Certificate(Js& js, const Info& info) {
  if (info[0]->IsTrue()) {
    ::X509* own = SSL_get_certificate(ssl_.get());
    v8::Local<v8::Object> object;
    if (own == nullptr) return;
    if (crypto::ToLegacyObject(js, own).ToLocal(&object)) info.GetReturnValue().Set(object);
    return;
  }
  std::vector<X509Ptr> chain = PeerChain(ssl_.get(), is_server_);
  if (chain.empty()) return;
  v8::Local<v8::Object> first, last;
  size_t count = info[1]->IsTrue() ? chain.size() : 1;
  for (size_t i = 0; i < count; i++) {
    v8::Local<v8::Object> object;
    if (!crypto::ToLegacyObject(js, chain[i].get()).ToLocal(&object)) return;
    if (first.IsEmpty()) {
      first = object;
    } else {
      js.Set(last, "issuerCertificate", object);
    }
    last = object;
  }
  // A root is its own issuer.
  if (info[1]->IsTrue() && X509_check_issued(chain.back().get(), chain.back().get()) == X509_V_OK) {
    js.Set(last, "issuerCertificate", last);
  }
  ClearErrors();
  info.GetReturnValue().Set(first);
}

// getX509(own): handles from the leaf up, or undefined.
void Connection::X509(Js& js, const Info& info) {
  std::vector<X509Ptr> chain;
  if (!info[0]->IsTrue()) {
    chain = PeerChain(ssl_.get(), is_server_);
  } else if (::X509* own = SSL_get_certificate(ssl_.get())) {
    X509_up_ref(own);
    chain.emplace_back(own);
  }
  if (chain.empty()) return;
  v8::Local<v8::Array> handles = v8::Array::New(js.isolate, static_cast<int>(chain.size()));
  for (uint32_t i = 0; i < chain.size(); i++) {
    v8::Local<v8::Object> handle;
    if (!crypto::X509Handle::Make(js, std::move(chain[i])).ToLocal(&handle)) return;
    js.Set(handles, i, handle);
  }
  info.GetReturnValue().Set(handles);
}

void Connection::Cipher(Js& js, const Info& info) {
  const SSL_CIPHER* cipher = SSL_get_current_cipher(ssl_.get());
  v8::Local<v8::Object> result = js.Object();
  info.GetReturnValue().Set(result);
  if (cipher == nullptr) return;
  js.Set(result, "name", js.Str(SSL_CIPHER_get_name(cipher)));
  const char* standard = SSL_CIPHER_standard_name(cipher);
  js.Set(result, "standardName", js.Str(standard == nullptr ? "" : standard));
  js.Set(result, "version", js.Str(SSL_CIPHER_get_version(cipher)));
}

void Connection::Protocol(Js& js, const Info& info) { info.GetReturnValue().Set(js.Str(SSL_get_version(ssl_.get()))); }

void Connection::AlpnProtocol(Js& js, const Info& info) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  if (size == 0) return info.GetReturnValue().Set(false);
  info.GetReturnValue().Set(js.Latin1({reinterpret_cast<const char*>(name), size}));
}

void Connection::Session(Js& js, const Info& info) {
  SSL_SESSION* session = SSL_get_session(ssl_.get());
  int size = session == nullptr ? 0 : i2d_SSL_SESSION(session, nullptr);
  if (size <= 0) return ClearErrors();
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  unsigned char* at = bytes.data();
  i2d_SSL_SESSION(session, &at);
  info.GetReturnValue().Set(ToBuffer(js, bytes));
}

// getTicket(session | undefined): of a session in wire form, or of the connection's.
void Connection::Ticket(Js& js, const Info& info) {
  std::unique_ptr<SSL_SESSION, crypto::FreeWith<&SSL_SESSION_free>> given;
  if (!crypto::IsNothing(info[0])) {
    std::string bytes = crypto::OwnBytes(js.isolate, info[0]);
    const unsigned char* at = crypto::BytePointer(bytes);
    given.reset(d2i_SSL_SESSION(nullptr, &at, static_cast<long>(bytes.size())));
    ClearErrors();
  }
  const SSL_SESSION* session = given != nullptr ? given.get() : SSL_get_session(ssl_.get());
  const unsigned char* ticket = nullptr;
  size_t size = 0;
  if (session == nullptr) return;
  SSL_SESSION_get0_ticket(session, &ticket, &size);
  if (ticket != nullptr) info.GetReturnValue().Set(ToBuffer(js, {ticket, size}));
}

void Connection::SessionReused(Js&, const Info& info) {
  info.GetReturnValue().Set(SSL_session_reused(ssl_.get()) == 1);
}

// getFinished(peer)
void Connection::Finished(Js& js, const Info& info) {
  uint8_t bytes[EVP_MAX_MD_SIZE];
  size_t size = info[0]->IsTrue() ? SSL_get_peer_finished(ssl_.get(), bytes, sizeof bytes)
                                  : SSL_get_finished(ssl_.get(), bytes, sizeof bytes);
  if (size > 0) info.GetReturnValue().Set(ToBuffer(js, {bytes, size}));
}

void Connection::EphemeralKey(Js& js, const Info& info) {
  if (is_server_) return info.GetReturnValue().SetNull();
  v8::Local<v8::Object> result = js.Object();
  info.GetReturnValue().Set(result);
  EVP_PKEY* raw = nullptr;
  if (SSL_get_peer_tmp_key(ssl_.get(), &raw) != 1) return ClearErrors();
  crypto::PKey key(raw);
  if (EVP_PKEY_is_a(raw, "DH")) {
    js.Set(result, "type", js.Str("DH"));
  } else {
    js.Set(result, "type", js.Str("ECDH"));
    char group[80] = "";
    if (EVP_PKEY_is_a(raw, "EC")) {
      EVP_PKEY_get_utf8_string_param(raw, "group", group, sizeof group, nullptr);
      js.Set(result, "name", js.Str(group));
    } else {
      js.Set(result, "name", js.Str(OBJ_nid2sn(EVP_PKEY_get_id(raw))));
    }
  }
  js.Set(result, "size", js.Int(EVP_PKEY_get_bits(raw)));
  ClearErrors();
}

void Connection::SharedSigalgs(Js& js, const Info& info) {
  int count = SSL_get_shared_sigalgs(ssl_.get(), 0, nullptr, nullptr, nullptr, nullptr, nullptr);
  v8::Local<v8::Array> list = v8::Array::New(js.isolate, std::max(0, count));
  for (int i = 0; i < count; i++) {
    int sign = NID_undef, hash = NID_undef;
    unsigned char raw_hash = 0, raw_sign = 0;
    SSL_get_shared_sigalgs(ssl_.get(), i, &sign, &hash, nullptr, &raw_sign, &raw_hash);
    std::string name;
    switch (sign) {
      case EVP_PKEY_RSA:
        name = "RSA+";
        break;
      case EVP_PKEY_RSA_PSS:
        name = "RSA-PSS+";
        break;
      case EVP_PKEY_DSA:
        name = "DSA+";
        break;
      case EVP_PKEY_EC:
        name = "ECDSA+";
        break;
      case NID_ED25519:
        name = "Ed25519+";
        break;
      case NID_ED448:
        name = "Ed448+";
        break;
      default:
        name = std::string(OBJ_nid2sn(sign)) + "+";
    }
    name += hash == NID_undef ? "UNDEF" : OBJ_nid2sn(hash);
    js.Set(list, static_cast<uint32_t>(i), js.Str(name));
  }
  info.GetReturnValue().Set(list);
}

// exportKeyingMaterial(length, label, context | undefined)
void Connection::ExportKeyingMaterial(Js& js, const Info& info) {
  std::vector<uint8_t> out(static_cast<size_t>(std::max(0, IntArg(info, 0))));
  std::string label = OwnBytes(js.isolate, info[1]);
  bool has_context = !info[2]->IsUndefined();
  std::string context = has_context ? OwnBytes(js.isolate, info[2]) : "";
  ClearErrors();
  if (SSL_export_keying_material(ssl_.get(), out.data(), out.size(), label.data(), label.size(),
                                 crypto::BytePointer(context), context.size(), has_context ? 1 : 0) != 1) {
    return crypto::ThrowQueued(js, "SSL_export_keying_material");
  }
  info.GetReturnValue().Set(ToBuffer(js, out));
}

void Connection::Renegotiate(Js& js, const Info&) {
  ClearErrors();
  if (SSL_renegotiate(ssl_.get()) != 1) crypto::ThrowQueued(js, "Failed to renegotiate");
}

namespace {

// getSSLCiphers(): the names, in lower case, of what OpenSSL supports.
void GetCiphers(const Info& info) {
  Js js(info);
  crypto::EnsureOpenSsl();
  std::vector<std::string> names;
  SslCtx ctx(SSL_CTX_new(TLS_method()));
  SSL_CTX_set_security_level(ctx.get(), 0);
  SSL_CTX_set_ciphersuites(ctx.get(),
                           "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:"
                           "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256");
  SSL_CTX_set_cipher_list(ctx.get(), "ALL:COMPLEMENTOFALL:eNULL@SECLEVEL=0");
  const STACK_OF(SSL_CIPHER)* ciphers = SSL_CTX_get_ciphers(ctx.get());
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); i++)
    names.push_back(SSL_CIPHER_get_name(sk_SSL_CIPHER_value(ciphers, i)));
  for (std::string& name : names) {
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  ClearErrors();
  engine::Return(js, info, names);
}

// getRootCertificates(): PEM texts.
void GetRootCertificates(const Info& info) {
  Js js(info);
  std::vector<std::string> texts;
  for (const X509Ptr& root : RootCertificates()) {
    crypto::Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), root.get());
    std::string text = crypto::BioText(bio.get());
    if (!text.empty() && text.back() == '\n') text.pop_back();
    texts.push_back(std::move(text));
  }
  engine::Return(js, info, texts);
}

constexpr NativeFunction kFunctions[] = {
    RawFn("getSSLCiphers", &GetCiphers),
    RawFn("getRootCertificates", &GetRootCertificates),
};
const NativeClass* const kClasses[] = {&SecureContext::kClass, &Connection::kClass};

}  // namespace
}  // namespace gyre::tls

namespace gyre::modules {
extern const NativeModule kTlsModule;
const NativeModule kTlsModule = {.name = "tls", .functions = tls::kFunctions, .classes = tls::kClasses};
}  // namespace gyre::modules
