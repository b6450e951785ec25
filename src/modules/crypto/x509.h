// Certificates as JavaScript sees them; node:tls shows those of a peer with the same functions.
//
// Thread: the isolate's.
#ifndef GYRE_MODULES_CRYPTO_X509_H_
#define GYRE_MODULES_CRYPTO_X509_H_

#include <openssl/x509v3.h>

#include "modules/crypto/keys.h"

namespace gyre::crypto {

/// "C=US\nO=Example\nCN=example.org"
std::string NameText(const X509_NAME* name);
/// "DNS:example.org, IP Address:127.0.0.1"; nullopt if there is none. What could be read two ways is quoted.
std::optional<std::string> SubjectAltNameText(X509* certificate);
std::optional<std::string> InfoAccessText(X509* certificate);
std::string TimeText(const ASN1_TIME* time);
/// "AA:BB:..."
std::string FingerprintText(X509* certificate, const EVP_MD* md);
std::string SerialText(X509* certificate);
std::string DerOf(X509* certificate);

/// The object that getPeerCertificate() and toLegacyObject() give; empty with an exception pending.
v8::MaybeLocal<v8::Object> ToLegacyObject(Js& js, X509* certificate);

class X509Handle : public Wrap {
 public:
  static const NativeClass kClass;
  static v8::MaybeLocal<v8::Object> Make(Js& js, X509Ptr certificate);
  X509* certificate() const { return certificate_.get(); }

  void Field(Js& js, const Info& info);
  void PublicKey(Js& js, const Info& info);
  void Raw(Js& js, const Info& info);
  void Pem(Js& js, const Info& info);
  void Legacy(Js& js, const Info& info);
  void CheckCa(Js& js, const Info& info);
  void CheckName(Js& js, const Info& info);
  void CheckIssued(Js& js, const Info& info);
  void CheckPrivateKey(Js& js, const Info& info);
  void Verify(Js& js, const Info& info);

 private:
  X509Handle(Js& js, v8::Local<v8::Object> object, X509Ptr certificate)
      : Wrap(js.realm, object, &kClass), certificate_(std::move(certificate)) {}
  X509Ptr certificate_;
};

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_X509_H_
