// TcpHandle: TCP sockets: connect, listen, and what StreamHandle offers.
// Thread: the loop's. Owner: a HandlePtr.
#ifndef GYRE_LOOP_TCP_H_
#define GYRE_LOOP_TCP_H_

#include "loop/stream.h"
#include "sys/socket_address.h"

namespace gyre::loop {

class TcpHandle final : public StreamHandle {
 public:
  static HandlePtr<TcpHandle> Create(Loop& loop);

  // Takes a connected or listening socket.
  Result<void> Open(base::OwnedFd fd);

  enum class Ipv6Only : uint8_t { kNo, kYes };
  enum class ReusePort : uint8_t { kNo, kYes };
  // SO_REUSEADDR is always set. EADDRINUSE may be reported by Listen() or Connect() only, as on libuv.
  Result<void> Bind(const sys::SocketAddress& address, Ipv6Only ipv6_only = Ipv6Only::kNo,
                    ReusePort reuse_port = ReusePort::kNo);
  // Binds to a random port of any address if not bound.
  Result<void> Listen(int backlog, ListenObserver* observer);
  // `done` runs in the poll phase. A refusal that is known at once arrives there too; other failures
  // of the call itself (EALREADY, ENETUNREACH, EADDRNOTAVAIL, no socket, ...) are returned.
  Result<void> Connect(const sys::SocketAddress& address, DoneCallback done);

  Result<void> SetNoDelay(bool on);                            // NOLINT: the socket option is a switch
  Result<void> SetKeepAlive(bool on, unsigned delay_seconds);  // NOLINT
  // Closes with a RST. ENOTSOCK-like EINVAL while shutting down, as libuv.
  Result<void> CloseReset(CloseCallback callback = {});

  Result<sys::SocketAddress> LocalAddress() const;  // "getsockname"
  Result<sys::SocketAddress> PeerAddress() const;   // "getpeername"

 private:
  explicit TcpHandle(Loop& loop);
  ~TcpHandle() override;
  Result<void> EnsureSocket(int family);

  int bind_error_ = 0;  // reported late, as on libuv
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_TCP_H_
