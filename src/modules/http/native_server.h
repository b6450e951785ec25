// The isolate as the sink of the HTTP server core: requests become one call into JavaScript each, answers one call out.
//
// NativeServer stands behind an http.Server that listens on a native handle; HttpConnection behind each of its
// connections from its first request on. The JavaScript half is native_server.js.
//
// Thread: the isolate's. Owner: the JavaScript objects; NativeServer is pinned while it is attached or has connections,
// an HttpConnection while its connection is open.
#ifndef GYRE_MODULES_HTTP_NATIVE_SERVER_H_
#define GYRE_MODULES_HTTP_NATIVE_SERVER_H_

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "bridge/module.h"
#include "http/server.h"
#include "modules/net/stream_wrap.h"

namespace gyre::modules {

class HttpConnectionWrap;
class NativeServerWrap;

/// What the JavaScript half registers, and strings that recur.
struct HttpState {
  explicit HttpState(Realm&) {}

  enum Callback : uint32_t { kOnAccept, kOnConnection, kOnRequest, kOnBody, kOnRequestEnd, kOnUpgrade, kOnParseError, kOnRaw, kOnPeerEnd,
                             kOnError, kOnDrained, kOnIdle, kOnClosed, kCallbackCount };
  std::array<v8::Global<v8::Function>, kCallbackCount> callbacks;
  /// Those that exist, so that what was answered can go out before the process ends.
  std::vector<NativeServerWrap*> servers;

  /// A string for `text`: the same one again for what recurs, such as the paths of an API.
  v8::Local<v8::String> Recurring(Js& js, std::string_view text);
  v8::Local<v8::String> Method(Js& js, codec::http1::Method method);
  /// See TurnFields.
  uint32_t* turns(Realm& realm) {
    if (turns_ == nullptr) {
      turns_ = realm.SharedField<uint32_t>("http_turns", 2);
      turns_[1] = 1;
    }
    return turns_;
  }

 private:
  uint32_t* turns_ = nullptr;
  struct Entry {
    uint64_t seen = 0;  // hash of what was last asked for here
    std::string text;
    v8::Global<v8::String> string;
  };
  static constexpr size_t kEntries = 256;
  std::unique_ptr<std::array<Entry, kEntries>> recurring_;
  std::array<v8::Global<v8::String>, static_cast<size_t>(codec::http1::Method::kCount)> methods_;
};

/// A part of a file on its way out; calls back with the errno that ended it early (of the file or the connection), or 0,
/// and the bytes sent. Owner: the loop's stream; the HttpConnection in whose list it is lives as long.
class FileWrite final : public http::OwnedWrite, public base::ListNode<FileWrite> {
 public:
  FileWrite(Js& js, v8::Local<v8::Object> owner, v8::Local<v8::Function> callback);
  /// The realm ends: nobody is called.
  void Forget();

 private:
  void Ended(const Result<void>& result) override;

  Realm* realm_;
  v8::Global<v8::Object> owner_;
  v8::Global<v8::Function> callback_;
  bridge::AsyncContext context_;
};

class NativeServerWrap final : public Wrap, public Acceptor, private http::Sink {
 public:
  static const NativeClass kClass;
  /// new NativeServer(owner): `owner` is the http.Server, the receiver of the callbacks.
  NativeServerWrap(Js& js, v8::Local<v8::Object> object, v8::Local<v8::Object> owner);
  ~NativeServerWrap() override;

  // --- methods seen by JavaScript ---
  bool Attach(Js& js, v8::Local<v8::Value> handle);
  void Detach(Js& js, v8::Local<v8::Value> handle);
  void Configure(Js& js, const Info& info);
  /// The connections whose requests take longer than allowed; each request once.
  v8::Local<v8::Array> Expired(Js& js, double head_ms, double request_ms);
  /// Those of the closed connections that JavaScript knows.
  v8::Local<v8::Array> CloseConnections(Js& js, bool idle_only);

  bool Accept(base::OwnedFd& fd) override;
  http::Server& core() { return core_; }
  uint32_t keep_alive_seconds() const { return keep_alive_seconds_; }

