#include "loop/udp.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "loop/backend.h"
#include "sys/fault.h"
#include "sys/sockets.h"

namespace gyre::loop {
namespace {

// One turn's share: others are served before the next batch.
constexpr int kReceiveBatch = 32;

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS; }

Result<size_t> SendDatagram(int fd, std::span<const iovec> buffers, const sys::SocketAddress* to) {
  if (int err = sys::InjectedError(sys::Call::kSend, fd)) return Err(err, "send");
  msghdr message = {};
  if (to != nullptr && to->length() != 0) {
    message.msg_name = const_cast<sockaddr*>(to->get());
    message.msg_namelen = to->length();
  }
  message.msg_iov = const_cast<iovec*>(buffers.data());
  message.msg_iovlen = buffers.size();
  ssize_t sent;
  do sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
  while (sent == -1 && errno == EINTR);
  if (sent == -1) return base::ErrFromErrno("send");
  return static_cast<size_t>(sent);
}

}  // namespace

HandlePtr<UdpHandle> UdpHandle::Create(Loop& loop) { return HandlePtr<UdpHandle>(new UdpHandle(loop)); }

UdpHandle::UdpHandle(Loop& loop)
    : Handle(loop), watcher_(loop.backend(), this, [](void* self, uint32_t events) {
        static_cast<UdpHandle*>(self)->OnReady(events);
      }) {}

UdpHandle::~UdpHandle() = default;

Result<void> UdpHandle::Open(base::OwnedFd fd) {
  if (watcher_.fd() >= 0) return Err(EALREADY, "open");
  if (auto set = sys::SetNonBlocking(fd.get(), true); !set) return Err(set.error().err, "open");
  Result<sys::SocketAddress> local = sys::LocalAddress(fd.get());
  if (!local) return Err(local.error().err, "open");
  family_ = local->family();
  bound_ = true;
  connected_ = sys::PeerAddress(fd.get()).has_value();
  watcher_.SetFd(fd.Release());
  return {};
}

Result<void> UdpHandle::EnsureSocket(int family) {
  if (IsClosing()) return Err(EBADF, "socket");
  if (watcher_.fd() >= 0) return {};
  Result<base::OwnedFd> made = sys::Socket(family, SOCK_DGRAM);
  if (!made) return Err(std::move(made.error()));
  family_ = family;
  watcher_.SetFd(made->Release());
  return {};
}

Result<void> UdpHandle::Bind(const sys::SocketAddress& address, const UdpBindOptions& options) {
  if (options.ipv6_only && address.family() != AF_INET6) return Err(EINVAL, "bind");
  if (auto made = EnsureSocket(address.family()); !made) return Err(made.error().err, "bind");
  const int fd = watcher_.fd();
  if (options.reuse_address) {
    if (auto set = sys::SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1, "bind"); !set) return set;
  }
  if (options.reuse_port) {
    if (auto set = sys::SetOption(fd, SOL_SOCKET, SO_REUSEPORT, 1, "bind"); !set) return set;
  }
  if (options.ipv6_only) {
    if (auto set = sys::SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1, "bind"); !set) return set;
  }
  if (Result<void> bound = sys::Bind(fd, address); !bound) {
    const int error = bound.error().err;
    return Err(error == EAFNOSUPPORT ? EINVAL : error, "bind");
  }
  bound_ = true;
  return {};
}

Result<void> UdpHandle::EnsureBound(int family) {
  if (bound_) return {};
  sys::SocketAddress any = *sys::SocketAddress::FromIp(family == AF_INET6 ? "::" : "0.0.0.0", 0);
  return Bind(any);
}

Result<void> UdpHandle::Connect(const sys::SocketAddress& address) {
  if (connected_) return Err(EISCONN, "connect");
  if (auto ready = EnsureBound(address.family()); !ready) return ready;
  if (auto connected = sys::Connect(watcher_.fd(), address); !connected) return connected;
  connected_ = true;
  return {};
}

Result<void> UdpHandle::Disconnect() {
  if (!connected_) return Err(ENOTCONN, "disconnect");
  const sockaddr none = {.sa_family = AF_UNSPEC, .sa_data = {}};
  if (::connect(watcher_.fd(), &none, sizeof(none)) == -1 && errno != EAFNOSUPPORT) {
    return base::ErrFromErrno("disconnect");
  }
  connected_ = false;
  return {};
}

