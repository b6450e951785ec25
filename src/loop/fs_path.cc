// File operations on paths.
#include <fcntl.h>
#include <liburing.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "loop/fs_internal.h"
#include "loop/fs_ops.h"
#include "sys/fault.h"

namespace gyre::loop::fs {
namespace {

using sys::Call;
using sys::InjectedError;

// Set when the kernel (or a seccomp filter) does not know openat2.
std::atomic<bool> g_no_openat2{false};

// Devices asked about lately: (device << 1 | local) + 1, 0 for an empty entry.
std::array<std::atomic<uint64_t>, 8> g_devices{};

constexpr unsigned long kZfsMagic = 0x2fc12fc1;  // not among the kernel's own

bool IsLocalFileSystem(int fd) {
  struct statfs info;
  if (::fstatfs(fd, &info) == -1) return false;
  switch (static_cast<unsigned long>(info.f_type)) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case RAMFS_MAGIC:
    case SQUASHFS_MAGIC:
    case kZfsMagic:
      return true;
    default:
      return false;
  }
}

FileTime ToTime(const statx_timestamp& time) { return {.seconds = time.tv_sec, .nanos = time.tv_nsec}; }

void PreparePath(io_uring_sqe& sqe, uint8_t opcode, const std::string& path) {
  sqe.opcode = opcode;
  sqe.fd = AT_FDCWD;
  sqe.addr = reinterpret_cast<uint64_t>(path.c_str());
}

void PrepareTwoPaths(io_uring_sqe& sqe, uint8_t opcode, const std::string& path, const std::string& dest) {
  PreparePath(sqe, opcode, path);
  sqe.len = static_cast<uint32_t>(AT_FDCWD);
  sqe.addr2 = reinterpret_cast<uint64_t>(dest.c_str());
}

// openat2() that fails with EAGAIN where it would have to wait for a disk.
Result<base::OwnedFd> OpenWithinCache(const std::string& path, int flags) {
  open_how how = {};
  // O_NONBLOCK: should the path come to name a FIFO after all.
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NONBLOCK));
  how.resolve = RESOLVE_CACHED;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  if (fd != -1) return base::OwnedFd(static_cast<int>(fd));
  switch (errno) {
    case ENOSYS:
    case EPERM:  // a seccomp filter
      g_no_openat2.store(true, std::memory_order_relaxed);
      return Err(EAGAIN, "open");
    case ENXIO:  // a FIFO without reader: has to wait
    case EINVAL:
    case EINTR:
      return Err(EAGAIN, "open");
    default:
      return base::ErrFromErrno("open", path);
  }
}

bool IsFileOrDirectory(int fd, struct stat& info) {
  return ::fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

}  // namespace

Result<CachedFile> OpenCached(const std::string& path, int flags, const FileChanges& changes) {
  if (changes.Tree() || g_no_openat2.load(std::memory_order_relaxed)) return Err(EAGAIN, "open");
  // What changes something may block.
  if ((flags & kChangingFlags) != 0) return Err(EAGAIN, "open");
  if (int err = InjectedError(Call::kOpen)) return Err(err, "open", path);
  CachedFile file;
  // Devices and FIFOs act on being opened, were it for a moment (a waiting writer would come to nothing), so it is only
  // looked at first what the path names.
  Result<base::OwnedFd> looked = OpenWithinCache(path, O_PATH | (flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW)));
  if (!looked) return Err(std::move(looked.error()));
  if ((flags & O_PATH) != 0) {
    file.fd = std::move(*looked);
    return file;
  }
  if (!IsFileOrDirectory(looked->get(), file.info)) return Err(EAGAIN, "open");
  if (changes.MayAffect(file.info.st_dev, file.info.st_ino)) return Err(EAGAIN, "open");
  // Opening on a network or in user space asks a server.
  if (!IsLocalDevice(looked->get(), file.info.st_dev)) return Err(EAGAIN, "open");
  Result<base::OwnedFd> opened = OpenWithinCache(path, flags);
  if (!opened) return Err(std::move(opened.error()));
  if (!IsFileOrDirectory(opened->get(), file.info)) return Err(EAGAIN, "open");
  file.fd = std::move(*opened);
  return file;
}

