// File operations on descriptors, and opening them.
#include <fcntl.h>
#include <liburing.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>

#include "loop/fs_internal.h"
#include "loop/fs_ops.h"
#include "sys/fault.h"

namespace gyre::loop::fs {
namespace {

using sys::Call;
using sys::InjectedError;
using sys::InjectedLimit;

// The largest transfer done on the loop's thread: copying it takes some tens of microseconds.
constexpr size_t kFastBytes = 256 * 1024;
// What one read or write may move on Linux.
constexpr size_t kMaxTransfer = 0x7ffff000;

size_t TotalSize(std::span<const iovec> buffers) {
  size_t total = 0;
  for (const iovec& buffer : buffers) total += buffer.iov_len;
  return total;
}

std::span<const iovec> AtMostIovMax(std::span<const iovec> buffers) {
  return buffers.first(std::min<size_t>(buffers.size(), IOV_MAX));
}

// Reading or writing vectors, blocking or not.
Result<size_t> Transfer(Call call, int fd, std::span<const iovec> buffers, int64_t offset, int flags) {
  const char* name = call == Call::kRead ? "read" : "write";
  if (int err = InjectedError(call, fd)) return Err(err, name);
  buffers = AtMostIovMax(buffers);
  iovec first;
  if (!buffers.empty()) {
    const size_t limit = InjectedLimit(call, fd, buffers[0].iov_len);
    if (limit < buffers[0].iov_len) {
      first = {buffers[0].iov_base, limit};
      buffers = std::span<const iovec>(&first, 1);
    }
  }
  const int count = static_cast<int>(buffers.size());
  const ssize_t moved = RetryEintr([&]() -> ssize_t {
    if (call == Call::kRead) return ::preadv2(fd, buffers.data(), count, offset, flags);
    return ::pwritev2(fd, buffers.data(), count, offset, flags);
  });
  if (moved == -1) return base::ErrFromErrno(name);
  return static_cast<size_t>(moved);
}

bool IsRefusal(int error) { return error == EAGAIN || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS; }

// Whether a read of a file ended before the end of the file: only a part was in memory.
bool StoppedEarly(int fd, int64_t offset, size_t got) {
  struct stat info;
  if (::fstat(fd, &info) == -1 || !S_ISREG(info.st_mode)) return false;
  const int64_t end = offset >= 0 ? offset + static_cast<int64_t>(got) : ::lseek(fd, 0, SEEK_CUR);
  return end < info.st_size;
}

std::optional<Result<size_t>> TryRead(int fd, std::span<const iovec> buffers, int64_t offset,
                                      const FileChanges& changes) {
  const size_t total = TotalSize(buffers);
  if (total > kFastBytes || changes.MayAffect(fd)) return std::nullopt;
  Result<size_t> got = Transfer(Call::kRead, fd, buffers, offset, RWF_NOWAIT);
  // EAGAIN: it would block; others: this file cannot tell.
  if (!got && IsRefusal(got.error().err)) return std::nullopt;
  // Programs expect whole reads of files.
  if (got && *got != 0 && *got < total && StoppedEarly(fd, offset, *got)) {
    if (offset < 0) ::lseek(fd, -static_cast<off_t>(*got), SEEK_CUR);
    return std::nullopt;
  }
  return got;
}

iovec ToVector(std::span<const uint8_t> buffer) {
  return {const_cast<uint8_t*>(buffer.data()), std::min(buffer.size(), kMaxTransfer)};
}

void PrepareTransfer(io_uring_sqe& sqe, uint8_t opcode, int fd, const void* address, size_t length, int64_t offset) {
  sqe.opcode = opcode;
  sqe.fd = fd;
  sqe.addr = reinterpret_cast<uint64_t>(address);
  sqe.len = static_cast<uint32_t>(length);
  sqe.off = static_cast<uint64_t>(offset);  // -1: at the file position
}

// Where a transfer at the file position begins; -1 for what has none, or knows its own.
int64_t StartOf(int fd, int64_t offset) { return offset == kCurrentPosition ? ::lseek(fd, 0, SEEK_CUR) : -1; }

// What the ring moved. Linux (6.18) leaves the file position where it was when a transfer fails in its middle, though
// it tells of the part that was moved: the next write would go over that part.
size_t Moved(int fd, int64_t start, size_t asked, int result) {
  const auto moved = static_cast<size_t>(result);
  if (start < 0 || moved == 0 || moved == asked || ::lseek(fd, 0, SEEK_CUR) != start) return moved;
  ::lseek(fd, start + result, SEEK_SET);
  return moved;
}

timespec ToTimespec(double seconds) {
  const double whole = std::floor(seconds);
  timespec time;
  time.tv_sec = static_cast<time_t>(whole);
  // Microseconds are what a double keeps of a present-day time.
  time.tv_nsec = static_cast<long>(std::round((seconds - whole) * 1e6)) * 1000;
  if (time.tv_nsec >= 1'000'000'000) {
    time.tv_nsec -= 1'000'000'000;
    ++time.tv_sec;
  }
  return time;
}

}  // namespace

void FillTimes(double atime, double mtime, timespec (&out)[2]) {
  out[0] = ToTimespec(atime);
  out[1] = ToTimespec(mtime);
}

// --- Open ---

Result<base::OwnedFd> Open::Run() const {
  if (int err = InjectedError(Call::kOpen)) return Err(err, "open", path);
  const int fd = RetryEintr([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  if (fd == -1) return base::ErrFromErrno("open", path);
  return base::OwnedFd(fd);
}

ChangeExtent Open::Changes() const {
  return (flags & kChangingFlags) != 0 ? ChangeExtent::kTree : ChangeExtent::kNothing;
}

std::optional<Result<base::OwnedFd>> Open::TryFast(const FileChanges& changes) const {
  Result<CachedFile> opened = OpenCached(path, flags, changes);
  if (!opened) {
    if (opened.error().err == EAGAIN) return std::nullopt;
    return Err(std::move(opened.error()));
  }
  // The descriptor may be handed to other programs: in the mode that was asked for.
  if ((flags & (O_NONBLOCK | O_PATH)) == 0) ::fcntl(opened->fd.get(), F_SETFL, flags & ~O_CLOEXEC);
  return std::move(opened->fd);
}

void Open::Prepare(io_uring_sqe& sqe) const {
  sqe.opcode = IORING_OP_OPENAT;
  sqe.fd = AT_FDCWD;
  sqe.addr = reinterpret_cast<uint64_t>(path.c_str());
  sqe.len = mode;
  sqe.open_flags = static_cast<uint32_t>(flags | O_CLOEXEC);
}

// --- Close ---

Result<void> Close::Run() const {
  if (int err = InjectedError(Call::kClose, fd)) return Err(err, "close");
  // EINTR still closed it.
  if (::close(fd) == -1 && errno != EINTR && errno != EINPROGRESS) return base::ErrFromErrno("close");
  return {};
}

std::optional<Result<void>> Close::TryFast(const FileChanges& changes) const {
  // Closing what was written may flush it (on network file systems); what was only read has nothing to flush.
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags == -1) return Err(errno, "close");
  if (changes.Of(fd)) return std::nullopt;
  struct stat info;
  if ((flags & O_ACCMODE) != O_RDONLY && (::fstat(fd, &info) == -1 || !IsLocalDevice(fd, info.st_dev))) {
    return std::nullopt;
  }
  return Run();
}

void Close::Prepare(io_uring_sqe& sqe) const {
  sqe.opcode = IORING_OP_CLOSE;
  sqe.fd = fd;
}

// --- reading and writing ---

Result<size_t> Read::Run() const {
  const iovec vector = ToVector(buffer);
  return Transfer(Call::kRead, fd, {&vector, 1}, offset, 0);
}

std::optional<Result<size_t>> Read::TryFast(const FileChanges& changes) const {
  const iovec vector = ToVector(buffer);
  return TryRead(fd, {&vector, 1}, offset, changes);
}

void Read::Prepare(io_uring_sqe& sqe) const {
  start = StartOf(fd, offset);
  PrepareTransfer(sqe, IORING_OP_READ, fd, buffer.data(), std::min(buffer.size(), kMaxTransfer), offset);
}

Result<size_t> Read::Finish(int result) const { return Moved(fd, start, buffer.size(), result); }

Result<size_t> ReadVector::Run() const { return Transfer(Call::kRead, fd, buffers, offset, 0); }

std::optional<Result<size_t>> ReadVector::TryFast(const FileChanges& changes) const {
  return TryRead(fd, buffers, offset, changes);
}

void ReadVector::Prepare(io_uring_sqe& sqe) const {
  start = StartOf(fd, offset);
  PrepareTransfer(sqe, IORING_OP_READV, fd, buffers.data(), AtMostIovMax(buffers).size(), offset);
}

Result<size_t> ReadVector::Finish(int result) const {
  return Moved(fd, start, TotalSize(AtMostIovMax(buffers)), result);
}

Result<size_t> Write::Run() const {
  const iovec vector = ToVector(buffer);
  return Transfer(Call::kWrite, fd, {&vector, 1}, offset, 0);
}

void Write::Prepare(io_uring_sqe& sqe) const {
  start = StartOf(fd, offset);
  PrepareTransfer(sqe, IORING_OP_WRITE, fd, buffer.data(), std::min(buffer.size(), kMaxTransfer), offset);
}

Result<size_t> Write::Finish(int result) const { return Moved(fd, start, buffer.size(), result); }

Result<size_t> WriteVector::Run() const { return Transfer(Call::kWrite, fd, buffers, offset, 0); }

void WriteVector::Prepare(io_uring_sqe& sqe) const {
  start = StartOf(fd, offset);
  PrepareTransfer(sqe, IORING_OP_WRITEV, fd, buffers.data(), AtMostIovMax(buffers).size(), offset);
}

Result<size_t> WriteVector::Finish(int result) const {
  return Moved(fd, start, TotalSize(AtMostIovMax(buffers)), result);
}

// --- the rest ---

Result<FileStat> Fstat::Run() const {
  struct statx info;
  if (::statx(fd, "", AT_EMPTY_PATH, kStatxMask, &info) == -1) return base::ErrFromErrno("fstat");
  return ToFileStat(info);
}

std::optional<Result<FileStat>> Fstat::TryFast(const FileChanges& changes) const {
  struct statx info;
  // What the inode in memory says: never blocks, and on local file systems it is the truth.
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, kStatxMask, &info) == -1) {
    return Err(errno, "fstat");
  }
  if (changes.MayAffect(DeviceOf(info), info.stx_ino) || !IsLocalDevice(fd, DeviceOf(info))) return std::nullopt;
  return ToFileStat(info);
}

Result<void> Sync::Run() const {
  if (int err = InjectedError(Call::kSync, fd)) return Err(err, Syscall());
  return Check(*this, RetryEintr([&] { return data_only ? ::fdatasync(fd) : ::fsync(fd); }));
}

void Sync::Prepare(io_uring_sqe& sqe) const {
  sqe.opcode = IORING_OP_FSYNC;
  sqe.fd = fd;
  sqe.fsync_flags = data_only ? IORING_FSYNC_DATASYNC : 0;
}

Result<void> Ftruncate::Run() const {
  return Check(*this, RetryEintr([&] { return ::ftruncate(fd, length); }));
}

Result<void> Fchmod::Run() const {
  return Check(*this, RetryEintr([&] { return ::fchmod(fd, mode); }));
}

Result<void> Fchown::Run() const {
  return Check(*this, RetryEintr([&] { return ::fchown(fd, uid, gid); }));
}

Result<void> Futimes::Run() const {
  timespec times[2];
  FillTimes(atime, mtime, times);
  return Check(*this, ::futimens(fd, times));
}

}  // namespace gyre::loop::fs