 private:
  friend class HttpConnectionWrap;
  void BeginTurn(http::Connection& connection) override;
  void EndTurn(http::Connection& connection) override;
  http::Verdict OnRequest(http::Connection& connection, const codec::http1::Head& head) override;
  void OnBody(http::Connection& connection, std::string_view piece) override;
  void OnRequestEnd(http::Connection& connection, const codec::http1::FieldBlock& trailers) override;
  void OnUpgrade(http::Connection& connection, std::string_view rest) override;
  void OnParseError(http::Connection& connection, std::string_view packet, size_t parsed) override;
  void OnRawInput(http::Connection& connection, std::string_view input) override;
  void OnPeerEnd(http::Connection& connection) override;
  void OnReadError(http::Connection& connection, const Error& error) override;
  void OnDrained(http::Connection& connection) override;
  void OnWriteError(http::Connection& connection, const Error& error) override;
  void OnIdle(http::Connection& connection) override;
  void OnClosed(http::Connection& connection) override;

  /// The scope of the present turn, made when the first event needs it; null if JavaScript may not be entered.
  Js* Enter();
  void AfterCallback(Js& js);
  v8::Local<v8::Value> ObjectOf(Js& js, http::Connection& connection);
  v8::MaybeLocal<v8::Value> Tell(Js& js, HttpState::Callback which, int argc, v8::Local<v8::Value>* argv);
  void TellPlain(http::Connection& connection, HttpState::Callback which);
  void TellError(http::Connection& connection, v8::Local<v8::Value> error);
  void UpdatePin();

  http::Server core_;
  http::Server::Transport transport_ = http::Server::Transport::kTcp;
  bridge::AsyncContext context_;
  std::optional<bridge::JsScope> scope_;
  int turns_ = 0;
  uint32_t keep_alive_seconds_ = 5;
  bool attached_ = false;
  bool pinned_ = false;
};

class HttpConnectionWrap final : public Wrap {
 public:
  static const NativeClass kClass;
  HttpConnectionWrap(Js& js, v8::Local<v8::Object> object, NativeServerWrap& server, http::Connection& connection);
  ~HttpConnectionWrap() override;

  // --- methods seen by JavaScript; all are safe after the connection closed ---
  void Respond(Js& js, const Info& info);
  void WriteData(Js& js, const Info& info);
  void SendFile(Js& js, const Info& info);
  void AnswerDone(Js& js, bool close);
  void Flush(Js& js);
  void Pause(Js& js);
  void Resume(Js& js);
  void SetRawInput(Js& js, bool on);
  void Inject(Js& js, std::string bytes);
  void Close(Js& js);
  void CloseSoon(Js& js);
  void Reset(Js& js);
  void Shutdown(Js& js);
  void HandOver(Js& js, const Info& info);
  int GetPeerName(Js& js, v8::Local<v8::Object> out);
  int GetSockName(Js& js, v8::Local<v8::Object> out);
  int SetNoDelay(Js& js, bool on);
  int SetKeepAlive(Js& js, bool on, int delay);
  void Ref(Js& js);
  void Unref(Js& js);
  bool HasRef(Js& js);
  int Fd(Js& js);
  double BytesRead(Js& js);
  double BytesWritten(Js& js);
  double WriteQueueSize(Js& js);
  bool IsTcp(Js& js);

  /// The same string again while requests come with the same header block, as they do from one client.
  v8::Local<v8::String> BlockString(Js& js, std::string_view block);

 private:
  friend class NativeServerWrap;
  void AppendBody(Js& js, v8::Local<v8::Value> body, int flags);
  void AppendUtf8(Js& js, v8::Local<v8::String> text, size_t size);
  void AppendText(Js& js, v8::Local<v8::String> text);
  void AppendBuffer(Js& js, v8::Local<v8::Value> buffer, std::span<const uint8_t> bytes);

  NativeServerWrap* server_;
  http::Connection* connection_;
  uint64_t expired_start_ = 0;  // when the last request began that took too long
  std::string block_;
  v8::Global<v8::String> block_string_;
  base::IntrusiveList<FileWrite> file_writes_;
};

/// Header field lines, parsed once more: [name, value, ...].
void ParseHeaderBlock(const Info& info);
void TurnFields(const Info& info);
/// Writes what was answered in this turn: the process is about to end.
void FlushHttpAnswers(Realm& realm);
/// setServerCallbacks([functions in the order of HttpState::Callback])
void SetServerCallbacks(const Info& info);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_HTTP_NATIVE_SERVER_H_
