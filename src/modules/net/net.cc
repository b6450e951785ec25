// The native half of node:net: TCP and Pipe, and what tells descriptors apart.

#include <sys/socket.h>

#include <cerrno>

#include "loop/tty.h"
#include "modules/net/net_state.h"
#include "modules/net/stream_wrap.h"

namespace gyre::modules {

namespace {

// Flags of bind(), with libuv's values.
constexpr int kIpv6Only = 1;
constexpr int kReusePort = 2;

/// Whether `fd` is a stream socket: looked at before it is taken over, since what cannot be opened stays the caller's.
int CheckStreamSocket(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return -errno;
  return type == SOCK_STREAM ? 0 : -EINVAL;
}

/// new TCP(isServer)
void ConstructTcp(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor TCP cannot be invoked without 'new'");
  using Role = TcpWrap::Role;
  new TcpWrap(js.realm, info.This(), info[0]->IsTrue() ? Role::kServer : Role::kSocket);
}

/// new Pipe(role): 0 socket, 1 server, 2 IPC
void ConstructPipe(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor Pipe cannot be invoked without 'new'");
  int role = info[0]->IsInt32() ? info[0].As<v8::Int32>()->Value() : 0;
  using Role = PipeWrap::Role;
  new PipeWrap(js.realm, info.This(), role == 2 ? Role::kIpc : role == 1 ? Role::kServer : Role::kSocket);
}

void SetCallbacks(const Info& info) {
  Js js(info);
  NetState& state = js.realm.Slot<NetState>();
  v8::Global<v8::Function>* slots[] = {&state.on_read, &state.on_connection, &state.on_complete, &state.on_close};
  for (int i = 0; i < 4; i++) {
    if (!info[i]->IsFunction()) return js.ThrowTypeError("setCallbacks takes functions");
    slots[i]->Reset(js.isolate, info[i].As<v8::Function>());
  }
}

std::string GuessHandleType(Js&, int fd) {
  switch (loop::GuessHandle(fd)) {
    case loop::HandleGuess::kFile: return "FILE";
    case loop::HandleGuess::kPipe: return "PIPE";
    case loop::HandleGuess::kTcp: return "TCP";
    case loop::HandleGuess::kUdp: return "UDP";
    case loop::HandleGuess::kTty: return "TTY";
    case loop::HandleGuess::kUnknown: break;
  }
  return fd < 0 ? "INVALID" : "UNKNOWN";
}

/// activeStreams(): [name, handle, name, handle, ...] of those that keep the loop alive.
v8::Local<v8::Array> ActiveStreams(Js& js) {
  std::vector<v8::Local<v8::Value>> values;
  auto& list = js.realm.Slot<OpenStreams>().list;
  for (StreamWrap* wrap = list.Front(); wrap != nullptr; wrap = list.Next(wrap)) {
    if (!wrap->HasRef(js)) continue;
    values.push_back(js.Str(wrap->ResourceName()));
    values.push_back(wrap->object());
  }
  return v8::Array::New(js.isolate, values.data(), values.size());
}

}  // namespace

bool PutAddress(Js& js, v8::Local<v8::Object> out, const sys::SocketAddress& address) {
  return js.Set(out, "address", js.Str(address.ToString())) &&
         js.Set(out, "family", js.Name(address.family() == AF_INET6 ? "IPv6" : "IPv4")) &&
         js.Set(out, "port", js.Int(address.port()));
}

// --- TCP --------------------------------------------------------------------------------------------------------

TcpWrap::TcpWrap(Realm& realm, v8::Local<v8::Object> object, Role role)
    : StreamWrap(realm, object, &kClass, role == Role::kServer ? "TCPSERVERWRAP" : "TCPWRAP"), tcp_(loop::TcpHandle::Create(realm.loop())) {
  SetStream(tcp_.get());
}

const char* TcpWrap::ResourceName() const { return tcp_->IsListening() ? "TCPServerWrap" : "TCPSocketWrap"; }

int TcpWrap::Open(Js&, int fd) {
  if (tcp_->IsClosing()) return -EBADF;
  int error = CheckStreamSocket(fd);
  return error != 0 ? error : Status(tcp_->Open(base::OwnedFd(fd)));
}

Result<void> TcpWrap::Adopt(base::OwnedFd fd) { return tcp_->Open(std::move(fd)); }

int TcpWrap::Bind(Js&, std::string address, int port, int flags) {
  if (tcp_->IsClosing()) return -EBADF;
  auto target = sys::SocketAddress::FromIp(address, static_cast<uint16_t>(port));
  if (!target.has_value()) return -EINVAL;
  using Tcp = loop::TcpHandle;
  return Status(tcp_->Bind(*target, (flags & kIpv6Only) != 0 ? Tcp::Ipv6Only::kYes : Tcp::Ipv6Only::kNo,
                           (flags & kReusePort) != 0 ? Tcp::ReusePort::kYes : Tcp::ReusePort::kNo));
}

int TcpWrap::Connect(Js& js, v8::Local<v8::Value> request, std::string address, int port) {
  if (tcp_->IsClosing()) return -EBADF;
  auto target = sys::SocketAddress::FromIp(address, static_cast<uint16_t>(port));
  if (!target.has_value()) return -EINVAL;
  return Status(tcp_->Connect(*target, Done(js, request, "TCPCONNECTWRAP")));
}

int TcpWrap::SetNoDelay(Js&, bool on) { return tcp_->IsClosing() ? -EBADF : Status(tcp_->SetNoDelay(on)); }

int TcpWrap::SetKeepAlive(Js&, bool on, int delay) {
  if (tcp_->IsClosing()) return -EBADF;
  return Status(tcp_->SetKeepAlive(on, static_cast<unsigned>(delay < 0 ? 0 : delay)));
}

int TcpWrap::Reset(Js& js, v8::Local<v8::Value> callback) {
  if (tcp_->IsClosing()) return 0;
  return Status(tcp_->CloseReset(OnClosed(js, callback)));
}

int TcpWrap::GetSockName(Js& js, v8::Local<v8::Object> out) {
  if (tcp_->IsClosing()) return -EBADF;
  Result<sys::SocketAddress> address = tcp_->LocalAddress();
  if (!address.has_value()) return -address.error().err;
  return PutAddress(js, out, *address) ? 0 : -EINVAL;
}

int TcpWrap::GetPeerName(Js& js, v8::Local<v8::Object> out) {
  if (tcp_->IsClosing()) return -EBADF;
  Result<sys::SocketAddress> address = tcp_->PeerAddress();
  if (!address.has_value()) return -address.error().err;
  return PutAddress(js, out, *address) ? 0 : -EINVAL;
}

v8::MaybeLocal<v8::Object> TcpWrap::WrapConnection(Js& js, base::OwnedFd fd, int* error) {
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, kClass).ToLocal(&object)) return {};
  auto* client = new TcpWrap(js.realm, object, Role::kSocket);
  Result<void> opened = client->Adopt(std::move(fd));
  if (opened.has_value()) return object;
  *error = opened.error().err;
  client->stream().Close(client->OnClosed(js, js.Undefined()));
  return {};
}