bool IsLocalDevice(int fd, uint64_t dev) {
  std::atomic<uint64_t>& entry = g_devices[(dev ^ (dev >> 8)) % g_devices.size()];
  const uint64_t known = entry.load(std::memory_order_relaxed);
  if (known != 0 && (known - 1) >> 1 == dev) return ((known - 1) & 1) != 0;
  const bool local = IsLocalFileSystem(fd);
  entry.store(((dev << 1) | (local ? 1u : 0u)) + 1, std::memory_order_relaxed);
  return local;
}

FileStat ToFileStat(const struct statx& info) {
  return {.dev = DeviceOf(info),
          .mode = info.stx_mode,
          .nlink = info.stx_nlink,
          .uid = info.stx_uid,
          .gid = info.stx_gid,
          .rdev = makedev(info.stx_rdev_major, info.stx_rdev_minor),
          .blksize = info.stx_blksize,
          .ino = info.stx_ino,
          .size = info.stx_size,
          .blocks = info.stx_blocks,
          .atime = ToTime(info.stx_atime),
          .mtime = ToTime(info.stx_mtime),
          .ctime = ToTime(info.stx_ctime),
          .birthtime = ToTime(info.stx_btime)};
}

// --- Stat ---

struct Stat::Answer {
  struct statx info;
};

Result<FileStat> Stat::Run() const {
  struct statx info;
  const int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  if (::statx(AT_FDCWD, path.c_str(), flags, kStatxMask, &info) == -1) return Err(ErrorOf(*this, errno));
  return ToFileStat(info);
}

std::optional<Result<FileStat>> Stat::TryFast(const FileChanges& changes) const {
  Result<CachedFile> opened = OpenCached(path, O_PATH | (follow ? 0 : O_NOFOLLOW), changes);
  if (!opened) {
    const int error = opened.error().err;
    if (error == EAGAIN || error == EMFILE || error == ENFILE) return std::nullopt;
    return Err(ErrorOf(*this, error));
  }
  struct statx info;
  const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
  if (::statx(opened->fd.get(), "", flags, kStatxMask, &info) == -1) return std::nullopt;
  if (changes.MayAffect(DeviceOf(info), info.stx_ino)) return std::nullopt;
  if (!IsLocalDevice(opened->fd.get(), DeviceOf(info))) return std::nullopt;
  return ToFileStat(info);
}

void Stat::Prepare(io_uring_sqe& sqe) const {
  answer = std::make_shared<Answer>();
  PreparePath(sqe, IORING_OP_STATX, path);
  sqe.len = kStatxMask;
  sqe.off = reinterpret_cast<uint64_t>(&answer->info);
  sqe.statx_flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
}

Result<FileStat> Stat::Finish(int) const { return ToFileStat(answer->info); }

Result<FsStat> StatFs::Run() const {
  struct statfs info;
  if (::statfs(path.c_str(), &info) == -1) return Err(ErrorOf(*this, errno));
  return FsStat{.type = static_cast<uint64_t>(info.f_type),
                .bsize = static_cast<uint64_t>(info.f_bsize),
                .frsize = static_cast<uint64_t>(info.f_frsize),
                .blocks = info.f_blocks,
                .bfree = info.f_bfree,
                .bavail = info.f_bavail,
                .files = info.f_files,
                .ffree = info.f_ffree};
}

// --- Access ---

Result<void> Access::Run() const { return Check(*this, ::access(path.c_str(), mode)); }

