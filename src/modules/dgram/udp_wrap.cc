// The native half of node:dgram: UDP, a datagram socket of the loop.
//
// Thread: the isolate's. Owner: the JavaScript object, pinned from construction to the end of close(). Methods return 0
// or a negative errno; send() returns the bytes sent plus one when the kernel took the datagram at once, 0 when it waits.

#include <sys/socket.h>

#include <cerrno>
#include <memory>

#include "bridge/module.h"
#include "loop/udp.h"
#include "modules/net/net_state.h"
#include "modules/net/stream_wrap.h"

namespace gyre::modules {

namespace {

// Flags of bind(), with libuv's values.
constexpr int kIpv6Only = 1;
constexpr int kReuseAddress = 4;
constexpr int kReusePort = 8;

struct DgramState {
  explicit DgramState(Realm&) {}
  v8::Global<v8::Function> on_message;
  v8::Global<v8::Function> on_complete;
};

class UdpWrap;

/// The sockets of a realm that are not closed.
struct OpenSockets {
  explicit OpenSockets(Realm&) {}
  base::IntrusiveList<UdpWrap> list;
};

class UdpWrap final : public Wrap, public base::ListNode<UdpWrap>, private loop::UdpObserver {
 public:
  static const NativeClass kClass;
  UdpWrap(Realm& realm, v8::Local<v8::Object> object)
      : Wrap(realm, object, &kClass),
        udp_(loop::UdpHandle::Create(realm.loop())),
        context_(bridge::AsyncContext::Current(realm.isolate(), "UDPWRAP", object)),
        self_(std::make_shared<UdpWrap*>(this)) {
    Pin();
    realm.Slot<OpenSockets>().list.PushBack(this);
  }
  ~UdpWrap() override { *self_ = nullptr; }

  int Open(Js&, int fd);
  int Bind(Js&, std::string address, int port, int flags);
  int Connect(Js&, std::string address, int port);
  int Disconnect(Js&) { return Closed() ? -EBADF : Status(udp_->Disconnect()); }
  /// send(request, buffers[, port, address])
  void Send(Js& js, const Info& info);
  int RecvStart(Js&) { return Closed() ? -EBADF : Status(udp_->ReceiveStart(this)); }
  int RecvStop(Js&) {
    if (!Closed()) udp_->ReceiveStop();
    return 0;
  }
  int GetSockName(Js& js, v8::Local<v8::Object> out) { return PutName(js, out, &loop::UdpHandle::LocalAddress); }
  int GetPeerName(Js& js, v8::Local<v8::Object> out) { return PutName(js, out, &loop::UdpHandle::PeerAddress); }
  int AddMembership(Js&, std::string group, std::string interface) {
    return Membership(group, interface, loop::UdpHandle::Membership::kJoin);
  }
  int DropMembership(Js&, std::string group, std::string interface) {
    return Membership(group, interface, loop::UdpHandle::Membership::kLeave);
  }
  int AddSourceMembership(Js&, std::string source, std::string group, std::string interface) {
    return SourceMembership(source, group, interface, loop::UdpHandle::Membership::kJoin);
  }
  int DropSourceMembership(Js&, std::string source, std::string group, std::string interface) {
    return SourceMembership(source, group, interface, loop::UdpHandle::Membership::kLeave);
  }
  int SetMulticastInterface(Js&, std::string interface) {
    return Closed() ? -EBADF : Status(udp_->SetMulticastInterface(interface));
  }
  int SetMulticastTtl(Js&, int ttl) { return Closed() ? -EBADF : Status(udp_->SetMulticastTtl(ttl)); }
  int SetMulticastLoopback(Js&, int on) { return Closed() ? -EBADF : Status(udp_->SetMulticastLoop(on != 0)); }
  int SetBroadcast(Js&, int on) { return Closed() ? -EBADF : Status(udp_->SetBroadcast(on != 0)); }
  int SetTtl(Js&, int ttl) { return Closed() ? -EBADF : Status(udp_->SetTtl(ttl)); }
  /// bufferSize(size, isReceive): the size in force, or a negative errno.
  int BufferSize(Js&, int size, bool receive);
  void Close(Js& js, const Info& info);
  void Ref(Js&) { udp_->Ref(); }
  void Unref(Js&) { udp_->Unref(); }
  bool HasRef(Js&) { return !Closed() && udp_->HasRef(); }
  int Fd(Js&) { return Closed() ? -EBADF : udp_->fd(); }
  double GetAsyncId(Js&) { return context_.async_id(); }
  double SendQueueSize(Js&) { return static_cast<double>(udp_->send_queue_size()); }
  double SendQueueCount(Js&) { return static_cast<double>(udp_->send_queue_count()); }

