// File operations. Each is written once, as a small struct with its arguments and a Value type, and is used in two
// ways:
//
//   Result<FileStat> now = fs::Stat{.path = "a"}.Run();                          // blocks; any thread
//   fs::Submit(loop, fs::Stat{.path = "a"}, [](Result<FileStat> r) { ... });     // completes in the poll phase
//
// Submit() first tries what cannot block, then the ring (where the backend has one), then the fs lane. Whichever path
// it took, the completion runs in the loop's poll phase, never inside Submit(), and in submission order among those
// that finished at once. Thread: Submit() the loop's; Run() any. Memory that an operation points to (buffers) must stay
// alive until its completion ran: capture its owner in the completion function. Paths are bytes without NUL. Errors
// carry Node's syscall names and path/dest.
#ifndef GYRE_LOOP_FS_OPS_H_
#define GYRE_LOOP_FS_OPS_H_

#include <dirent.h>
#include <fcntl.h>
#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/owned_fd.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "loop/fs_job.h"
#include "loop/loop.h"

namespace gyre::loop {

struct FileTime {
  int64_t seconds = 0;
  int64_t nanos = 0;
};

struct FileStat {
  uint64_t dev = 0;
  uint64_t mode = 0;
  uint64_t nlink = 0;
  uint64_t uid = 0;
  uint64_t gid = 0;
  uint64_t rdev = 0;
  uint64_t blksize = 0;
  uint64_t ino = 0;
  uint64_t size = 0;
  uint64_t blocks = 0;
  FileTime atime;
  FileTime mtime;
  FileTime ctime;
  FileTime birthtime;
};

struct FsStat {
  uint64_t type = 0;
  uint64_t bsize = 0;
  uint64_t frsize = 0;
  uint64_t blocks = 0;
  uint64_t bfree = 0;
  uint64_t bavail = 0;
  uint64_t files = 0;
  uint64_t ffree = 0;
};

enum class EntryType : uint8_t {
  // The values of libuv's uv_dirent_type_t, which fs.constants exposes as UV_DIRENT_*.
  kUnknown = 0,
  kFile = 1,
  kDir = 2,
  kLink = 3,
  kFifo = 4,
  kSocket = 5,
  kChar = 6,
  kBlock = 7
};

struct DirEntry {
  std::string name;
  EntryType type = EntryType::kUnknown;
};

namespace fs {

// Offset that means "at the file position, and move it".
inline constexpr int64_t kCurrentPosition = -1;

template <class Op>
using Done = base::UniqueFunction<void(Result<typename Op::Value>)>;

// Starts `op`; see the top of this file. Keeps the loop alive until completion. A completion whose loop is destroyed
// first is dropped unrun, and what it owns with it. Returns an id for Cancel().
template <class Op>
OpId Submit(Loop& loop, Op op, Done<Op> done) {
  return SubmitJob(loop, std::make_unique<FileJobOf<Op>>(std::move(op), std::move(done)));
}

// Cancels an operation that has not begun (it then completes with ECANCELED). False: too late, it completes as it does.
// bool Cancel(Loop& loop, OpId id);   (fs_job.h)

// --- descriptors ---
struct Open {
  using Value = base::OwnedFd;
  static constexpr FileOpTraits kTraits = {.kind = "open", .try_fast = true, .on_ring = true};
  std::string path;
  int flags = O_RDONLY;  // O_CLOEXEC is added
  uint32_t mode = 0666;
  Result<Value> Run() const;
  std::optional<Result<Value>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<Value> Finish(int result) const;
};

struct Close {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "close", .try_fast = true, .on_ring = true};
  int fd = -1;
  Result<void> Run() const;
  std::optional<Result<void>> TryFast() const;  // closes at once what was opened only for reading
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

// Reads into `buffer`, which the completion keeps alive. The number of bytes, 0 at the end.
struct Read {
  using Value = size_t;
  static constexpr FileOpTraits kTraits = {.kind = "read", .try_fast = true, .on_ring = true};
  int fd = -1;
  std::span<uint8_t> buffer;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<size_t> Finish(int result) const;
};

struct ReadVector {
  using Value = size_t;
  static constexpr FileOpTraits kTraits = {.kind = "read", .try_fast = true, .on_ring = true};
  int fd = -1;
  std::vector<iovec> buffers;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<size_t> Finish(int result) const;
};

// One write: the number of bytes taken, which may be fewer than given.
struct Write {
  using Value = size_t;
  static constexpr FileOpTraits kTraits = {.kind = "write", .try_fast = false, .on_ring = true};
  int fd = -1;
  std::span<const uint8_t> buffer;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<size_t> Finish(int result) const;
};

struct WriteVector {
  using Value = size_t;
  static constexpr FileOpTraits kTraits = {.kind = "write", .try_fast = false, .on_ring = true};
  int fd = -1;
  std::vector<iovec> buffers;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<size_t> Finish(int result) const;
};

struct Fstat {
  using Value = FileStat;
  static constexpr FileOpTraits kTraits = {.kind = "fstat", .try_fast = true, .on_ring = false};
  int fd = -1;
  Result<FileStat> Run() const;
  std::optional<Result<FileStat>> TryFast() const;
};

struct Sync {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "fsync", .try_fast = false, .on_ring = true};
  int fd = -1;
  bool data_only = false;  // fdatasync
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Ftruncate {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "ftruncate"};
  int fd = -1;
  int64_t length = 0;
  Result<void> Run() const;
};

struct Fchmod {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "fchmod"};
  int fd = -1;
  uint32_t mode = 0;
  Result<void> Run() const;
};

