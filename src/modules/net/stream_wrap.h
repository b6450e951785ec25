// StreamWrap: what JavaScript sees of the loop's streams: TCP, Pipe and (in modules/tty) TTY.
//
// Thread: the isolate's. Owner: the JavaScript object; pinned from construction to the end of close(), as an open
// connection lives on without being referenced. Invariants: methods return 0 or a positive word of success, or a
// negative errno, and never throw for what the kernel says; requests in flight are told once, with ECANCELED if the
// stream closes under them; after the realm is gone nothing here runs JavaScript.
#ifndef GYRE_MODULES_NET_STREAM_WRAP_H_
#define GYRE_MODULES_NET_STREAM_WRAP_H_

#include <memory>

#include "base/intrusive_list.h"
#include "bridge/module.h"
#include "loop/pipe.h"
#include "loop/tcp.h"

namespace gyre::modules {

class StreamWrap;
extern const NativeModule kNetModule;

/// A connect(), shutdown() or queued write: the JavaScript request object and the context it was made in. Kept by the
/// loop's operation; `wrap` becomes null when the wrapper dies first.
class StreamRequest : public base::ListNode<StreamRequest> {
 public:
  /// `type` is async_hooks' name of the request.
  StreamRequest(StreamWrap& wrap, Js& js, v8::Local<v8::Value> object, const char* type);
  /// Calls request.oncomplete(status) once.
  void Complete(const Result<void>& result);

 private:
  friend class StreamWrap;
  StreamWrap* wrap_;
  v8::Global<v8::Value> object_;
  bridge::AsyncContext context_;
};

/// Takes accepted connections before JavaScript sees them: the HTTP server core.
class Acceptor {
 public:
  /// Takes `fd`, or leaves it alone and returns false.
  virtual bool Accept(base::OwnedFd& fd) = 0;

 protected:
  ~Acceptor() = default;
};

class StreamWrap : public Wrap, public base::ListNode<StreamWrap>, private loop::StreamObserver, private loop::ListenObserver {
 public:
  static const NativeClass kClass;
  ~StreamWrap() override;

  // --- methods seen by JavaScript ---
  int ReadStart(Js& js);
  int ReadStop(Js& js);
  void WriteBuffer(Js& js, const Info& info);
  void WriteUtf8String(Js& js, const Info& info);
  void WriteLatin1String(Js& js, const Info& info);
  void Writev(Js& js, const Info& info);
  int Shutdown(Js& js, v8::Local<v8::Value> request);
  int Listen(Js& js, int backlog);
  int SetBlocking(Js& js, bool on);
  void Close(Js& js, const Info& info);
  void Ref(Js& js);
  void Unref(Js& js);
  bool HasRef(Js& js);
  int Fd(Js& js);
  int TakeFd(Js& js);
  double GetAsyncId(Js&) { return context_.async_id(); }
  double BytesRead(Js& js);
  double BytesWritten(Js& js);
  double WriteQueueSize(Js& js);

  /// What process.getActiveResourcesInfo() calls it.
  virtual const char* ResourceName() const = 0;
  loop::StreamHandle& stream() { return *stream_; }
  /// Null to take it away; it must be taken away before it ends.
  void SetAcceptor(Acceptor* acceptor) { acceptor_ = acceptor; }

 protected:
  /// `type` is async_hooks' name of the handle.
  StreamWrap(Realm& realm, v8::Local<v8::Object> object, const NativeClass* tag, const char* type);
  /// Called once by the derived constructor.
  void SetStream(loop::StreamHandle* stream) { stream_ = stream; }
  /// Makes the wrapper of an accepted connection; empty when that failed, with `*error` set.
  virtual v8::MaybeLocal<v8::Object> WrapConnection(Js& js, base::OwnedFd fd, int* error);
  virtual Result<void> StartListening(int backlog, loop::ListenObserver* observer) {
    return stream_->Listen(backlog, observer);
  }

  /// The callback of an operation on `request`.
  loop::DoneCallback Done(Js& js, v8::Local<v8::Value> request, const char* type);
  loop::CloseCallback OnClosed(Js& js, v8::Local<v8::Value> callback);