static constexpr NativeFunction kTcpMethods[] = {
    Method<&TcpWrap::Open>("open"),
    Method<&TcpWrap::Bind>("bind"),
    Method<&TcpWrap::Connect>("connect"),
    Method<&TcpWrap::SetNoDelay>("setNoDelay"),
    Method<&TcpWrap::SetKeepAlive>("setKeepAlive"),
    Method<&TcpWrap::Reset>("reset"),
    Method<&TcpWrap::GetSockName>("getsockname"),
    Method<&TcpWrap::GetPeerName>("getpeername"),
};

const NativeClass TcpWrap::kClass = {
    .name = "TCP",
    .construct = &ConstructTcp,
    .methods = kTcpMethods,
    .parent = &StreamWrap::kClass,
};

// --- Pipe -------------------------------------------------------------------------------------------------------

/// A path that is too long is an invalid argument, as on libuv.
static int PathStatus(const Result<void>& result) {
  int status = Status(result);
  return status == -ENAMETOOLONG ? -EINVAL : status;
}

PipeWrap::PipeWrap(Realm& realm, v8::Local<v8::Object> object, Role role)
    : StreamWrap(realm, object, &kClass, role == Role::kServer ? "PIPESERVERWRAP" : "PIPEWRAP"),
      pipe_(loop::PipeHandle::Create(
          realm.loop(), role == Role::kIpc ? loop::PipeHandle::Ipc::kYes : loop::PipeHandle::Ipc::kNo)) {
  SetStream(pipe_.get());
}

int PipeWrap::Open(Js&, int fd) {
  if (pipe_->IsClosing()) return -EBADF;
  if (loop::GuessHandle(fd) == loop::HandleGuess::kUnknown) return -EINVAL;
  return Status(pipe_->Open(base::OwnedFd(fd)));
}

Result<void> PipeWrap::Adopt(base::OwnedFd fd) { return pipe_->Open(std::move(fd)); }

int PipeWrap::BindPath(Js&, std::string path) {
  return pipe_->IsClosing() ? -EBADF : PathStatus(pipe_->Bind(path));
}

int PipeWrap::ConnectPath(Js& js, v8::Local<v8::Value> request, std::string path) {
  if (pipe_->IsClosing()) return -EBADF;
  return PathStatus(pipe_->Connect(path, Done(js, request, "PIPECONNECTWRAP")));
}

/// `mode`: permission bits; what is in them for others is given to everybody.
int PipeWrap::Fchmod(Js&, int mode) {
  if (pipe_->IsClosing()) return -EBADF;
  return Status(pipe_->Chmod(((mode & 0444) != 0 ? 1 : 0) | ((mode & 0222) != 0 ? 2 : 0)));
}

v8::MaybeLocal<v8::Object> PipeWrap::WrapConnection(Js& js, base::OwnedFd fd, int* error) {
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, kClass).ToLocal(&object)) return {};
  auto* client = new PipeWrap(js.realm, object, Role::kSocket);
  Result<void> opened = client->Adopt(std::move(fd));
  if (opened.has_value()) return object;
  *error = opened.error().err;
  client->stream().Close(client->OnClosed(js, js.Undefined()));
  return {};
}

static constexpr NativeFunction kPipeMethods[] = {
    Method<&PipeWrap::Open>("open"),
    Method<&PipeWrap::BindPath>("bindPath"),
    Method<&PipeWrap::ConnectPath>("connectPath"),
    Method<&PipeWrap::Fchmod>("fchmod"),
};

const NativeClass PipeWrap::kClass = {
    .name = "Pipe",
    .construct = &ConstructPipe,
    .methods = kPipeMethods,
    .parent = &StreamWrap::kClass,
};

// --- the module -------------------------------------------------------------------------------------------------

static constexpr NativeFunction kFunctions[] = {
    RawFn("setCallbacks", &SetCallbacks, 4),
    Fn<&GuessHandleType>("guessHandleType"),
    Fn<&ActiveStreams>("activeStreams"),
};

static constexpr const NativeClass* kClasses[] = {&StreamWrap::kClass, &TcpWrap::kClass, &PipeWrap::kClass};

const NativeModule kNetModule = {.name = "net", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