std::optional<Result<void>> Access::TryFast(const FileChanges& changes) const {
  // Existence only: rights are checked with the real ids, which takes the path again.
  if (mode != F_OK) return std::nullopt;
  Result<CachedFile> opened = OpenCached(path, O_PATH, changes);
  if (opened) return Result<void>();
  const int error = opened.error().err;
  if (error == EAGAIN || error == EMFILE || error == ENFILE) return std::nullopt;
  return Err(ErrorOf(*this, error));
}

// --- names ---

Result<void> Rename::Run() const { return Check(*this, ::rename(path.c_str(), dest.c_str())); }
void Rename::Prepare(io_uring_sqe& sqe) const { PrepareTwoPaths(sqe, IORING_OP_RENAMEAT, path, dest); }

Result<void> Unlink::Run() const { return Check(*this, ::unlink(path.c_str())); }
void Unlink::Prepare(io_uring_sqe& sqe) const { PreparePath(sqe, IORING_OP_UNLINKAT, path); }

Result<void> Rmdir::Run() const { return Check(*this, ::rmdir(path.c_str())); }
void Rmdir::Prepare(io_uring_sqe& sqe) const {
  PreparePath(sqe, IORING_OP_UNLINKAT, path);
  sqe.unlink_flags = AT_REMOVEDIR;
}

Result<void> Mkdir::Run() const { return Check(*this, ::mkdir(path.c_str(), mode)); }
void Mkdir::Prepare(io_uring_sqe& sqe) const {
  PreparePath(sqe, IORING_OP_MKDIRAT, path);
  sqe.len = mode;
}

Result<void> Link::Run() const { return Check(*this, ::link(path.c_str(), dest.c_str())); }
void Link::Prepare(io_uring_sqe& sqe) const { PrepareTwoPaths(sqe, IORING_OP_LINKAT, path, dest); }

Result<void> Symlink::Run() const { return Check(*this, ::symlink(target.c_str(), path.c_str())); }
void Symlink::Prepare(io_uring_sqe& sqe) const {
  // The ring takes the target first and the new directory in fd.
  PreparePath(sqe, IORING_OP_SYMLINKAT, target);
  sqe.addr2 = reinterpret_cast<uint64_t>(path.c_str());
}

