#include "base/owned_fd.h"

#include <unistd.h>

#include <cerrno>

namespace gyre::base {

void OwnedFd::Reset(int fd) {
  const int old = std::exchange(fd_, fd);
  if (old < 0) return;
  const int saved = errno;
  // Linux releases the descriptor even when close reports EINTR: never retry.
  ::close(old);
  errno = saved;
}

}  // namespace gyre::base
