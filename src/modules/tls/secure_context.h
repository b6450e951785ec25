// SSL_CTX behind tls.createSecureContext().
//
// Thread: the isolate's. Owner: the JavaScript object; each connection keeps a reference of its own to the SSL_CTX.
#ifndef GYRE_MODULES_TLS_SECURE_CONTEXT_H_
#define GYRE_MODULES_TLS_SECURE_CONTEXT_H_

#include "modules/crypto/keys.h"

#include <openssl/ssl.h>

namespace gyre::tls {

using SslCtx = std::unique_ptr<SSL_CTX, crypto::FreeWith<&SSL_CTX_free>>;

class SecureContext : public Wrap {
 public:
  static const NativeClass kClass;
  static void New(const Info& info);
  SSL_CTX* ctx() const { return ctx_.get(); }

  void SetKey(Js& js, const Info& info);
  void SetCert(Js& js, const Info& info);
  void AddCaCert(Js& js, const Info& info);
  void AddRootCerts(Js& js, const Info& info);
  void AddCrl(Js& js, const Info& info);
  void LoadPkcs12(Js& js, const Info& info);
  void SetCiphers(Js& js, const Info& info);
  void SetCipherSuites(Js& js, const Info& info);
  void SetSigalgs(Js& js, const Info& info);
  void SetEcdhCurve(Js& js, const Info& info);
  void SetDhParam(Js& js, const Info& info);
  void SetProtocols(Js& js, const Info& info);
  void SetOptions(Js& js, const Info& info);
  void SetSessionIdContext(Js& js, const Info& info);
  void SetSessionTimeout(Js& js, const Info& info);
  void SetAllowPartialTrustChain(Js& js, const Info& info);
  void GetTicketKeys(Js& js, const Info& info);
  void SetTicketKeys(Js& js, const Info& info);
  void GetCertificate(Js& js, const Info& info);
  void GetIssuer(Js& js, const Info& info);
  void SetClientCertEngine(Js& js, const Info& info);

  // What the ticket callback reads.
  struct TicketKeys {
    unsigned char name[16];
    unsigned char hmac[16];
    unsigned char aes[16];
  };

 private:
  SecureContext(Js& js, v8::Local<v8::Object> object, SslCtx ctx)
      : Wrap(js.realm, object, &kClass), ctx_(std::move(ctx)) {}
  X509_STORE* OwnStore();
  bool UseChain(X509* leaf, STACK_OF(X509) * others);

  SslCtx ctx_;
  crypto::X509Ptr certificate_, issuer_;
  bool has_own_store_ = false;
};

/// The roots of the system, read once: SSL_CERT_FILE or the first of the places where systems keep them.
const std::vector<crypto::X509Ptr>& RootCertificates();

/// The error object of a failed TLS operation: OpenSSL's text with file and line, code ERR_SSL_...
v8::Local<v8::Value> SslError(Js& js, std::string_view fallback);

}  // namespace gyre::tls

#endif  // GYRE_MODULES_TLS_SECURE_CONTEXT_H_
