// Socket and pipe system calls that return Result, retry EINTR and pass the fault seam. Error::syscall has Node's
// names. Thread: any.
#ifndef GYRE_SYS_SOCKETS_H_
#define GYRE_SYS_SOCKETS_H_

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "base/owned_fd.h"
#include "base/result.h"
#include "sys/socket_address.h"

namespace gyre::sys {

// Non-blocking and close-on-exec.
Result<base::OwnedFd> Socket(int family, int type, int protocol = 0);
Result<base::OwnedFd> Accept(int listener);
Result<void> Bind(int fd, const SocketAddress& address);
Result<void> Listen(int fd, int backlog);
// EINPROGRESS is an error to the caller, who waits for writability then.
Result<void> Connect(int fd, const SocketAddress& address);
// What SO_ERROR holds; 0 for none.
int TakeSocketError(int fd);

// read(2); the number of bytes, 0 at the end.
Result<size_t> Read(int fd, std::span<uint8_t> buffer);
// recv(2): as Read(), a little cheaper on sockets.
Result<size_t> Receive(int fd, std::span<uint8_t> buffer);
// recvmsg(2) that collects descriptors (closed if more than `fds` holds). `fd_count` is set to their number.
Result<size_t> ReceiveWithFds(int fd, std::span<uint8_t> buffer, std::span<int> fds, size_t& fd_count);
// writev(2). On sockets use Send, which cannot raise SIGPIPE.
Result<size_t> WriteVector(int fd, std::span<const iovec> buffers);
// sendmsg(2) with MSG_NOSIGNAL; passes `send_fd` along if it is not -1.
Result<size_t> Send(int fd, std::span<const iovec> buffers, int send_fd = -1);
// sendfile(2) of a file's bytes at `*offset`, which moves on, or at the file's own position where it is -1. 0: its end.
// Where SIGPIPE is blocked or ignored.
Result<size_t> SendFile(int fd, int file, int64_t* offset, size_t size);

Result<SocketAddress> LocalAddress(int fd);
Result<SocketAddress> PeerAddress(int fd);
Result<void> SetOption(int fd, int level, int name, int value, const char* syscall = "setsockopt");

Result<void> SetNonBlocking(int fd, bool on);  // NOLINT: mirrors O_NONBLOCK
Result<void> SetCloseOnExec(int fd);

}  // namespace gyre::sys

#endif  // GYRE_SYS_SOCKETS_H_
