// One TLS connection between two blocks of memory: what the peer sent goes in, what is to be sent comes out. It knows
// no socket; JavaScript carries the bytes (see handle.js).
//
// Thread: the isolate's. Owner: the JavaScript object. Invariant: OpenSSL's callbacks only note what happened;
// JavaScript hears of it from `events` after the step, except where the handshake needs an answer at once.
#ifndef GYRE_MODULES_TLS_CONNECTION_H_
#define GYRE_MODULES_TLS_CONNECTION_H_

#include <vector>

#include "modules/tls/secure_context.h"

namespace gyre::tls {

using Ssl = std::unique_ptr<SSL, crypto::FreeWith<&SSL_free>>;

class Connection : public Wrap {
 public:
  static const NativeClass kClass;
  static void New(const Info& info);

  // --- bytes ---
  void Feed(Js& js, const Info& info);
  void Handshake(Js& js, const Info& info);
  void Read(Js& js, const Info& info);
  void Write(Js& js, const Info& info);
  void Drain(Js& js, const Info& info);
  void Shutdown(Js& js, const Info& info);
  void Events(Js& js, const Info& info);

  // --- before and during the handshake ---
  void SetServername(Js& js, const Info& info);
  void GetServername(Js& js, const Info& info);
  void SetSession(Js& js, const Info& info);
  void SetAlpn(Js& js, const Info& info);
  void SetVerify(Js& js, const Info& info);
  void SetContext(Js& js, const Info& info);
  void WaitForHello(Js& js, const Info& info);
  void ResumeSession(Js& js, const Info& info);
  void WaitForCertificate(Js& js, const Info& info);
  void RequestOcsp(Js& js, const Info& info);
  void SetOcspResponse(Js& js, const Info& info);
  void SetPsk(Js& js, const Info& info);
  void SetKeylog(Js& js, const Info& info);
  void SetMaxFragment(Js& js, const Info& info);

  // --- after it ---
  void VerifyError(Js& js, const Info& info);
  void Certificate(Js& js, const Info& info);
  void X509(Js& js, const Info& info);
  void Cipher(Js& js, const Info& info);
  void Protocol(Js& js, const Info& info);
  void AlpnProtocol(Js& js, const Info& info);
  void Session(Js& js, const Info& info);
  void Ticket(Js& js, const Info& info);
  void SessionReused(Js& js, const Info& info);
  void Finished(Js& js, const Info& info);
  void EphemeralKey(Js& js, const Info& info);
  void SharedSigalgs(Js& js, const Info& info);
  void ExportKeyingMaterial(Js& js, const Info& info);
  void Renegotiate(Js& js, const Info& info);

  // What OpenSSL's callbacks note and ask, with the connection found by the SSL.
  static Connection* Of(SSL* ssl);
  void Note(const char* kind, std::string bytes, std::string extra = {});
  int SelectAlpn(const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size);
  int HelloArrived();
  SSL_SESSION* TakeResumed() { return resumed_.release(); }
  int CertificateNeeded();
  int OcspAsked();
  unsigned PskOfClient(const char* hint, char* identity, unsigned identity_max, unsigned char* psk, unsigned psk_max);
  unsigned PskOfServer(const char* identity, unsigned char* psk, unsigned psk_max);

 private:
  struct Event {
    const char* kind;
    std::string bytes, extra;
  };
  Connection(Js& js, v8::Local<v8::Object> object, Ssl ssl, bool is_server);
  bool Failed(Js& js, int result);
  v8::MaybeLocal<v8::Value> Ask(const char* method, int argc, v8::Local<v8::Value>* argv);

  Ssl ssl_;
  bool is_server_;
  std::vector<Event> events_;
  std::string alpn_;  // of a server: what it speaks, in wire form
  bool asks_alpn_ = false;
  bool waits_for_hello_ = false;
  bool hello_told_ = false;
  std::unique_ptr<SSL_SESSION, crypto::FreeWith<&SSL_SESSION_free>> resumed_;  // what the program's store had
  bool waits_for_certificate_ = false;
  bool certificate_asked_ = false;
  std::string ocsp_response_;
  bool handshake_noted_ = false;
};

}  // namespace gyre::tls

#endif  // GYRE_MODULES_TLS_CONNECTION_H_