struct Fchown {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "fchown"};
  int fd = -1;
  uint32_t uid = 0;
  uint32_t gid = 0;
  Result<void> Run() const;
};

struct Futimes {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "futime"};
  int fd = -1;
  double atime = 0;  // seconds since 1970; may be fractional or negative
  double mtime = 0;
  Result<void> Run() const;
};

// --- paths ---
struct Stat {
  using Value = FileStat;
  static constexpr FileOpTraits kTraits = {.kind = "stat", .try_fast = true, .on_ring = true};
  std::string path;
  bool follow = true;  // false: lstat
  Result<FileStat> Run() const;
  std::optional<Result<FileStat>> TryFast() const;
  bool Prepare(RingRequest& request) const;
  Result<FileStat> Finish(int result) const;
  // Where the ring puts its answer.
  struct Answer;
  mutable std::shared_ptr<Answer> answer = nullptr;
};

struct StatFs {
  using Value = FsStat;
  static constexpr FileOpTraits kTraits = {.kind = "statfs"};
  std::string path;
  Result<FsStat> Run() const;
};

struct Access {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "access", .try_fast = true, .on_ring = false};
  std::string path;
  int mode = 0;  // F_OK, R_OK | W_OK | X_OK
  Result<void> Run() const;
  std::optional<Result<void>> TryFast() const;
};

struct Rename {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "rename", .try_fast = false, .on_ring = true};
  std::string path;
  std::string dest;
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Unlink {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "unlink", .try_fast = false, .on_ring = true};
  std::string path;
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Rmdir {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "rmdir", .try_fast = false, .on_ring = true};
  std::string path;
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Mkdir {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "mkdir", .try_fast = false, .on_ring = true};
  std::string path;
  uint32_t mode = 0777;
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

// mkdir -p. The first directory that was made, or "" if none had to be.
struct MkdirRecursive {
  using Value = std::string;
  static constexpr FileOpTraits kTraits = {.kind = "mkdir"};
  std::string path;
  uint32_t mode = 0777;
  Result<std::string> Run() const;
};

struct Link {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "link", .try_fast = false, .on_ring = true};
  std::string path;
  std::string dest;
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Symlink {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "symlink", .try_fast = false, .on_ring = true};
  std::string target;  // Error::path
  std::string path;    // Error::dest
  Result<void> Run() const;
  bool Prepare(RingRequest& request) const;
  Result<void> Finish(int result) const;
};

struct Readlink {
  using Value = std::string;
  static constexpr FileOpTraits kTraits = {.kind = "readlink"};
  std::string path;
  Result<std::string> Run() const;
};

