#include "sys/sockets.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sys/fault.h"

namespace gyre::sys {
namespace {

template <class Function>
auto RetryEintr(Function function) {
  auto result = function();
  while (result == -1 && errno == EINTR) result = function();
  return result;
}

// What every request passes through. libc's functions are cancellation points, which in a process with threads costs
// two atomic operations and more a call: 3 % of a small request. TSan has to see them.
#if defined(__has_feature) && __has_feature(thread_sanitizer)
ssize_t PlainReceive(int fd, void* data, size_t size) { return ::recv(fd, data, size, 0); }
ssize_t PlainSend(int fd, const void* data, size_t size) { return ::send(fd, data, size, MSG_NOSIGNAL); }
#else
ssize_t PlainReceive(int fd, void* data, size_t size) {
  return ::syscall(SYS_recvfrom, fd, data, size, 0, nullptr, nullptr);
}
ssize_t PlainSend(int fd, const void* data, size_t size) {
  return ::syscall(SYS_sendto, fd, data, size, MSG_NOSIGNAL, nullptr, 0);
}
#endif

// Cuts a vector to at most `limit` bytes into `out`; returns the number of entries.
size_t CutVector(std::span<const iovec> in, size_t limit, std::span<iovec> out) {
  size_t count = 0;
  for (const iovec& entry : in) {
    if (limit == 0 || count == out.size()) break;
    out[count] = entry;
    out[count].iov_len = std::min(entry.iov_len, limit);
    limit -= out[count].iov_len;
    ++count;
  }
  return count;
}

size_t TotalSize(std::span<const iovec> buffers) {
  size_t total = 0;
  for (const iovec& buffer : buffers) total += buffer.iov_len;
  return total;
}

// Calls `write` with the vector that faults and IOV_MAX allow.
template <class Function>
ssize_t WithLimits(Call call, int fd, std::span<const iovec> buffers, Function write) {
  if (buffers.size() > IOV_MAX) buffers = buffers.first(IOV_MAX);
  const size_t total = TotalSize(buffers);
  const size_t limit = InjectedLimit(call, fd, total);
  if (limit == total) return RetryEintr([&] { return write(buffers); });
  std::array<iovec, 64> cut;
  const size_t count = CutVector(buffers, limit, cut);
  return RetryEintr([&] { return write(std::span<const iovec>(cut.data(), count)); });
}

}  // namespace

Result<base::OwnedFd> Socket(int family, int type, int protocol) {
  if (int err = InjectedError(Call::kSocket)) return Err(err, "socket");
  const int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (fd == -1) return base::ErrFromErrno("socket");
  return base::OwnedFd(fd);
}

Result<base::OwnedFd> Accept(int listener) {
  if (int err = InjectedError(Call::kAccept, listener)) return Err(err, "accept");
  const int fd = RetryEintr([&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  if (fd == -1) return base::ErrFromErrno("accept");
  return base::OwnedFd(fd);
}

Result<void> Bind(int fd, const SocketAddress& address) {
  if (::bind(fd, address.get(), address.length()) == -1) return base::ErrFromErrno("bind");
  return {};
}

Result<void> Listen(int fd, int backlog) {
  if (int err = InjectedError(Call::kListen, fd)) return Err(err, "listen");
  if (::listen(fd, backlog) == -1) return base::ErrFromErrno("listen");
  return {};
}

Result<void> Connect(int fd, const SocketAddress& address) {
  if (int err = InjectedError(Call::kConnect, fd)) return Err(err, "connect");
  if (RetryEintr([&] { return ::connect(fd, address.get(), address.length()); }) == -1) {
    return base::ErrFromErrno("connect");
  }
  return {};
}

int TakeSocketError(int fd) {
  int error = 0;
  socklen_t length = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == -1) return errno;
  return error;
}

Result<size_t> Read(int fd, std::span<uint8_t> buffer) {
  if (int err = InjectedError(Call::kReceive, fd)) return Err(err, "read");
  const size_t limit = InjectedLimit(Call::kReceive, fd, buffer.size());
  const ssize_t count = RetryEintr([&] { return ::read(fd, buffer.data(), limit); });
  if (count == -1) return base::ErrFromErrno("read");
  return static_cast<size_t>(count);
}

Result<size_t> Receive(int fd, std::span<uint8_t> buffer) {
  if (int err = InjectedError(Call::kReceive, fd)) return Err(err, "read");
  const size_t limit = InjectedLimit(Call::kReceive, fd, buffer.size());
  const ssize_t count = RetryEintr([&] { return PlainReceive(fd, buffer.data(), limit); });
  if (count == -1) return base::ErrFromErrno("read");
  return static_cast<size_t>(count);
}

Result<size_t> ReceiveWithFds(int fd, std::span<uint8_t> buffer, std::span<int> fds, size_t& fd_count) {
  fd_count = 0;
  if (int err = InjectedError(Call::kReceive, fd)) return Err(err, "read");
  iovec vector = {buffer.data(), InjectedLimit(Call::kReceive, fd, buffer.size())};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 64)];
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t count = RetryEintr([&] { return ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC); });
  if (count == -1) return base::ErrFromErrno("read");
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < received; ++i) {
      int one;
      std::memcpy(&one, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      if (fd_count < fds.size()) {
        fds[fd_count++] = one;
      } else {
        ::close(one);
      }
    }
  }
  return static_cast<size_t>(count);
}