 private:
  class PendingSend;
  bool Closed() const { return udp_->IsClosing(); }
  int PutName(Js& js, v8::Local<v8::Object> out, Result<sys::SocketAddress> (loop::UdpHandle::*get)() const);
  int Membership(const std::string& group, const std::string& interface, loop::UdpHandle::Membership membership) {
    return Closed() ? -EBADF : Status(udp_->SetMembership(group, interface, membership));
  }
  int SourceMembership(const std::string& source, const std::string& group, const std::string& interface,
                       loop::UdpHandle::Membership membership) {
    return Closed() ? -EBADF : Status(udp_->SetSourceMembership(group, interface, source, membership));
  }
  void OnDatagram(loop::UdpHandle& udp, std::span<const uint8_t> data, const sys::SocketAddress& from,
                  bool truncated) override;
  void OnReceiveError(loop::UdpHandle& udp, const Error& error) override;
  void OnSent(v8::Global<v8::Value> request, bridge::AsyncContext context, const Result<size_t>& result);

  loop::HandlePtr<loop::UdpHandle> udp_;
  bridge::AsyncContext context_;
  std::shared_ptr<UdpWrap*> self_;
};

class UdpWrap::PendingSend final : public loop::SendOp {
 public:
  void OnDone(Result<size_t> result) override {
    if (*wrap != nullptr) (*wrap)->OnSent(std::move(request), std::move(context), result);
  }
  std::shared_ptr<UdpWrap*> wrap;
  v8::Global<v8::Value> request;
  bridge::AsyncContext context;
  std::vector<PinnedBuffer> pinned;
};

int UdpWrap::Open(Js&, int fd) {
  if (Closed()) return -EBADF;
  int type = 0;
  socklen_t size = sizeof(type);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return -errno;
  if (type != SOCK_DGRAM) return -EINVAL;
  return Status(udp_->Open(base::OwnedFd(fd)));
}

int UdpWrap::Bind(Js&, std::string address, int port, int flags) {
  if (Closed()) return -EBADF;
  auto target = sys::SocketAddress::FromIp(address, static_cast<uint16_t>(port));
  if (!target.has_value()) return -EINVAL;
  return Status(udp_->Bind(*target, {.ipv6_only = (flags & kIpv6Only) != 0,
                                     .reuse_address = (flags & kReuseAddress) != 0,
                                     .reuse_port = (flags & kReusePort) != 0}));
}

int UdpWrap::Connect(Js&, std::string address, int port) {
  if (Closed()) return -EBADF;
  auto target = sys::SocketAddress::FromIp(address, static_cast<uint16_t>(port));
  return target.has_value() ? Status(udp_->Connect(*target)) : -EINVAL;
}

void UdpWrap::Send(Js& js, const Info& info) {
  if (Closed()) return info.GetReturnValue().Set(-EBADF);
  if (!info[1]->IsArray()) return info.GetReturnValue().Set(-EINVAL);
  auto send = std::make_unique<PendingSend>();
  if (info.Length() > 3) {
    auto to = sys::SocketAddress::FromIp(js.Utf8(info[3]),
                                         static_cast<uint16_t>(info[2]->IsUint32() ? info[2].As<v8::Uint32>()->Value() : 0));
    if (!to.has_value()) return info.GetReturnValue().Set(-EINVAL);
    send->to = *to;
  }
  v8::Local<v8::Array> list = info[1].As<v8::Array>();
  for (uint32_t i = 0; i < list->Length(); i++) {
    v8::Local<v8::Value> value;
    if (!list->Get(js.context, i).ToLocal(&value)) return;
    std::optional<PinnedBuffer> pinned = PinnedBuffer::From(value);
    if (!pinned.has_value()) return info.GetReturnValue().Set(-EINVAL);
    send->AddBuffer(pinned->data(), pinned->size());
    send->pinned.push_back(std::move(*pinned));
  }
  if (Closed()) return info.GetReturnValue().Set(-EBADF);  // by a getter of the list
  if (udp_->send_queue_count() == 0) {
    Result<size_t> sent = udp_->TrySend(send->buffers(), info.Length() > 3 ? &send->to : nullptr);
    if (sent.has_value()) return info.GetReturnValue().Set(static_cast<double>(*sent + 1));
    if (sent.error().err != EAGAIN) return info.GetReturnValue().Set(-sent.error().err);
  }
  send->wrap = self_;
  send->request.Reset(js.isolate, info[0]);
  send->context = bridge::TriggeredBy(context_, js, "UDPSENDWRAP", info[0]);
  info.GetReturnValue().Set(Status(udp_->Send(std::move(send))));
}

void UdpWrap::OnSent(v8::Global<v8::Value> request, bridge::AsyncContext context, const Result<size_t>& result) {
  if (realm().terminating) return;
  bridge::JsScope scope(realm(), context);
  Js& js = scope.js();
  v8::Local<v8::Value> argv[] = {request.Get(js.isolate), js.Int(result.has_value() ? 0 : -result.error().err),
                                 js.Num(result.has_value() ? static_cast<double>(*result) : 0)};
  request.Reset();
  bridge::Call(js, realm().Slot<DgramState>().on_complete.Get(js.isolate), object(), 3, argv);
  context.EmitDestroy(realm());
}

int UdpWrap::PutName(Js& js, v8::Local<v8::Object> out, Result<sys::SocketAddress> (loop::UdpHandle::*get)() const) {
  if (Closed()) return -EBADF;
  Result<sys::SocketAddress> address = (udp_.get()->*get)();
  if (!address.has_value()) return -address.error().err;
  return PutAddress(js, out, *address) ? 0 : -EINVAL;
}

int UdpWrap::BufferSize(Js&, int size, bool receive) {
  if (Closed()) return -EBADF;
  auto kind = receive ? loop::UdpHandle::BufferKind::kReceive : loop::UdpHandle::BufferKind::kSend;
  Result<int> now = udp_->BufferSize(kind, size);
  return now.has_value() ? *now : -now.error().err;
}

void UdpWrap::Close(Js& js, const Info& info) {
  if (Closed()) return;
  auto callback = std::make_unique<v8::Global<v8::Value>>(js.isolate, info[0]);
  udp_->Close([self = self_, callback = std::move(callback)] {
    if (*self == nullptr || (*self)->realm().terminating) return;
    UdpWrap& wrap = **self;
    bridge::JsScope scope(wrap.realm(), wrap.context_);
    Js& js = scope.js();
    v8::Local<v8::Value> function = callback->Get(js.isolate);
    v8::Local<v8::Object> object = wrap.object();
    wrap.context_.EmitDestroy(wrap.realm());
    wrap.base::ListNode<UdpWrap>::Unlink();
    wrap.Unpin();
    if (function->IsFunction()) bridge::Call(js, function.As<v8::Function>(), object, 0, nullptr);
  });
}

void UdpWrap::OnDatagram(loop::UdpHandle&, std::span<const uint8_t> data, const sys::SocketAddress& from, bool) {
  if (realm().terminating) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  NetState::Piece piece = realm.Slot<NetState>().Keep(realm, data);
  if (piece.memory.IsEmpty()) return;
  v8::Local<v8::Value> argv[] = {js.Int(static_cast<int>(data.size())),
                                 piece.memory,
                                 js.Int(static_cast<int>(piece.offset)),
                                 js.Str(from.ToString()),
                                 js.Name(from.family() == AF_INET6 ? "IPv6" : "IPv4"),
                                 js.Int(from.port())};
  bridge::Call(js, realm.Slot<DgramState>().on_message.Get(js.isolate), object(), 6, argv);
}

void UdpWrap::OnReceiveError(loop::UdpHandle&, const Error& error) {
  if (realm().terminating) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  v8::Local<v8::Value> argv[] = {js.Int(-error.err)};
  bridge::Call(js, realm.Slot<DgramState>().on_message.Get(js.isolate), object(), 1, argv);
}

void ConstructUdp(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor UDP cannot be invoked without 'new'");
  new UdpWrap(js.realm, info.This());
}

/// setCallbacks(onmessage, oncomplete)
void SetCallbacks(const Info& info) {
  Js js(info);
  if (!info[0]->IsFunction() || !info[1]->IsFunction()) return js.ThrowTypeError("setCallbacks takes functions");
  DgramState& state = js.realm.Slot<DgramState>();
  state.on_message.Reset(js.isolate, info[0].As<v8::Function>());
  state.on_complete.Reset(js.isolate, info[1].As<v8::Function>());
}

/// activeSockets(): those that keep the loop alive.
v8::Local<v8::Array> ActiveSockets(Js& js) {
  std::vector<v8::Local<v8::Value>> values;
  auto& list = js.realm.Slot<OpenSockets>().list;
  for (UdpWrap* wrap = list.Front(); wrap != nullptr; wrap = list.Next(wrap)) {
    if (wrap->HasRef(js)) values.push_back(wrap->object());
  }
  return v8::Array::New(js.isolate, values.data(), values.size());
}

constexpr NativeFunction kMethods[] = {
    Method<&UdpWrap::Open>("open"),
    Method<&UdpWrap::Bind>("bind"),
    Method<&UdpWrap::Connect>("connect"),
    Method<&UdpWrap::Disconnect>("disconnect"),
    RawMethod<&UdpWrap::Send>("send"),
    Method<&UdpWrap::RecvStart>("recvStart"),
    Method<&UdpWrap::RecvStop>("recvStop"),
    Method<&UdpWrap::GetSockName>("getsockname"),
    Method<&UdpWrap::GetPeerName>("getpeername"),
    Method<&UdpWrap::AddMembership>("addMembership"),
    Method<&UdpWrap::DropMembership>("dropMembership"),
    Method<&UdpWrap::AddSourceMembership>("addSourceSpecificMembership"),
    Method<&UdpWrap::DropSourceMembership>("dropSourceSpecificMembership"),
    Method<&UdpWrap::SetMulticastInterface>("setMulticastInterface"),
    Method<&UdpWrap::SetMulticastTtl>("setMulticastTTL"),
    Method<&UdpWrap::SetMulticastLoopback>("setMulticastLoopback"),
    Method<&UdpWrap::SetBroadcast>("setBroadcast"),
    Method<&UdpWrap::SetTtl>("setTTL"),
    Method<&UdpWrap::BufferSize>("bufferSize"),
    RawMethod<&UdpWrap::Close>("close"),
    Method<&UdpWrap::Ref>("ref"),
    Method<&UdpWrap::Unref>("unref"),
    Method<&UdpWrap::HasRef>("hasRef"),
    Method<&UdpWrap::GetAsyncId>("getAsyncId"),
    Method<&UdpWrap::SendQueueSize>("getSendQueueSize"),
    Method<&UdpWrap::SendQueueCount>("getSendQueueCount"),
};
constexpr NativeAccessor kAccessors[] = {Getter<&UdpWrap::Fd>("fd")};

const NativeClass UdpWrap::kClass = {
    .name = "UDP",
    .construct = &ConstructUdp,
    .methods = kMethods,
    .accessors = kAccessors,
};

constexpr NativeFunction kFunctions[] = {
    RawFn("setCallbacks", &SetCallbacks, 2),
    Fn<&ActiveSockets>("activeSockets"),
};
constexpr const NativeClass* kClasses[] = {&UdpWrap::kClass};

}  // namespace

extern const NativeModule kDgramModule;
const NativeModule kDgramModule = {.name = "dgram", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