struct Realpath {
  using Value = std::string;
  static constexpr FileOpTraits kTraits = {.kind = "realpath"};
  std::string path;
  Result<std::string> Run() const;
};

struct Chmod {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "chmod"};
  std::string path;
  uint32_t mode = 0;
  Result<void> Run() const;
};

struct Chown {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "chown"};
  std::string path;
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool follow = true;  // false: lchown
  Result<void> Run() const;
};

struct Utimes {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "utime"};
  std::string path;
  double atime = 0;
  double mtime = 0;
  bool follow = true;  // false: lutime
  Result<void> Run() const;
};

// `mode`: 1 COPYFILE_EXCL, 2 COPYFILE_FICLONE, 4 COPYFILE_FICLONE_FORCE.
struct CopyFile {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "copyfile"};
  std::string path;
  std::string dest;
  int mode = 0;
  Result<void> Run() const;
};

// Appends six random characters to `prefix`, which the error shows as "prefixXXXXXX". The path made.
struct Mkdtemp {
  using Value = std::string;
  static constexpr FileOpTraits kTraits = {.kind = "mkdtemp"};
  std::string prefix;
  Result<std::string> Run() const;
};

// --- directories ---
// All entries but "." and "..", sorted by name as libuv's scandir does.
struct ScanDir {
  using Value = std::vector<DirEntry>;
  static constexpr FileOpTraits kTraits = {.kind = "scandir"};
  std::string path;
  Result<std::vector<DirEntry>> Run() const;
};

// An open directory. One operation at a time.
class Dir {
 public:
  explicit Dir(DIR* stream) : stream_(stream) {}
  ~Dir();
  Dir(const Dir&) = delete;
  Dir& operator=(const Dir&) = delete;
  DIR* stream() const { return stream_; }
  int CloseNow();

 private:
  DIR* stream_;
};

struct OpenDir {
  using Value = std::shared_ptr<Dir>;
  static constexpr FileOpTraits kTraits = {.kind = "opendir"};
  std::string path;
  Result<std::shared_ptr<Dir>> Run() const;
};

// Up to `count` further entries in directory order; empty at the end.
struct ReadDir {
  using Value = std::vector<DirEntry>;
  static constexpr FileOpTraits kTraits = {.kind = "readdir"};
  std::shared_ptr<Dir> dir;
  size_t count = 32;
  Result<std::vector<DirEntry>> Run() const;
};

struct CloseDir {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "closedir"};
  std::shared_ptr<Dir> dir;
  Result<void> Run() const;
};

// --- whole files: one job each ---
// Opens `path` (or reads `fd` from its position if it is not -1), reads to the end, closes. EISDIR for directories;
// files whose size says 0 (/proc) are read until the end too. EFBIG ("read") past `limit`.
struct ReadWholeFile {
  using Value = base::Bytes;
  static constexpr FileOpTraits kTraits = {.kind = "readFile", .try_fast = true, .on_ring = false};
  std::string path;
  int fd = -1;
  int flags = O_RDONLY;
  uint64_t limit = UINT64_MAX;
  Result<base::Bytes> Run() const;
  std::optional<Result<base::Bytes>> TryFast() const;
};

// Opens with `flags` (default: create, truncate), writes all of `data`, fsyncs if `flush`, closes.
struct WriteWholeFile {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "writeFile"};
  std::string path;
  int fd = -1;
  std::span<const uint8_t> data;
  int flags = O_WRONLY | O_CREAT | O_TRUNC;
  uint32_t mode = 0666;
  bool flush = false;
  Result<void> Run() const;
};

// rm -r; `force` ignores what is missing. Does not follow symbolic links.
struct RemoveTree {
  using Value = void;
  static constexpr FileOpTraits kTraits = {.kind = "rm"};
  std::string path;
  bool recursive = true;
  bool force = false;
  Result<void> Run() const;
};

}  // namespace fs
}  // namespace gyre::loop

#endif  // GYRE_LOOP_FS_OPS_H_