Result<size_t> WriteVector(int fd, std::span<const iovec> buffers) {
  if (int err = InjectedError(Call::kSend, fd)) return Err(err, "write");
  const ssize_t count = WithLimits(Call::kSend, fd, buffers, [&](std::span<const iovec> cut) {
    return ::writev(fd, cut.data(), static_cast<int>(cut.size()));
  });
  if (count == -1) return base::ErrFromErrno("write");
  return static_cast<size_t>(count);
}

Result<size_t> Send(int fd, std::span<const iovec> buffers, int send_fd) {
  if (int err = InjectedError(Call::kSend, fd)) return Err(err, "write");
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  const ssize_t count = WithLimits(Call::kSend, fd, buffers, [&](std::span<const iovec> cut) -> ssize_t {
    if (send_fd == -1 && cut.size() == 1) return PlainSend(fd, cut[0].iov_base, cut[0].iov_len);
    msghdr message = {};
    message.msg_iov = const_cast<iovec*>(cut.data());
    message.msg_iovlen = cut.size();
    if (send_fd != -1) {
      std::memset(control, 0, sizeof(control));
      message.msg_control = control;
      message.msg_controllen = sizeof(control);
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(header), &send_fd, sizeof(int));
    }
    return ::sendmsg(fd, &message, MSG_NOSIGNAL);
  });
  if (count == -1) return base::ErrFromErrno("write");
  return static_cast<size_t>(count);
}

Result<size_t> SendFile(int fd, int file, int64_t* offset, size_t size) {
  if (int err = InjectedError(Call::kSend, fd)) return Err(err, "write");
  const size_t limit = InjectedLimit(Call::kSend, fd, size);
  ssize_t count;
  do {
    off64_t at = *offset;
    count = ::sendfile64(fd, file, at == -1 ? nullptr : &at, limit);
    if (count > 0 && at != -1) *offset = at;
  } while (count == -1 && errno == EINTR);
  if (count == -1) return base::ErrFromErrno("write");
  return static_cast<size_t>(count);
}

Result<SocketAddress> LocalAddress(int fd) {
  SocketAddress address;
  socklen_t length = SocketAddress::kCapacity;
  if (::getsockname(fd, address.get(), &length) == -1) return base::ErrFromErrno("getsockname");
  address.set_length(length);
  return address;
}

Result<SocketAddress> PeerAddress(int fd) {
  SocketAddress address;
  socklen_t length = SocketAddress::kCapacity;
  if (::getpeername(fd, address.get(), &length) == -1) return base::ErrFromErrno("getpeername");
  address.set_length(length);
  return address;
}

Result<void> SetOption(int fd, int level, int name, int value, const char* syscall) {
  if (::setsockopt(fd, level, name, &value, sizeof(value)) == -1) return base::ErrFromErrno(syscall);
  return {};
}

Result<void> SetNonBlocking(int fd, bool on) {
  int value = on ? 1 : 0;
  if (::ioctl(fd, FIONBIO, &value) == -1) return base::ErrFromErrno("ioctl");
  return {};
}

Result<void> SetCloseOnExec(int fd) {
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) == -1) return base::ErrFromErrno("fcntl");
  return {};
}

}  // namespace gyre::sys