 private:
  friend class StreamRequest;
  class PendingWrite;

  void OnData(loop::StreamHandle& stream, std::span<const uint8_t> data) override;
  void OnEnd(loop::StreamHandle& stream) override;
  void OnReadError(loop::StreamHandle& stream, const Error& error) override;
  void OnConnection(loop::StreamHandle& listener, base::OwnedFd fd) override;
  void OnAcceptError(loop::StreamHandle& listener, const Error& error) override;

  void DeliverStatus(int status);
  /// The three ways that a write can go; see the class comment for what is returned.
  int WriteBytes(Js& js, v8::Local<v8::Value> request, std::span<const uint8_t> bytes, v8::Local<v8::Value> owner);
  int WriteCopied(Js& js, const Info& info, std::span<const uint8_t> bytes);
  int QueueWrite(Js& js, v8::Local<v8::Value> request, std::unique_ptr<PendingWrite> write);
  int FinishBlocking(std::span<const uint8_t> bytes);
  bool WritesBlock() const { return blocking_writes_ && stream_->write_queue_size() == 0; }

  Acceptor* acceptor_ = nullptr;
  loop::StreamHandle* stream_ = nullptr;  // owned by the derived class
  bridge::AsyncContext context_;
  base::IntrusiveList<StreamRequest> requests_;
  /// Shared with close callbacks, which may run after this is gone.
  std::shared_ptr<StreamWrap*> self_;
  bool blocking_writes_ = false;
};

/// The streams of a realm that are not closed, for process.getActiveResourcesInfo().
struct OpenStreams {
  explicit OpenStreams(Realm&) {}
  base::IntrusiveList<StreamWrap> list;
};

class TcpWrap final : public StreamWrap {
 public:
  static const NativeClass kClass;
  enum class Role : uint8_t { kSocket, kServer };
  TcpWrap(Realm& realm, v8::Local<v8::Object> object, Role role);
  const char* ResourceName() const override;

  int Open(Js& js, int fd);
  int Bind(Js& js, std::string address, int port, int flags);
  int Connect(Js& js, v8::Local<v8::Value> request, std::string address, int port);
  int SetNoDelay(Js& js, bool on);
  int SetKeepAlive(Js& js, bool on, int delay);
  int Reset(Js& js, v8::Local<v8::Value> callback);
  int GetSockName(Js& js, v8::Local<v8::Object> out);
  int GetPeerName(Js& js, v8::Local<v8::Object> out);
  Result<void> Adopt(base::OwnedFd fd);

 private:
  v8::MaybeLocal<v8::Object> WrapConnection(Js& js, base::OwnedFd fd, int* error) override;
  /// A port in use is told here, not by Bind().
  Result<void> StartListening(int backlog, loop::ListenObserver* observer) override {
    return tcp_->Listen(backlog, observer);
  }
  loop::HandlePtr<loop::TcpHandle> tcp_;
};

class PipeWrap final : public StreamWrap {
 public:
  static const NativeClass kClass;
  enum class Role : uint8_t { kSocket, kServer, kIpc };
  PipeWrap(Realm& realm, v8::Local<v8::Object> object, Role role);
  const char* ResourceName() const override { return "PipeWrap"; }

  int Open(Js& js, int fd);
  int BindPath(Js& js, std::string path);
  int ConnectPath(Js& js, v8::Local<v8::Value> request, std::string path);
  int Fchmod(Js& js, int mode);
  Result<void> Adopt(base::OwnedFd fd);

 private:
  v8::MaybeLocal<v8::Object> WrapConnection(Js& js, base::OwnedFd fd, int* error) override;
  loop::HandlePtr<loop::PipeHandle> pipe_;
};

/// 0 or the negative errno of a result.
inline int Status(const Result<void>& result) { return result.has_value() ? 0 : -result.error().err; }

/// Fills { address, family: 'IPv4' | 'IPv6', port }.
bool PutAddress(Js& js, v8::Local<v8::Object> out, const sys::SocketAddress& address);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_NET_STREAM_WRAP_H_
