#include "modules/tls/connection.h"

#include <openssl/err.h>

#include <cstring>

#include "modules/crypto/x509.h"

namespace gyre::tls {

using crypto::BytesArg;
using crypto::ClearErrors;
using crypto::IntArg;
using crypto::OwnBytes;

namespace {

int ConnectionIndex() {
  static int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// --- OpenSSL's callbacks ---

void OnInfo(const SSL* ssl, int where, int) {
  auto* connection = Connection::Of(const_cast<SSL*>(ssl));
  if (connection == nullptr) return;
  // TLS 1.3 says "start" again for each session ticket; those are no handshakes.
  if ((where & SSL_CB_HANDSHAKE_START) && !(SSL_version(ssl) == TLS1_3_VERSION && SSL_is_init_finished(ssl))) {
    connection->Note("handshakestart", {});
  }
  if (where & SSL_CB_HANDSHAKE_DONE) connection->Note("handshakedone", {});
}

int OnNewSession(SSL* ssl, SSL_SESSION* session) {
  auto* connection = Connection::Of(ssl);
  if (connection == nullptr) return 0;
  int size = i2d_SSL_SESSION(session, nullptr);
  if (size <= 0 || size > 10 * 1024) return 0;
  std::string bytes(static_cast<size_t>(size), '\0');
  auto* at = reinterpret_cast<unsigned char*>(bytes.data());
  i2d_SSL_SESSION(session, &at);
  unsigned id_size = 0;
  const unsigned char* id = SSL_SESSION_get_id(session, &id_size);
  connection->Note("session", std::move(bytes), std::string(reinterpret_cast<const char*>(id), id_size));
  return 0;
}

int OnSelectAlpn(SSL* ssl, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                 unsigned in_size, void*) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? SSL_TLSEXT_ERR_NOACK : connection->SelectAlpn(out, out_size, in, in_size);
}

int OnHello(SSL* ssl, int*, void*) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? SSL_CLIENT_HELLO_SUCCESS : connection->HelloArrived();
}

SSL_SESSION* OnGetSession(SSL* ssl, const unsigned char*, int, int* copy) {
  *copy = 0;
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? nullptr : connection->TakeResumed();
}

int OnCertificate(SSL* ssl, void*) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? 1 : connection->CertificateNeeded();
}

int OnOcsp(SSL* ssl, void*) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? SSL_TLSEXT_ERR_NOACK : connection->OcspAsked();
}

void OnKeylog(const SSL* ssl, const char* line) {
  if (auto* connection = Connection::Of(const_cast<SSL*>(ssl))) connection->Note("keylog", std::string(line) + "\n");
}

unsigned OnPskClient(SSL* ssl, const char* hint, char* identity, unsigned identity_max, unsigned char* psk,
                     unsigned psk_max) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? 0 : connection->PskOfClient(hint, identity, identity_max, psk, psk_max);
}

unsigned OnPskServer(SSL* ssl, const char* identity, unsigned char* psk, unsigned psk_max) {
  auto* connection = Connection::Of(ssl);
  return connection == nullptr ? 0 : connection->PskOfServer(identity, psk, psk_max);
}

v8::Local<v8::Value> ToBuffer(Js& js, const std::string& bytes) {
  v8::Local<v8::Object> buffer;
  if (!MakeBuffer(js, crypto::SpanOf(bytes)).ToLocal(&buffer)) return js.Undefined();
  return buffer;
}

}  // namespace

Connection* Connection::Of(SSL* ssl) { return static_cast<Connection*>(SSL_get_ex_data(ssl, ConnectionIndex())); }

Connection::Connection(Js& js, v8::Local<v8::Object> object, Ssl ssl, bool is_server)
    : Wrap(js.realm, object, &kClass), ssl_(std::move(ssl)), is_server_(is_server) {
  SSL_set_ex_data(ssl_.get(), ConnectionIndex(), this);
}

