#include "loop/tty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace gyre::loop {
namespace {

// The mode before the first change, for ResetTtyMode(). Written once under the lock, read by exit paths.
std::atomic_flag g_lock = ATOMIC_FLAG_INIT;
int g_original_fd = -1;
termios g_original;

void Lock() {
  while (g_lock.test_and_set(std::memory_order_acquire)) {
  }
}
void Unlock() { g_lock.clear(std::memory_order_release); }

int SetAttributes(int fd, const termios& mode) {
  int result;
  do result = ::tcsetattr(fd, TCSADRAIN, &mode);
  while (result == -1 && errno == EINTR);
  return result;
}

// A description of the terminal of our own: non-blocking mode then does not reach other users of `fd`.
base::OwnedFd Reopen(int fd, int access) {
  char name[64];
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
  char path[256];
  // The master side of a pseudo terminal cannot be opened again.
  if (::ttyname_r(fd, path, sizeof(path)) != 0) return {};
  return base::OwnedFd(::open(name, access | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

HandleGuess GuessHandle(int fd) {
  if (fd < 0) return HandleGuess::kUnknown;
  if (::isatty(fd)) return HandleGuess::kTty;
  struct stat info;
  if (::fstat(fd, &info) == -1) return HandleGuess::kUnknown;
  if (S_ISREG(info.st_mode) || S_ISCHR(info.st_mode)) return HandleGuess::kFile;
  if (S_ISFIFO(info.st_mode)) return HandleGuess::kPipe;
  if (!S_ISSOCK(info.st_mode)) return HandleGuess::kUnknown;
  int type = 0;
  socklen_t length = sizeof(type);
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == -1) return HandleGuess::kUnknown;
  sockaddr_storage address = {};
  length = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == -1) return HandleGuess::kUnknown;
  const bool ip = address.ss_family == AF_INET || address.ss_family == AF_INET6;
  if (type == SOCK_DGRAM && ip) return HandleGuess::kUdp;
  if (type == SOCK_STREAM && ip) return HandleGuess::kTcp;
  if (type == SOCK_STREAM && address.ss_family == AF_UNIX) return HandleGuess::kPipe;
  return HandleGuess::kUnknown;
}

HandlePtr<TtyHandle> TtyHandle::Create(Loop& loop) { return HandlePtr<TtyHandle>(new TtyHandle(loop)); }

TtyHandle::TtyHandle(Loop& loop) : StreamHandle(loop, Kind::kTty) {}

TtyHandle::~TtyHandle() = default;

Result<void> TtyHandle::Open(int fd) {
  if (!::isatty(fd)) return Err(errno == EBADF ? EBADF : EINVAL, "uv_tty_init");
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags == -1) return base::ErrFromErrno("uv_tty_init");
  base::OwnedFd own = Reopen(fd, flags & O_ACCMODE);
  if (!own) own.Reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!own) return base::ErrFromErrno("uv_tty_init");
  return Adopt(std::move(own));
}

Result<void> TtyHandle::SetMode(Mode mode) {
  if (IsClosing()) return Err(EBADF, "setRawMode");
  if (mode == mode_) return {};
  termios now;
  if (::tcgetattr(fd(), &now) == -1) return base::ErrFromErrno("setRawMode");
  Lock();
  if (g_original_fd == -1) {
    g_original = now;
    g_original_fd = fd();
  }
  const termios original = g_original;
  Unlock();
  termios wanted = mode == Mode::kNormal ? original : now;
  if (mode == Mode::kRaw) {
    wanted.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    wanted.c_oflag |= ONLCR;
    wanted.c_cflag |= CS8;
    wanted.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
  } else if (mode == Mode::kIo) {
    ::cfmakeraw(&wanted);
  }
  if (SetAttributes(fd(), wanted) == -1) return base::ErrFromErrno("setRawMode");
  mode_ = mode;
  return {};
}

Result<TtyHandle::Size> TtyHandle::GetWindowSize() const {
  winsize size;
  int result;
  do result = ::ioctl(fd(), TIOCGWINSZ, &size);
  while (result == -1 && errno == EINTR);
  if (result == -1) return base::ErrFromErrno("getWindowSize");
  return Size{.columns = size.ws_col, .rows = size.ws_row};
}

void ResetTtyMode() {
  const int saved = errno;
  // A signal handler must not wait for the lock that it interrupted.
  if (!g_lock.test_and_set(std::memory_order_acquire)) {
    if (g_original_fd != -1) SetAttributes(g_original_fd, g_original);
    Unlock();
  }
  errno = saved;
}

}  // namespace gyre::loop
