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
//
// What an operation has, besides its arguments, Value and kKind (its name):
//   Run()       does it, blocking
//   TryFast()   (optional) the result, if it can be had without blocking and before the changes in flight; else nothing
//   Prepare()   (optional) describes it to io_uring
//   Finish()    (with Prepare()) the Value of what io_uring returned; without it Value is made of the number
//   Changes()   (optional) what it changes; operations without it change nothing
//   Syscall()   (optional) what errors call it, where that is not kKind
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
#include "loop/fs_changes.h"
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
  static constexpr const char* kKind = "open";
  std::string path;
  int flags = O_RDONLY;  // O_CLOEXEC is added
  uint32_t mode = 0666;
  Result<Value> Run() const;
  ChangeExtent Changes() const;
  std::optional<Result<Value>> TryFast(const FileChanges& changes) const;
  void Prepare(io_uring_sqe& sqe) const;
};

struct Close {
  using Value = void;
  static constexpr const char* kKind = "close";
  int fd = -1;
  Result<void> Run() const;
  std::optional<Result<void>> TryFast(
      const FileChanges& changes) const;  // closes at once what was opened only for reading
  void Prepare(io_uring_sqe& sqe) const;
};

// Reads into `buffer`, which the completion keeps alive. The number of bytes, 0 at the end.
struct Read {
  using Value = size_t;
  static constexpr const char* kKind = "read";
  int fd = -1;
  std::span<uint8_t> buffer;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast(const FileChanges& changes) const;
  void Prepare(io_uring_sqe& sqe) const;
  Result<size_t> Finish(int result) const;
  mutable int64_t start = -1;  // the file position when the ring got it
};

struct ReadVector {
  using Value = size_t;
  static constexpr const char* kKind = "read";
  int fd = -1;
  std::vector<iovec> buffers;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  std::optional<Result<size_t>> TryFast(const FileChanges& changes) const;
  void Prepare(io_uring_sqe& sqe) const;
  Result<size_t> Finish(int result) const;
  mutable int64_t start = -1;  // the file position when the ring got it
};

// One write: the number of bytes taken, which may be fewer than given.
struct Write {
  using Value = size_t;
  static constexpr const char* kKind = "write";
  int fd = -1;
  std::span<const uint8_t> buffer;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
  void Prepare(io_uring_sqe& sqe) const;
  Result<size_t> Finish(int result) const;
  mutable int64_t start = -1;  // the file position when the ring got it
};

struct WriteVector {
  using Value = size_t;
  static constexpr const char* kKind = "write";
  int fd = -1;
  std::vector<iovec> buffers;
  int64_t offset = kCurrentPosition;
  Result<size_t> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
  void Prepare(io_uring_sqe& sqe) const;
  Result<size_t> Finish(int result) const;
  mutable int64_t start = -1;  // the file position when the ring got it
};

struct Fstat {
  using Value = FileStat;
  static constexpr const char* kKind = "fstat";
  int fd = -1;
  Result<FileStat> Run() const;
  std::optional<Result<FileStat>> TryFast(const FileChanges& changes) const;
};

