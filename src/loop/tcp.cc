#include "loop/tcp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>

#include "sys/sockets.h"

namespace gyre::loop {

HandlePtr<TcpHandle> TcpHandle::Create(Loop& loop) { return HandlePtr<TcpHandle>(new TcpHandle(loop)); }

TcpHandle::TcpHandle(Loop& loop) : StreamHandle(loop, Kind::kTcp) {}

TcpHandle::~TcpHandle() = default;

Result<void> TcpHandle::Open(base::OwnedFd fd) {
  if (Result<void> adopted = Adopt(std::move(fd)); !adopted) return adopted;
  return {};
}

Result<void> TcpHandle::EnsureSocket(int family) {
  if (fd() >= 0) return {};
  Result<base::OwnedFd> made = sys::Socket(family, SOCK_STREAM);
  if (!made) return Err(std::move(made.error()));
  SetFd(std::move(*made));
  return {};
}

Result<void> TcpHandle::Bind(const sys::SocketAddress& address, Ipv6Only ipv6_only, ReusePort reuse_port) {
  if (IsClosing()) return Err(EINVAL, "bind");
  if (ipv6_only == Ipv6Only::kYes && address.family() != AF_INET6) return Err(EINVAL, "bind");
  if (Result<void> made = EnsureSocket(address.family()); !made) return made;
  if (auto set = sys::SetOption(fd(), SOL_SOCKET, SO_REUSEADDR, 1, "bind"); !set) return set;
  if (reuse_port == ReusePort::kYes) {
    if (auto set = sys::SetOption(fd(), SOL_SOCKET, SO_REUSEPORT, 1, "bind"); !set) return set;
  }
  if (address.family() == AF_INET6) {
    const int only = ipv6_only == Ipv6Only::kYes ? 1 : 0;
    if (auto set = sys::SetOption(fd(), IPPROTO_IPV6, IPV6_V6ONLY, only, "bind"); !set) return set;
  }
  bind_error_ = 0;
  Result<void> bound = sys::Bind(fd(), address);
  if (bound) return bound;
  // Reported by Listen() or Connect(), where programs expect it.
  if (bound.error().err == EADDRINUSE) {
    bind_error_ = EADDRINUSE;
    return {};
  }
  if (bound.error().err == EAFNOSUPPORT) return Err(EINVAL, "bind");
  return bound;
}

Result<void> TcpHandle::Listen(int backlog, ListenObserver* observer) {
  if (bind_error_ != 0) return Err(bind_error_, "listen");
  if (Result<void> made = EnsureSocket(AF_INET); !made) return made;
  return StreamHandle::Listen(backlog, observer);
}

Result<void> TcpHandle::Connect(const sys::SocketAddress& address, DoneCallback done) {
  if (IsClosing()) return Err(EINVAL, "connect");
  if (IsConnecting()) return Err(EALREADY, "connect");
  if (Result<void> made = EnsureSocket(address.family()); !made) return made;
  if (bind_error_ != 0) {
    StartConnect(bind_error_, std::move(done));
    return {};
  }
  Result<void> connected = sys::Connect(fd(), address);
  const int error = connected ? 0 : connected.error().err;
  switch (error) {
    case 0:
    case EINPROGRESS:
      StartConnect(0, std::move(done));
      return {};
    case ECONNREFUSED:
      StartConnect(error, std::move(done));
      return {};
    default:
      return connected;
  }
}

Result<void> TcpHandle::SetNoDelay(bool on) {
  if (fd() < 0) return {};
  return sys::SetOption(fd(), IPPROTO_TCP, TCP_NODELAY, on ? 1 : 0);
}

Result<void> TcpHandle::SetKeepAlive(bool on, unsigned delay_seconds) {
  if (fd() < 0) return {};
  if (on && delay_seconds < 1) return Err(EINVAL, "setsockopt");
  if (auto set = sys::SetOption(fd(), SOL_SOCKET, SO_KEEPALIVE, on ? 1 : 0); !set) return set;
  if (!on) return {};
  if (auto set = sys::SetOption(fd(), IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(delay_seconds)); !set) return set;
  // As libuv since 1.49: probe every second, ten times.
  if (auto set = sys::SetOption(fd(), IPPROTO_TCP, TCP_KEEPINTVL, 1); !set) return set;
  return sys::SetOption(fd(), IPPROTO_TCP, TCP_KEEPCNT, 10);
}

Result<void> TcpHandle::CloseReset(CloseCallback callback) {
  if (IsClosing() || HasPendingShutdown()) return Err(EINVAL, "close");
  if (fd() >= 0) {
    const linger rst = {.l_onoff = 1, .l_linger = 0};
    if (::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &rst, sizeof(rst)) == -1) return base::ErrFromErrno("close");
  }
  Close(std::move(callback));
  return {};
}

Result<sys::SocketAddress> TcpHandle::LocalAddress() const {
  if (fd() < 0) return Err(EBADF, "getsockname");
  return sys::LocalAddress(fd());
}

Result<sys::SocketAddress> TcpHandle::PeerAddress() const {
  if (fd() < 0) return Err(EBADF, "getpeername");
  return sys::PeerAddress(fd());
}

}  // namespace gyre::loop