// new Connection(secureContext, isServer)
void Connection::New(const Info& info) {
  Js js(info);
  auto* context = Wrap::From<SecureContext>(info[0]);
  if (!info.IsConstructCall() || context == nullptr) return js.ThrowTypeError("Connection needs a SecureContext");
  ClearErrors();
  bool is_server = info[1]->IsTrue();
  SSL_CTX_sess_set_new_cb(context->ctx(), &OnNewSession);
  Ssl ssl(SSL_new(context->ctx()));
  if (ssl == nullptr) return crypto::ThrowQueued(js, "SSL_new failed");
  SSL_set_info_callback(ssl.get(), &OnInfo);
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  BIO_set_mem_eof_return(in, -1);
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(ssl.get(), in, out);
  if (is_server) {
    SSL_set_accept_state(ssl.get());
  } else {
    SSL_set_connect_state(ssl.get());
  }
  new Connection(js, info.This(), std::move(ssl), is_server);
}

void Connection::Note(const char* kind, std::string bytes, std::string extra) {
  events_.push_back({kind, std::move(bytes), std::move(extra)});
}

// events(): [kind, bytes, extra, kind, ...] since the last call, or undefined.
void Connection::Events(Js& js, const Info& info) {
  if (events_.empty()) return;
  std::vector<Event> events = std::move(events_);
  events_.clear();
  v8::Local<v8::Array> list = v8::Array::New(js.isolate, static_cast<int>(events.size() * 3));
  uint32_t index = 0;
  for (const Event& event : events) {
    js.Set(list, index++, js.Name(event.kind));
    js.Set(list, index++, ToBuffer(js, event.bytes));
    js.Set(list, index++, ToBuffer(js, event.extra));
  }
  info.GetReturnValue().Set(list);
}

void Connection::Feed(Js& js, const Info& info) {
  BytesArg bytes(js.isolate, info[0]);
  BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
}

// True, with the exception pending, if the step went wrong; waiting for more bytes is not wrong.
bool Connection::Failed(Js& js, int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
    case SSL_ERROR_WANT_X509_LOOKUP:
    case SSL_ERROR_WANT_CLIENT_HELLO_CB:
    case SSL_ERROR_ZERO_RETURN:
      return false;
    default:
      js.isolate->ThrowException(SslError(js, "TLS failure"));
      return true;
  }
}

// handshake(): true when it is complete.
void Connection::Handshake(Js& js, const Info& info) {
  ClearErrors();
  if (SSL_is_init_finished(ssl_.get())) return info.GetReturnValue().Set(true);
  v8::TryCatch catcher(js.isolate);
  int result = SSL_do_handshake(ssl_.get());
  // A callback of the program's threw: its error is the reason.
  if (catcher.HasCaught()) {
    ClearErrors();
    catcher.ReThrow();
    return;
  }
  if (result == 1) return info.GetReturnValue().Set(true);
  if (Failed(js, result)) {
    catcher.ReThrow();
    return;
  }
  info.GetReturnValue().Set(false);
}

