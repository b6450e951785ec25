// What the files of file operations share; not for others.
// Thread: any.
#ifndef GYRE_LOOP_FS_INTERNAL_H_
#define GYRE_LOOP_FS_INTERNAL_H_

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <ctime>
#include <string>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fs_ops.h"

namespace gyre::loop::fs {

inline constexpr unsigned kStatxMask = STATX_BASIC_STATS | STATX_BTIME;

// Flags by which opening changes something.
inline constexpr int kChangingFlags = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

// The outcome of an operation without a value, from what its system call returned.
template <class Op>
Result<void> Check(const Op& op, int result) {
  if (result == -1) return Err(ErrorOf(op, errno));
  return {};
}

template <class Function>
auto RetryEintr(Function function) {
  auto result = function();
  while (result == -1 && errno == EINTR) result = function();
  return result;
}

struct CachedFile {
  base::OwnedFd fd;
  // Of a regular file or directory; only filled in without O_PATH.
  struct stat info = {};
};

// Opens if that needs nothing but what is in memory; EAGAIN otherwise (also where the kernel cannot tell). Regular
// files and directories only, unless O_PATH is set. The descriptor is in non-blocking mode, which means nothing to
// these. Also EAGAIN: changes in flight concern the file.
Result<CachedFile> OpenCached(const std::string& path, int flags, const FileChanges& changes);

// Whether the device belongs to a local file system: asking it about a file in memory does not block.
bool IsLocalDevice(int fd, uint64_t dev);

inline uint64_t DeviceOf(const struct statx& info) { return makedev(info.stx_dev_major, info.stx_dev_minor); }
FileStat ToFileStat(const struct statx& info);
void FillTimes(double atime, double mtime, timespec (&out)[2]);

}  // namespace gyre::loop::fs

#endif  // GYRE_LOOP_FS_INTERNAL_H_