Result<std::string> Readlink::Run() const {
  std::string target(256, '\0');
  while (true) {
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size == -1) return Err(ErrorOf(*this, errno));
    if (static_cast<size_t>(size) < target.size()) {
      target.resize(static_cast<size_t>(size));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

Result<std::string> Realpath::Run() const {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return Err(ErrorOf(*this, errno));
  std::string result = resolved;
  std::free(resolved);
  return result;
}

// --- attributes ---

Result<void> Chmod::Run() const { return Check(*this, ::chmod(path.c_str(), mode)); }

Result<void> Chown::Run() const { return Check(*this, (follow ? ::chown : ::lchown)(path.c_str(), uid, gid)); }

Result<void> Utimes::Run() const {
  timespec times[2];
  FillTimes(atime, mtime, times);
  const int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  return Check(*this, ::utimensat(AT_FDCWD, path.c_str(), times, flags));
}

// --- making ---

Result<std::string> MkdirRecursive::Run() const {
  // Upwards until a parent exists, then down again.
  std::vector<std::string> missing = {path};
  std::string first;
  bool parent_exists = false;
  while (!missing.empty()) {
    const std::string& current = missing.back();
    if (::mkdir(current.c_str(), mode) == 0) {
      if (first.empty()) first = current;
      missing.pop_back();
      parent_exists = true;
      continue;
    }
    const int error = errno;
    struct stat info;
    if (error == ENOENT) {
      const size_t end = current.find_last_not_of('/');
      const size_t slash = end == std::string::npos ? end : current.rfind('/', end);
      // In /proc nothing can be made although the parent is there.
      if (slash == std::string::npos || slash == 0 || parent_exists) return Err(error, "mkdir", path);
      missing.push_back(current.substr(0, slash));
      continue;
    }
    if (error == EACCES || error == EPERM || error == ENOTDIR) {
      return Err(error, "mkdir", path);
    }
    // It may be there already, or in a way on a read-only file system.
    if (::stat(current.c_str(), &info) == -1) return Err(errno == ENOENT ? error : errno, "mkdir", path);
    if (!S_ISDIR(info.st_mode)) {
      return Err(error == EEXIST && missing.size() > 1 ? ENOTDIR : error, "mkdir", path);
    }
    missing.pop_back();
    parent_exists = true;
  }
  return first;
}

Result<std::string> Mkdtemp::Run() const {
  std::string path = prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return base::ErrFromErrno("mkdtemp", prefix + "XXXXXX");
  return path;
}

namespace {

constexpr int kCopyExclusive = 1;
constexpr int kCopyClone = 2;
constexpr int kCopyCloneOnly = 4;

int CopyBytes(int from, int to, uint64_t size) {
  uint64_t left = size;
  bool use_sendfile = false;
  while (left > 0) {
    const size_t chunk = static_cast<size_t>(std::min<uint64_t>(left, 1u << 30));
    const ssize_t moved = RetryEintr([&]() -> ssize_t {
      if (use_sendfile) return ::sendfile(to, from, nullptr, chunk);
      return ::copy_file_range(from, nullptr, to, nullptr, chunk, 0);
    });
    if (moved == 0) return 0;
    if (moved > 0) {
      left -= static_cast<uint64_t>(moved);
      continue;
    }
    const bool refused = errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP ||
                         errno == EPERM || errno == EIO || errno == ETXTBSY;
    if (use_sendfile || !refused) return errno;
    use_sendfile = true;
  }
  return 0;
}

int CopyContents(int from, int to, const struct stat& info, int mode) {
  if ((mode & (kCopyClone | kCopyCloneOnly)) != 0) {
    if (::ioctl(to, FICLONE, from) == 0) return 0;
    if ((mode & kCopyCloneOnly) != 0) return errno == EOPNOTSUPP ? ENOTSUP : errno;
  }
  if (info.st_size == 0) {
    // /proc and its like tell no size: read to the end.
    char buffer[16384];
    while (true) {
      const ssize_t got = RetryEintr([&] { return ::read(from, buffer, sizeof(buffer)); });
      if (got <= 0) return got == 0 ? 0 : errno;
      for (ssize_t done = 0; done < got;) {
        const ssize_t put = RetryEintr([&] { return ::write(to, buffer + done, static_cast<size_t>(got - done)); });
        if (put == -1) return errno;
        done += put;
      }
    }
  }
  return CopyBytes(from, to, static_cast<uint64_t>(info.st_size));
}

}  // namespace

Result<void> CopyFile::Run() const {
  const auto fail = [this](int error) { return Err(ErrorOf(*this, error)); };
  base::OwnedFd from(RetryEintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!from) return fail(errno);
  struct stat source;
  if (::fstat(from.get(), &source) == -1) return fail(errno);
  const int exclusive = (mode & kCopyExclusive) != 0 ? O_EXCL : 0;
  base::OwnedFd to(
      RetryEintr([&] { return ::open(dest.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, source.st_mode); }));
  if (!to) return fail(errno);
  struct stat target;
  if (::fstat(to.get(), &target) == -1) return fail(errno);
  // Onto itself: nothing to do.
  if (source.st_dev == target.st_dev && source.st_ino == target.st_ino) return {};
  if (RetryEintr([&] { return ::ftruncate(to.get(), 0); }) == -1) return fail(errno);
  if (::fchmod(to.get(), source.st_mode) == -1 && errno != EPERM) return fail(errno);
  if (const int error = CopyContents(from.get(), to.get(), source, mode); error != 0) {
    ::unlink(dest.c_str());
    return fail(error);
  }
  return {};
}

}  // namespace gyre::loop::fs