// --- receiving ---

Result<void> UdpHandle::ReceiveStart(UdpObserver* observer) {
  if (IsClosing()) return Err(EINVAL, "recv");
  if (auto ready = EnsureBound(AF_INET); !ready) return ready;
  observer_ = observer;
  SetActive(true);
  UpdateInterest();
  return {};
}

void UdpHandle::ReceiveStop() {
  observer_ = nullptr;
  SetActive(false);
  UpdateInterest();
}

void UdpHandle::UpdateInterest() {
  if (IsClosing() || watcher_.fd() < 0) return;
  watcher_.Want((observer_ != nullptr ? kReadable : 0) | (sends_.IsEmpty() ? 0 : kWritable));
}

void UdpHandle::OnReady(uint32_t events) {
  if ((events & (kReadable | kError | kHangUp)) != 0) ReceiveReady();
  if (!IsClosing() && !sends_.IsEmpty() && (events & (kWritable | kError | kHangUp)) != 0) FlushSends();
}

void UdpHandle::ReceiveReady() {
  for (int i = 0; i < kReceiveBatch && observer_ != nullptr; ++i) {
    const std::span<uint8_t> buffer = loop().SharedReadBuffer();
    sys::SocketAddress from;
    iovec vector = {buffer.data(), buffer.size()};
    msghdr message = {};
    message.msg_name = from.get();
    message.msg_namelen = sys::SocketAddress::kCapacity;
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    int error = sys::InjectedError(sys::Call::kReceive, watcher_.fd());
    ssize_t got = -1;
    if (error == 0) {
      do got = ::recvmsg(watcher_.fd(), &message, 0);
      while (got == -1 && errno == EINTR);
      if (got == -1) error = errno;
    }
    if (error != 0) {
      if (!WouldBlock(error)) observer_->OnReceiveError(*this, Error{.err = error, .syscall = "recv"});
      return;
    }
    from.set_length(message.msg_namelen);
    const bool truncated = (message.msg_flags & MSG_TRUNC) != 0;
    observer_->OnDatagram(*this, buffer.first(static_cast<size_t>(got)), from, truncated);
  }
}

// --- sending ---

Result<size_t> UdpHandle::TrySend(std::span<const iovec> buffers, const sys::SocketAddress* to) {
  if (IsClosing()) return Err(EBADF, "send");
  if (to == nullptr && !connected_) return Err(EDESTADDRREQ, "send");
  if (to != nullptr && connected_) return Err(EISCONN, "send");
  if (send_queue_count_ != 0) return Err(EAGAIN, "send");
  if (to != nullptr) {
    if (auto ready = EnsureBound(to->family()); !ready) return Err(std::move(ready.error()));
  }
  return SendDatagram(watcher_.fd(), buffers, to);
}

Result<void> UdpHandle::Send(std::unique_ptr<SendOp> owned) {
  if (IsClosing()) return Err(EBADF, "send");
  const bool has_address = owned->to.length() != 0;
  if (!has_address && !connected_) return Err(EDESTADDRREQ, "send");
  if (has_address && connected_) return Err(EISCONN, "send");
  if (auto ready = EnsureBound(has_address ? owned->to.family() : family_); !ready) return ready;
  SendOp* op = owned.release();
  op->size_ = 0;
  for (const iovec& buffer : op->buffers_) op->size_ += buffer.iov_len;
  send_queue_size_ += op->size_;
  ++send_queue_count_;
  loop().AddKeepAlive();
  const bool was_empty = sends_.IsEmpty();
  sends_.PushBack(op);
  if (was_empty) FlushSends();
  return {};
}

void UdpHandle::FlushSends() {
  while (SendOp* op = sends_.Front()) {
    Result<size_t> sent = SendDatagram(watcher_.fd(), op->buffers_, &op->to);
    if (!sent && WouldBlock(sent.error().err)) break;
    op->error_ = sent ? 0 : sent.error().err;
    sent_.PushBack(op);
    loop().CompleteSoon(&sends_done_);
  }
  UpdateInterest();
}

