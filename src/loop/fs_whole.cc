// Whole-file operations: one job instead of a round trip for each system call.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "loop/fs_internal.h"
#include "loop/fs_ops.h"
#include "sys/fault.h"

namespace gyre::loop::fs {
namespace {

using sys::Call;
using sys::InjectedError;
using sys::InjectedLimit;

// What may be copied on the loop's thread.
constexpr uint64_t kFastFileBytes = 256 * 1024;
constexpr size_t kFirstChunk = 64 * 1024;
constexpr size_t kMaxChunk = 1 << 30;

Result<size_t> ReadSome(int fd, uint8_t* data, size_t size) {
  if (int err = InjectedError(Call::kRead, fd)) return Err(err, "read");
  size = InjectedLimit(Call::kRead, fd, std::min(size, kMaxChunk));
  const ssize_t got = RetryEintr([&] { return ::read(fd, data, size); });
  if (got == -1) return base::ErrFromErrno("read");
  return static_cast<size_t>(got);
}

// Reads to the end, growing; for what does not tell its size.
Result<base::Bytes> ReadGrowing(int fd, uint64_t limit) {
  base::Bytes bytes = base::Bytes::Allocate(kFirstChunk);
  if (bytes.data() == nullptr) return Err(ENOMEM, "read");
  size_t used = 0;
  while (true) {
    if (used == bytes.size() && !bytes.Resize(used * 2)) return Err(ENOMEM, "read");
    Result<size_t> got = ReadSome(fd, bytes.data() + used, bytes.size() - used);
    if (!got) return Err(std::move(got.error()));
    if (*got == 0) break;
    used += *got;
    if (used > limit) return Err(EFBIG, "read");
  }
  if (!bytes.Resize(used)) return Err(ENOMEM, "read");
  return bytes;
}

Result<base::Bytes> ReadSized(int fd, uint64_t size) {
  base::Bytes bytes = base::Bytes::Allocate(size);
  if (bytes.data() == nullptr) return Err(ENOMEM, "read");
  size_t used = 0;
  while (used < size) {
    Result<size_t> got = ReadSome(fd, bytes.data() + used, size - used);
    if (!got) return Err(std::move(got.error()));
    if (*got == 0) break;
    used += *got;
  }
  if (used < size && !bytes.Resize(used)) return Err(ENOMEM, "read");
  return bytes;
}

// What is left to read of a regular file; the position of a descriptor we were given counts.
uint64_t LeftToRead(int fd, uint64_t size, int64_t& position) {
  position = ::lseek(fd, 0, SEEK_CUR);
  if (position < 0) position = 0;
  const auto start = static_cast<uint64_t>(position);
  return start < size ? size - start : 0;
}

}  // namespace

Result<base::Bytes> ReadWholeFile::Run() const {
  base::OwnedFd opened;
  if (fd == -1) {
    Result<base::OwnedFd> result = Open{.path = path, .flags = flags}.Run();
    if (!result) return Err(std::move(result.error()));
    opened = std::move(*result);
  }
  const int source = fd == -1 ? opened.get() : fd;
  struct stat info;
  if (::fstat(source, &info) == -1) return base::ErrFromErrno("fstat");
  if (S_ISDIR(info.st_mode)) return Err(EISDIR, "read");
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return ReadGrowing(source, limit);
  auto size = static_cast<uint64_t>(info.st_size);
  if (size > limit) return Err(EFBIG, "read");
  int64_t position = 0;
  if (fd != -1) size = LeftToRead(source, size, position);
  if (size == 0) return base::Bytes();
  return ReadSized(source, size);
}

std::optional<Result<base::Bytes>> ReadWholeFile::TryFast(const FileChanges& changes) const {
  CachedFile opened;
  if (fd == -1) {
    Result<CachedFile> result = OpenCached(path, flags, changes);
    if (!result) {
      if (result.error().err == EAGAIN) return std::nullopt;
      return Err(std::move(result.error()));
    }
    opened = std::move(*result);
  } else if (changes.MayAffect(fd) || ::fstat(fd, &opened.info) == -1) {
    return std::nullopt;
  }
  const struct stat& info = opened.info;
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  const int source = fd == -1 ? opened.fd.get() : fd;
  auto size = static_cast<uint64_t>(info.st_size);
  if (size > std::min(limit, kFastFileBytes)) return std::nullopt;
  int64_t position = 0;
  if (fd != -1) size = LeftToRead(source, size, position);
  if (InjectedError(Call::kRead, source) != 0) return std::nullopt;
  base::Bytes bytes = base::Bytes::Allocate(std::max<size_t>(size, 1));
  if (bytes.data() == nullptr) return std::nullopt;
  const iovec vector = {bytes.data(), bytes.size()};
  const ssize_t got = ::preadv2(source, &vector, 1, position, RWF_NOWAIT);
  if (got < 0 || static_cast<uint64_t>(got) != size) return std::nullopt;
  if (fd != -1) ::lseek(source, position + got, SEEK_SET);
  if (size == 0) return base::Bytes();
  return bytes;
}

Result<void> WriteWholeFile::Run() const {
  base::OwnedFd opened;
  if (fd == -1) {
    Result<base::OwnedFd> result = Open{.path = path, .flags = flags, .mode = mode}.Run();
    if (!result) return Err(std::move(result.error()));
    opened = std::move(*result);
  }
  const int target = fd == -1 ? opened.get() : fd;
  for (std::span<const uint8_t> left = data; !left.empty();) {
    Result<size_t> wrote = Write{.fd = target, .buffer = left}.Run();
    if (!wrote) return Err(std::move(wrote.error()));
    left = left.subspan(*wrote);
  }
  if (flush) {
    if (Result<void> synced = Sync{.fd = target}.Run(); !synced) return synced;
  }
  if (fd == -1) return Close{.fd = opened.Release()}.Run();
  return {};
}

}  // namespace gyre::loop::fs
