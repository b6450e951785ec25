// File operations on directories.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "loop/fs_internal.h"
#include "loop/fs_ops.h"
#include "sys/fault.h"

namespace gyre::loop::fs {
namespace {

EntryType ToType(unsigned char type) {
  switch (type) {
    case DT_REG:
      return EntryType::kFile;
    case DT_DIR:
      return EntryType::kDir;
    case DT_LNK:
      return EntryType::kLink;
    case DT_FIFO:
      return EntryType::kFifo;
    case DT_SOCK:
      return EntryType::kSocket;
    case DT_CHR:
      return EntryType::kChar;
    case DT_BLK:
      return EntryType::kBlock;
    default:
      return EntryType::kUnknown;
  }
}

bool IsDots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// The next entry that is not a dot; null at the end (errno 0) or on failure.
const dirent* NextEntry(DIR* stream) {
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr || !IsDots(entry->d_name)) return entry;
  }
}

Result<void> FailRemoval(int error, const std::string& path) { return Err(error, "rm", path); }

// Removes what `name` in `parent` is. `path` is for the error only.
Result<void> RemoveAt(int parent, const char* name, const std::string& path, int depth) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return {};
  const int error = errno;
  if (error != EISDIR && error != EPERM) return FailRemoval(error, path);
  // O_NOFOLLOW: what became a link meanwhile is not entered.
  base::OwnedFd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) return {};
    return FailRemoval(errno == ENOTDIR ? error : errno, path);
  }
  DIR* stream = ::fdopendir(fd.get());
  if (stream == nullptr) return FailRemoval(errno, path);
  const int directory = fd.Release();
  Dir owner(stream);
  // Deleting while reading may skip entries on some file systems: repeat until nothing is found.
  for (bool found = true; found;) {
    found = false;
    ::rewinddir(stream);
    while (const dirent* entry = NextEntry(stream)) {
      found = true;
      const std::string child = path + "/" + entry->d_name;
      if (depth > 4096) return FailRemoval(ELOOP, path);
      if (Result<void> removed = RemoveAt(directory, entry->d_name, child, depth + 1); !removed) return removed;
    }
    if (errno != 0) return FailRemoval(errno, path);
  }
  if (::unlinkat(parent, name, AT_REMOVEDIR) == -1 && errno != ENOENT) return FailRemoval(errno, path);
  return {};
}

}  // namespace

Dir::~Dir() { CloseNow(); }

int Dir::CloseNow() {
  if (stream_ == nullptr) return EBADF;
  const int result = ::closedir(stream_);
  stream_ = nullptr;
  return result == -1 ? errno : 0;
}

Result<std::vector<DirEntry>> ScanDir::Run() const {
  DIR* stream = ::opendir(path.c_str());
  if (stream == nullptr) return base::ErrFromErrno("scandir", path);
  Dir owner(stream);
  std::vector<DirEntry> entries;
  while (const dirent* entry = NextEntry(stream)) entries.push_back({entry->d_name, ToType(entry->d_type)});
  if (errno != 0) return base::ErrFromErrno("scandir", path);
  std::ranges::sort(entries, {}, &DirEntry::name);
  return entries;
}

Result<std::shared_ptr<Dir>> OpenDir::Run() const {
  DIR* stream = ::opendir(path.c_str());
  if (stream == nullptr) return base::ErrFromErrno("opendir", path);
  return std::make_shared<Dir>(stream);
}

Result<std::vector<DirEntry>> ReadDir::Run() const {
  if (dir == nullptr || dir->stream() == nullptr) return Err(EBADF, "scandir");
  std::vector<DirEntry> entries;
  while (entries.size() < count) {
    const dirent* entry = NextEntry(dir->stream());
    if (entry == nullptr) {
      if (errno != 0) return base::ErrFromErrno("scandir");
      break;
    }
    entries.push_back({entry->d_name, ToType(entry->d_type)});
  }
  return entries;
}

Result<void> CloseDir::Run() const {
  if (dir == nullptr) return Err(EBADF, "closedir");
  if (const int error = dir->CloseNow(); error != 0) return Err(error, "closedir");
  return {};
}

Result<void> RemoveTree::Run() const {
  struct stat info;
  if (::lstat(path.c_str(), &info) == -1) {
    if (errno == ENOENT && force) return {};
    return base::ErrFromErrno("rm", path);
  }
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(path.c_str()) == -1 && errno != ENOENT) return base::ErrFromErrno("rm", path);
    return {};
  }
  if (!recursive) return Err(EISDIR, "rm", path);
  return RemoveAt(AT_FDCWD, path.c_str(), path, 0);
}

}  // namespace gyre::loop::fs
