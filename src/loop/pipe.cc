#include "loop/pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sys/fault.h"
#include "sys/sockets.h"

namespace gyre::loop {

HandlePtr<PipeHandle> PipeHandle::Create(Loop& loop, Ipc ipc) {
  return HandlePtr<PipeHandle>(new PipeHandle(loop, ipc));
}

PipeHandle::PipeHandle(Loop& loop, Ipc ipc) : StreamHandle(loop, Kind::kPipe) {
  if (ipc == Ipc::kYes) EnableIpc();
}

PipeHandle::~PipeHandle() = default;

Result<void> PipeHandle::Open(base::OwnedFd fd) { return Adopt(std::move(fd)); }

Result<void> PipeHandle::Bind(std::string_view path) {
  if (IsClosing() || fd() >= 0) return Err(EINVAL, "bind");
  Result<sys::SocketAddress> address = sys::SocketAddress::FromPath(path);
  if (!address) return Err(std::move(address.error()));
  Result<base::OwnedFd> made = sys::Socket(AF_UNIX, SOCK_STREAM);
  if (!made) return Err(std::move(made.error()));
  if (Result<void> bound = sys::Bind(made->get(), *address); !bound) {
    // As libuv: a missing directory reads better as a refusal.
    const int error = bound.error().err;
    return Err(error == ENOENT ? EACCES : error, "bind");
  }
  if (path[0] != '\0') bound_path_ = path;
  SetFd(std::move(*made));
  return {};
}

Result<void> PipeHandle::Connect(std::string_view path, DoneCallback done) {
  if (IsClosing()) return Err(EINVAL, "connect");
  if (IsConnecting()) return Err(EALREADY, "connect");
  Result<sys::SocketAddress> address = sys::SocketAddress::FromPath(path);
  if (!address) return Err(address.error().err, "connect");
  if (fd() < 0) {
    Result<base::OwnedFd> made = sys::Socket(AF_UNIX, SOCK_STREAM);
    if (!made) return Err(std::move(made.error()));
    SetFd(std::move(*made));
  }
  Result<void> connected = sys::Connect(fd(), *address);
  const int error = connected || connected.error().err == EINPROGRESS ? 0 : connected.error().err;
  StartConnect(error, std::move(done));
  return {};
}

Result<void> PipeHandle::Chmod(int mode) {
  if (fd() < 0) return Err(EBADF, "chmod");
  if (mode < 1 || mode > 3) return Err(EINVAL, "chmod");
  if (bound_path_.empty()) return Err(EINVAL, "chmod");
  mode_t bits = 0;
  if ((mode & 1) != 0) bits |= S_IRUSR | S_IRGRP | S_IROTH;
  if ((mode & 2) != 0) bits |= S_IWUSR | S_IWGRP | S_IWOTH;
  struct stat info;
  if (::stat(bound_path_.c_str(), &info) == -1) return base::ErrFromErrno("chmod");
  if (::chmod(bound_path_.c_str(), info.st_mode | bits) == -1) return base::ErrFromErrno("chmod");
  return {};
}

Result<std::string> PipeHandle::LocalName() const {
  if (fd() < 0) return Err(EBADF, "getsockname");
  Result<sys::SocketAddress> address = sys::LocalAddress(fd());
  if (!address) return Err(std::move(address.error()));
  return address->ToString();
}

Result<std::string> PipeHandle::PeerName() const {
  if (fd() < 0) return Err(EBADF, "getpeername");
  Result<sys::SocketAddress> address = sys::PeerAddress(fd());
  if (!address) return Err(std::move(address.error()));
  return address->ToString();
}

void PipeHandle::OnClose() {
  // Before the descriptor: a successor may bind the path as soon as it is closed.
  if (!bound_path_.empty()) ::unlink(bound_path_.c_str());
  StreamHandle::OnClose();
}

Result<FdPair> MakePipe() {
  if (int err = sys::InjectedError(sys::Call::kPipe)) return Err(err, "pipe");
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) == -1) return base::ErrFromErrno("pipe");
  return FdPair{base::OwnedFd(fds[0]), base::OwnedFd(fds[1])};
}

Result<FdPair> MakeSocketPair() {
  if (int err = sys::InjectedError(sys::Call::kPipe)) return Err(err, "socketpair");
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == -1) return base::ErrFromErrno("socketpair");
  return FdPair{base::OwnedFd(fds[0]), base::OwnedFd(fds[1])};
}

}  // namespace gyre::loop