// read(): a Buffer of plain text, null once the peer has said that there is no more, undefined while there is none.
void Connection::Read(Js& js, const Info& info) {
  ClearErrors();
  constexpr int kRecord = 16 * 1024;
  unsigned char record[kRecord];
  int size = SSL_read(ssl_.get(), record, kRecord);
  if (size > 0) {
    v8::Local<v8::Object> buffer;
    if (MakeBuffer(js, std::span<const uint8_t>(record, static_cast<size_t>(size))).ToLocal(&buffer)) {
      info.GetReturnValue().Set(buffer);
    }
    return;
  }
  int error = SSL_get_error(ssl_.get(), size);
  // A fatal alert counts as received shutdown too, and is an error.
  bool ended = error != SSL_ERROR_SSL && (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  if (error == SSL_ERROR_ZERO_RETURN || ended) {
    return info.GetReturnValue().SetNull();
  }
  (void)Failed(js, size);
}

// write(bytes): how many were taken; 0 while a handshake is under way.
void Connection::Write(Js& js, const Info& info) {
  ClearErrors();
  BytesArg bytes(js.isolate, info[0]);
  if (bytes.size() == 0) return info.GetReturnValue().Set(0);
  size_t done = 0;
  while (done < bytes.size()) {
    size_t piece = std::min<size_t>(bytes.size() - done, 1 << 30);
    int result = SSL_write(ssl_.get(), bytes.data() + done, static_cast<int>(piece));
    if (result <= 0) {
      if (Failed(js, result)) return;
      break;
    }
    done += static_cast<size_t>(result);
  }
  info.GetReturnValue().Set(static_cast<double>(done));
}

// drain(): what is to be sent, or undefined.
void Connection::Drain(Js& js, const Info& info) {
  BIO* out = SSL_get_wbio(ssl_.get());
  size_t size = BIO_ctrl_pending(out);
  if (size == 0) return;
  uint8_t* data = nullptr;
  v8::Local<v8::Object> buffer;
  if (!MakeBuffer(js, size, &data).ToLocal(&buffer)) return;
  BIO_read(out, data, static_cast<int>(size));
  info.GetReturnValue().Set(buffer);
}

void Connection::Shutdown(Js&, const Info&) {
  ClearErrors();
  SSL_shutdown(ssl_.get());
  ClearErrors();
}

// --- before and during the handshake ---

void Connection::SetServername(Js& js, const Info& info) {
  SSL_set_tlsext_host_name(ssl_.get(), OwnBytes(js.isolate, info[0]).c_str());
}

void Connection::GetServername(Js& js, const Info& info) {
  const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  if (name != nullptr) return info.GetReturnValue().Set(js.Str(name));
  info.GetReturnValue().Set(false);
}

void Connection::SetSession(Js& js, const Info& info) {
  std::string bytes = OwnBytes(js.isolate, info[0]);
  const unsigned char* at = crypto::BytePointer(bytes);
  std::unique_ptr<SSL_SESSION, crypto::FreeWith<&SSL_SESSION_free>> session(
      d2i_SSL_SESSION(nullptr, &at, static_cast<long>(bytes.size())));
  ClearErrors();
  if (session == nullptr) return;  // what is no session is none: a full handshake
  if (SSL_set_session(ssl_.get(), session.get()) != 1) js.ThrowError("SSL_set_session error");
}

// setALPN(protocols in wire form, ask): `ask` of a server means that onalpn of the wrapper decides.
void Connection::SetAlpn(Js& js, const Info& info) {
  alpn_ = OwnBytes(js.isolate, info[0]);
  asks_alpn_ = info[1]->IsTrue();
  if (!is_server_) {
    SSL_set_alpn_protos(ssl_.get(), crypto::BytePointer(alpn_), static_cast<unsigned>(alpn_.size()));
  } else {
    SSL_CTX_set_alpn_select_cb(SSL_get_SSL_CTX(ssl_.get()), &OnSelectAlpn, nullptr);
  }
}

v8::MaybeLocal<v8::Value> Connection::Ask(const char* method, int argc, v8::Local<v8::Value>* argv) {
  Js js(realm());
  v8::Local<v8::Value> function;
  if (!js.Get(object(), method).ToLocal(&function) || !function->IsFunction()) return {};
  return function.As<v8::Function>()->Call(js.context, object(), argc, argv);
}

int Connection::SelectAlpn(const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                           unsigned in_size) {
  if (asks_alpn_) {
    Js js(realm());
    v8::Local<v8::Value> argument = ToBuffer(js, std::string(reinterpret_cast<const char*>(in), in_size));
    v8::Local<v8::Value> answer;
    if (!Ask("onalpn", 1, &argument).ToLocal(&answer)) return SSL_TLSEXT_ERR_ALERT_FATAL;
    if (!answer->IsNumber()) return SSL_TLSEXT_ERR_ALERT_FATAL;
    // The answer is where the chosen protocol's length stands.
    auto at = static_cast<unsigned>(answer.As<v8::Number>()->Value());
    if (at >= in_size || at + 1 + in[at] > in_size) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = in + at + 1;
    *out_size = in[at];
    return SSL_TLSEXT_ERR_OK;
  }
  if (alpn_.empty()) return SSL_TLSEXT_ERR_NOACK;
  int status = SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, crypto::BytePointer(alpn_),
                                     static_cast<unsigned>(alpn_.size()), in, in_size);
  // RFC 7301, section 3.2: no protocol in common ends the connection.
  return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// setVerify(ask, insist): whether a certificate is asked for, and whether none ends the handshake. Whether it is a good
// one is JavaScript's to say, after the handshake.
void Connection::SetVerify(Js&, const Info& info) {
  int mode = SSL_VERIFY_NONE;
  if (!is_server_) {
    mode = SSL_VERIFY_PEER;
  } else if (info[0]->IsTrue()) {
    mode = SSL_VERIFY_PEER;
    if (info[1]->IsTrue()) mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  SSL_set_verify(ssl_.get(), mode, [](int, X509_STORE_CTX*) { return 1; });
}

void Connection::SetContext(Js& js, const Info& info) {
  auto* context = Wrap::From<SecureContext>(info[0]);
  if (context == nullptr) return js.ThrowTypeError("Not a SecureContext");
  if (!alpn_.empty() || asks_alpn_) SSL_CTX_set_alpn_select_cb(context->ctx(), &OnSelectAlpn, nullptr);
  SSL_CTX_sess_set_new_cb(context->ctx(), &OnNewSession);
  SSL_set_SSL_CTX(ssl_.get(), context->ctx());
  // Authorities are not carried over by OpenSSL.
  SSL_set1_verify_cert_store(ssl_.get(), SSL_CTX_get_cert_store(context->ctx()));
  const STACK_OF(X509_NAME)* names = SSL_CTX_get_client_CA_list(context->ctx());
  SSL_set_client_CA_list(ssl_.get(), SSL_dup_CA_list(names));
}

// waitForHello(): of a server. The handshake stops at a hello that asks for a session by its id ("hello" in events)
// until resumeSession has been called.
void Connection::WaitForHello(Js&, const Info&) {
  waits_for_hello_ = true;
  SSL_CTX* ctx = SSL_get_SSL_CTX(ssl_.get());
  SSL_CTX_set_client_hello_cb(ctx, &OnHello, nullptr);
  SSL_CTX_sess_set_get_cb(ctx, &OnGetSession);
}

int Connection::HelloArrived() {
  if (!waits_for_hello_) return SSL_CLIENT_HELLO_SUCCESS;
  if (hello_told_) return SSL_CLIENT_HELLO_RETRY;
  const unsigned char* id = nullptr;
  size_t size = SSL_client_hello_get0_session_id(ssl_.get(), &id);
  const unsigned char* ticket = nullptr;
  size_t ticket_size = 0;
  SSL_client_hello_get0_ext(ssl_.get(), TLSEXT_TYPE_session_ticket, &ticket, &ticket_size);
  // A ticket carries its session itself.
  if (size == 0 || ticket_size > 0) return SSL_CLIENT_HELLO_SUCCESS;
  hello_told_ = true;
  Note("hello", std::string(reinterpret_cast<const char*>(id), size));
  return SSL_CLIENT_HELLO_RETRY;
}

// resumeSession(bytes | undefined): the answer to "hello"; what is no session leads to a full handshake.
void Connection::ResumeSession(Js& js, const Info& info) {
  waits_for_hello_ = false;
  if (crypto::IsNothing(info[0])) return;
  std::string bytes = OwnBytes(js.isolate, info[0]);
  const unsigned char* at = crypto::BytePointer(bytes);
  resumed_.reset(d2i_SSL_SESSION(nullptr, &at, static_cast<long>(bytes.size())));
  ClearErrors();
}

// waitForCertificate(on): the handshake of a server stops before its certificate is chosen ("certificate" in events)
// until this is called with false.
void Connection::WaitForCertificate(Js&, const Info& info) {
  waits_for_certificate_ = info[0]->IsTrue();
  if (waits_for_certificate_) SSL_set_cert_cb(ssl_.get(), &OnCertificate, nullptr);
}

int Connection::CertificateNeeded() {
  if (!waits_for_certificate_) return 1;
  if (!certificate_asked_) {
    certificate_asked_ = true;
    Note("certificate", std::string(1, SSL_get_tlsext_status_type(ssl_.get()) == TLSEXT_STATUSTYPE_ocsp ? '1' : '0'));
  }
  return -1;
}

void Connection::RequestOcsp(Js&, const Info&) {
  SSL_set_tlsext_status_type(ssl_.get(), TLSEXT_STATUSTYPE_ocsp);
  SSL_CTX_set_tlsext_status_cb(SSL_get_SSL_CTX(ssl_.get()), &OnOcsp);
}

void Connection::SetOcspResponse(Js& js, const Info& info) {
  ocsp_response_ = OwnBytes(js.isolate, info[0]);
  SSL_CTX_set_tlsext_status_cb(SSL_get_SSL_CTX(ssl_.get()), &OnOcsp);
}

int Connection::OcspAsked() {
  if (!is_server_) {
    const unsigned char* response = nullptr;
    long size = SSL_get_tlsext_status_ocsp_resp(ssl_.get(), &response);
    Note("ocsp", size > 0 ? std::string(reinterpret_cast<const char*>(response), static_cast<size_t>(size)) : "");
    return 1;
  }
  if (ocsp_response_.empty()) return SSL_TLSEXT_ERR_NOACK;
  void* copy = OPENSSL_memdup(ocsp_response_.data(), ocsp_response_.size());
  SSL_set_tlsext_status_ocsp_resp(ssl_.get(), copy, static_cast<long>(ocsp_response_.size()));
  return SSL_TLSEXT_ERR_OK;
}

// setPSK(hint | undefined): onpsk of the wrapper gives identity and key.
void Connection::SetPsk(Js& js, const Info& info) {
  if (is_server_) {
    SSL_set_psk_server_callback(ssl_.get(), &OnPskServer);
    if (!crypto::IsNothing(info[0]) &&
        SSL_use_psk_identity_hint(ssl_.get(), OwnBytes(js.isolate, info[0]).c_str()) != 1) {
      ClearErrors();
      js.Throw("ERR_TLS_PSK_SET_IDENTITY_HINT_FAILED");
    }
  } else {
    SSL_set_psk_client_callback(ssl_.get(), &OnPskClient);
  }
}

unsigned Connection::PskOfClient(const char* hint, char* identity, unsigned identity_max, unsigned char* psk,
                                 unsigned psk_max) {
  Js js(realm());
  v8::Local<v8::Value> argv[] = {hint == nullptr ? v8::Local<v8::Value>(js.Null()) : js.Str(hint), js.Uint(psk_max),
                                 js.Uint(identity_max)};
  v8::Local<v8::Value> answer, key, name;
  if (!Ask("onpsk", 3, argv).ToLocal(&answer) || !answer->IsObject()) return 0;
  if (!js.Get(answer.As<v8::Object>(), "psk").ToLocal(&key) ||
      !js.Get(answer.As<v8::Object>(), "identity").ToLocal(&name)) {
    return 0;
  }
  std::string key_bytes = OwnBytes(js.isolate, key), name_bytes = OwnBytes(js.isolate, name);
  if (key_bytes.size() > psk_max || name_bytes.size() >= identity_max) return 0;
  std::memcpy(identity, name_bytes.c_str(), name_bytes.size() + 1);
  std::memcpy(psk, key_bytes.data(), key_bytes.size());
  return static_cast<unsigned>(key_bytes.size());
}

unsigned Connection::PskOfServer(const char* identity, unsigned char* psk, unsigned psk_max) {
  Js js(realm());
  v8::Local<v8::Value> argv[] = {js.Str(identity), js.Uint(psk_max)};
  v8::Local<v8::Value> key;
  if (!Ask("onpsk", 2, argv).ToLocal(&key) || !BytesOf(key)) return 0;
  std::string bytes = OwnBytes(js.isolate, key);
  if (bytes.size() > psk_max) return 0;
  std::memcpy(psk, bytes.data(), bytes.size());
  return static_cast<unsigned>(bytes.size());
}

void Connection::SetKeylog(Js&, const Info&) { SSL_CTX_set_keylog_callback(SSL_get_SSL_CTX(ssl_.get()), &OnKeylog); }

void Connection::SetMaxFragment(Js&, const Info& info) {
  info.GetReturnValue().Set(SSL_set_max_send_fragment(ssl_.get(), static_cast<size_t>(IntArg(info, 0))) == 1);
  ClearErrors();
}

namespace {

constexpr NativeFunction kMethods[] = {
    RawMethod<&Connection::Feed>("feed"),
    RawMethod<&Connection::Handshake>("handshake"),
    RawMethod<&Connection::Read>("read"),
    RawMethod<&Connection::Write>("write"),
    RawMethod<&Connection::Drain>("drain"),
    RawMethod<&Connection::Shutdown>("shutdown"),
    RawMethod<&Connection::Events>("events"),
    RawMethod<&Connection::SetServername>("setServername"),
    RawMethod<&Connection::GetServername>("getServername"),
    RawMethod<&Connection::SetSession>("setSession"),
    RawMethod<&Connection::SetAlpn>("setALPN"),
    RawMethod<&Connection::SetVerify>("setVerify"),
    RawMethod<&Connection::SetContext>("setContext"),
    RawMethod<&Connection::WaitForHello>("waitForHello"),
    RawMethod<&Connection::ResumeSession>("resumeSession"),
    RawMethod<&Connection::WaitForCertificate>("waitForCertificate"),
    RawMethod<&Connection::RequestOcsp>("requestOCSP"),
    RawMethod<&Connection::SetOcspResponse>("setOCSPResponse"),
    RawMethod<&Connection::SetPsk>("setPSK"),
    RawMethod<&Connection::SetKeylog>("setKeylog"),
    RawMethod<&Connection::SetMaxFragment>("setMaxSendFragment"),
    RawMethod<&Connection::VerifyError>("verifyError"),
    RawMethod<&Connection::Certificate>("getCertificate"),
    RawMethod<&Connection::X509>("getX509"),
    RawMethod<&Connection::Cipher>("getCipher"),
    RawMethod<&Connection::Protocol>("getProtocol"),
    RawMethod<&Connection::AlpnProtocol>("getALPN"),
    RawMethod<&Connection::Session>("getSession"),
    RawMethod<&Connection::Ticket>("getTicket"),
    RawMethod<&Connection::SessionReused>("isSessionReused"),
    RawMethod<&Connection::Finished>("getFinished"),
    RawMethod<&Connection::EphemeralKey>("getEphemeralKeyInfo"),
    RawMethod<&Connection::SharedSigalgs>("getSharedSigalgs"),
    RawMethod<&Connection::ExportKeyingMaterial>("exportKeyingMaterial"),
    RawMethod<&Connection::Renegotiate>("renegotiate"),
};

}  // namespace

const NativeClass Connection::kClass = {.name = "TlsConnection", .construct = &Connection::New, .methods = kMethods};

}  // namespace gyre::tls