void UdpHandle::CompleteSends() {
  base::IntrusiveList<SendOp> batch;
  batch.Append(sent_);
  while (SendOp* op = batch.PopFront()) {
    std::unique_ptr<SendOp> owned(op);
    send_queue_size_ -= owned->size_;
    --send_queue_count_;
    loop().DropKeepAlive();
    if (owned->error_ != 0) {
      owned->OnDone(Err(owned->error_, "send"));
    } else {
      owned->OnDone(owned->size_);
    }
  }
}

// --- options ---

Result<void> UdpHandle::SetOption(int ipv4_option, int ipv6_option, int value, const char* syscall) {
  if (watcher_.fd() < 0) return Err(EBADF, syscall);
  if (family_ == AF_INET6) return sys::SetOption(watcher_.fd(), IPPROTO_IPV6, ipv6_option, value, syscall);
  return sys::SetOption(watcher_.fd(), IPPROTO_IP, ipv4_option, value, syscall);
}

namespace {

Result<void> SetOptionBytes(int fd, int level, int name, const void* value, size_t size, const char* syscall) {
  if (::setsockopt(fd, level, name, value, static_cast<socklen_t>(size)) == -1) return base::ErrFromErrno(syscall);
  return {};
}

const in_addr& V4(const sys::SocketAddress& address) {
  return reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr;
}

const sockaddr_in6& V6(const sys::SocketAddress& address) {
  return *reinterpret_cast<const sockaddr_in6*>(address.get());
}

// The index of an IPv6 interface given as an address with scope ("::%eth0"); 0 for none.
Result<uint32_t> InterfaceIndex(std::string_view interface, const char* syscall) {
  if (interface.empty()) return 0u;
  const auto address = sys::SocketAddress::FromIp(interface, 0);
  if (!address) return Err(EINVAL, syscall);
  return address->family() == AF_INET6 ? V6(*address).sin6_scope_id : 0u;
}

}  // namespace

Result<void> UdpHandle::SetMembership(std::string_view group, std::string_view interface, Membership membership) {
  constexpr const char* kName = "addMembership";
  const char* name = membership == Membership::kJoin ? kName : "dropMembership";
  const auto address = sys::SocketAddress::FromIp(group, 0);
  if (!address) return Err(EINVAL, name);
  if (auto ready = EnsureBound(address->family()); !ready) return Err(ready.error().err, name);
  if (address->family() == AF_INET) {
    ip_mreq request = {.imr_multiaddr = V4(*address), .imr_interface = {.s_addr = htonl(INADDR_ANY)}};
    if (!interface.empty()) {
      const auto local = sys::SocketAddress::FromIp(interface, 0);
      if (!local || local->family() != AF_INET) return Err(EINVAL, name);
      request.imr_interface = V4(*local);
    }
    const int option = membership == Membership::kJoin ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
    return SetOptionBytes(watcher_.fd(), IPPROTO_IP, option, &request, sizeof(request), name);
  }
  Result<uint32_t> index = InterfaceIndex(interface, name);
  if (!index) return Err(std::move(index.error()));
  const ipv6_mreq request = {.ipv6mr_multiaddr = V6(*address).sin6_addr, .ipv6mr_interface = *index};
  const int option = membership == Membership::kJoin ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP;
  return SetOptionBytes(watcher_.fd(), IPPROTO_IPV6, option, &request, sizeof(request), name);
}

