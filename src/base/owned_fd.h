// OwnedFd: a file descriptor with one owner, closed on destruction.
// Thread: any, one at a time.
#ifndef GYRE_BASE_OWNED_FD_H_
#define GYRE_BASE_OWNED_FD_H_

#include <utility>

namespace gyre::base {

class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.Release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) Reset(other.Release());
    return *this;
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() { Reset(); }

  int get() const { return fd_; }
  bool IsValid() const { return fd_ >= 0; }
  explicit operator bool() const { return IsValid(); }

  // Gives the descriptor up without closing it.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }

  // Closes what is owned and takes `fd`. Preserves errno.
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

}  // namespace gyre::base

#endif  // GYRE_BASE_OWNED_FD_H_