struct Sync {
  using Value = void;
  static constexpr const char* kKind = "fsync";
  int fd = -1;
  bool data_only = false;  // fdatasync
  Result<void> Run() const;
  const char* Syscall() const { return data_only ? "fdatasync" : "fsync"; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Ftruncate {
  using Value = void;
  static constexpr const char* kKind = "ftruncate";
  int fd = -1;
  int64_t length = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
};

struct Fchmod {
  using Value = void;
  static constexpr const char* kKind = "fchmod";
  int fd = -1;
  uint32_t mode = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
};

struct Fchown {
  using Value = void;
  static constexpr const char* kKind = "fchown";
  int fd = -1;
  uint32_t uid = 0;
  uint32_t gid = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
};

struct Futimes {
  using Value = void;
  static constexpr const char* kKind = "futime";
  int fd = -1;
  double atime = 0;  // seconds since 1970; may be fractional or negative
  double mtime = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kFile; }
};

// --- paths ---
struct Stat {
  using Value = FileStat;
  static constexpr const char* kKind = "stat";
  std::string path;
  bool follow = true;  // false: lstat
  Result<FileStat> Run() const;
  const char* Syscall() const { return follow ? "stat" : "lstat"; }
  std::optional<Result<FileStat>> TryFast(const FileChanges& changes) const;
  void Prepare(io_uring_sqe& sqe) const;
  Result<FileStat> Finish(int result) const;
  // Where the ring puts its answer.
  struct Answer;
  mutable std::shared_ptr<Answer> answer = nullptr;
};

struct StatFs {
  using Value = FsStat;
  static constexpr const char* kKind = "statfs";
  std::string path;
  Result<FsStat> Run() const;
};

struct Access {
  using Value = void;
  static constexpr const char* kKind = "access";
  std::string path;
  int mode = 0;  // F_OK, R_OK | W_OK | X_OK
  Result<void> Run() const;
  std::optional<Result<void>> TryFast(const FileChanges& changes) const;
};

struct Rename {
  using Value = void;
  static constexpr const char* kKind = "rename";
  std::string path;
  std::string dest;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Unlink {
  using Value = void;
  static constexpr const char* kKind = "unlink";
  std::string path;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Rmdir {
  using Value = void;
  static constexpr const char* kKind = "rmdir";
  std::string path;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Mkdir {
  using Value = void;
  static constexpr const char* kKind = "mkdir";
  std::string path;
  uint32_t mode = 0777;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

// mkdir -p. The first directory that was made, or "" if none had to be.
struct MkdirRecursive {
  using Value = std::string;
  static constexpr const char* kKind = "mkdir";
  std::string path;
  uint32_t mode = 0777;
  Result<std::string> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
};

struct Link {
  using Value = void;
  static constexpr const char* kKind = "link";
  std::string path;
  std::string dest;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Symlink {
  using Value = void;
  static constexpr const char* kKind = "symlink";
  std::string target;  // Error::path
  std::string path;    // Error::dest
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  void Prepare(io_uring_sqe& sqe) const;
};

struct Readlink {
  using Value = std::string;
  static constexpr const char* kKind = "readlink";
  std::string path;
  Result<std::string> Run() const;
};

struct Realpath {
  using Value = std::string;
  static constexpr const char* kKind = "realpath";
  std::string path;
  Result<std::string> Run() const;
};

struct Chmod {
  using Value = void;
  static constexpr const char* kKind = "chmod";
  std::string path;
  uint32_t mode = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
};

struct Chown {
  using Value = void;
  static constexpr const char* kKind = "chown";
  std::string path;
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool follow = true;  // false: lchown
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  const char* Syscall() const { return follow ? "chown" : "lchown"; }
};

struct Utimes {
  using Value = void;
  static constexpr const char* kKind = "utime";
  std::string path;
  double atime = 0;
  double mtime = 0;
  bool follow = true;  // false: lutime
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
  const char* Syscall() const { return follow ? "utime" : "lutime"; }
};

// `mode`: 1 COPYFILE_EXCL, 2 COPYFILE_FICLONE, 4 COPYFILE_FICLONE_FORCE.
struct CopyFile {
  using Value = void;
  static constexpr const char* kKind = "copyfile";
  std::string path;
  std::string dest;
  int mode = 0;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
};

// Appends six random characters to `prefix`, which the error shows as "prefixXXXXXX". The path made.
struct Mkdtemp {
  using Value = std::string;
  static constexpr const char* kKind = "mkdtemp";
  std::string prefix;
  Result<std::string> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
};

// --- directories ---
// All entries but "." and "..", sorted by name as libuv's scandir does.
struct ScanDir {
  using Value = std::vector<DirEntry>;
  static constexpr const char* kKind = "scandir";
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
  static constexpr const char* kKind = "opendir";
  std::string path;
  Result<std::shared_ptr<Dir>> Run() const;
};

// Up to `count` further entries in directory order; empty at the end.
struct ReadDir {
  using Value = std::vector<DirEntry>;
  static constexpr const char* kKind = "readdir";
  std::shared_ptr<Dir> dir;
  size_t count = 32;
  Result<std::vector<DirEntry>> Run() const;
};

struct CloseDir {
  using Value = void;
  static constexpr const char* kKind = "closedir";
  std::shared_ptr<Dir> dir;
  Result<void> Run() const;
};

// --- whole files: one job each ---
// Opens `path` (or reads `fd` from its position if it is not -1), reads to the end, closes. EISDIR for directories;
// files whose size says 0 (/proc) are read until the end too. EFBIG ("read") past `limit`.
struct ReadWholeFile {
  using Value = base::Bytes;
  static constexpr const char* kKind = "readFile";
  std::string path;
  int fd = -1;
  int flags = O_RDONLY;
  uint64_t limit = UINT64_MAX;
  Result<base::Bytes> Run() const;
  std::optional<Result<base::Bytes>> TryFast(const FileChanges& changes) const;
};

// Opens with `flags` (default: create, truncate), writes all of `data`, fsyncs if `flush`, closes.
struct WriteWholeFile {
  using Value = void;
  static constexpr const char* kKind = "writeFile";
  std::string path;
  int fd = -1;
  std::span<const uint8_t> data;
  int flags = O_WRONLY | O_CREAT | O_TRUNC;
  uint32_t mode = 0666;
  bool flush = false;
  Result<void> Run() const;
  ChangeExtent Changes() const { return fd == -1 ? ChangeExtent::kTree : ChangeExtent::kFile; }
};

// rm -r; `force` ignores what is missing. Does not follow symbolic links.
struct RemoveTree {
  using Value = void;
  static constexpr const char* kKind = "rm";
  std::string path;
  bool recursive = true;
  bool force = false;
  Result<void> Run() const;
  ChangeExtent Changes() const { return ChangeExtent::kTree; }
};

}  // namespace fs
}  // namespace gyre::loop

#endif  // GYRE_LOOP_FS_OPS_H_