Result<void> UdpHandle::SetSourceMembership(std::string_view group, std::string_view interface, std::string_view source,
                                            Membership membership) {
  const bool join = membership == Membership::kJoin;
  const char* name = join ? "addSourceSpecificMembership" : "dropSourceSpecificMembership";
  const auto address = sys::SocketAddress::FromIp(group, 0);
  const auto from = sys::SocketAddress::FromIp(source, 0);
  if (!address || !from || address->family() != from->family()) return Err(EINVAL, name);
  if (auto ready = EnsureBound(address->family()); !ready) return Err(ready.error().err, name);
  if (address->family() == AF_INET) {
    ip_mreq_source request = {};
    request.imr_multiaddr = V4(*address);
    request.imr_sourceaddr = V4(*from);
    if (!interface.empty()) {
      const auto local = sys::SocketAddress::FromIp(interface, 0);
      if (!local || local->family() != AF_INET) return Err(EINVAL, name);
      request.imr_interface = V4(*local);
    }
    const int option = join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP;
    return SetOptionBytes(watcher_.fd(), IPPROTO_IP, option, &request, sizeof(request), name);
  }
  Result<uint32_t> index = InterfaceIndex(interface, name);
  if (!index) return Err(std::move(index.error()));
  group_source_req request = {};
  request.gsr_interface = *index;
  std::memcpy(&request.gsr_group, address->get(), address->length());
  std::memcpy(&request.gsr_source, from->get(), from->length());
  const int option = join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
  return SetOptionBytes(watcher_.fd(), IPPROTO_IPV6, option, &request, sizeof(request), name);
}

Result<void> UdpHandle::SetMulticastLoop(bool on) {
  return SetOption(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, on ? 1 : 0, "setMulticastLoopback");
}

Result<void> UdpHandle::SetMulticastTtl(int ttl) {
  return SetOption(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, ttl, "setMulticastTTL");
}

Result<void> UdpHandle::SetTtl(int ttl) {
  if (ttl < 1 || ttl > 255) return Err(EINVAL, "setTTL");
  return SetOption(IP_TTL, IPV6_UNICAST_HOPS, ttl, "setTTL");
}

Result<void> UdpHandle::SetBroadcast(bool on) {
  if (watcher_.fd() < 0) return Err(EBADF, "setBroadcast");
  return sys::SetOption(watcher_.fd(), SOL_SOCKET, SO_BROADCAST, on ? 1 : 0, "setBroadcast");
}

Result<void> UdpHandle::SetMulticastInterface(std::string_view interface) {
  constexpr const char* kName = "setMulticastInterface";
  if (watcher_.fd() < 0) return Err(EBADF, kName);
  const auto address = sys::SocketAddress::FromIp(interface, 0);
  if (!address || address->family() != family_) return Err(EINVAL, kName);
  if (family_ == AF_INET) {
    const ip_mreqn request = {.imr_multiaddr = {}, .imr_address = V4(*address), .imr_ifindex = 0};
    return SetOptionBytes(watcher_.fd(), IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof(request), kName);
  }
  const uint32_t index = V6(*address).sin6_scope_id;
  return SetOptionBytes(watcher_.fd(), IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index), kName);
}

Result<int> UdpHandle::BufferSize(BufferKind kind, int size) {
  const char* name = kind == BufferKind::kSend ? "uv_send_buffer_size" : "uv_recv_buffer_size";
  const int option = kind == BufferKind::kSend ? SO_SNDBUF : SO_RCVBUF;
  if (watcher_.fd() < 0) return Err(EBADF, name);
  if (size != 0) {
    if (auto set = sys::SetOption(watcher_.fd(), SOL_SOCKET, option, size, name); !set) {
      return Err(std::move(set.error()));
    }
    return size;
  }
  socklen_t length = sizeof(size);
  if (::getsockopt(watcher_.fd(), SOL_SOCKET, option, &size, &length) == -1) return base::ErrFromErrno(name);
  return size;
}

Result<sys::SocketAddress> UdpHandle::LocalAddress() const {
  if (watcher_.fd() < 0) return Err(EBADF, "getsockname");
  return sys::LocalAddress(watcher_.fd());
}

Result<sys::SocketAddress> UdpHandle::PeerAddress() const {
  if (watcher_.fd() < 0) return Err(EBADF, "getpeername");
  return sys::PeerAddress(watcher_.fd());
}

// --- closing ---

void UdpHandle::OnClose() {
  observer_ = nullptr;
  if (watcher_.fd() < 0) return;
  watcher_.Stop();
  base::OwnedFd closed(watcher_.fd());
  watcher_.SetFd(-1);
}

void UdpHandle::OnClosed() {
  while (SendOp* op = sends_.PopFront()) {
    op->error_ = ECANCELED;
    sent_.PushBack(op);
  }
  sends_done_.Unlink();
  CompleteSends();
}

}  // namespace gyre::loop
