#include "modules/fs/fast.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "loop/fs_ops.h"
#include "modules/fs/plan.h"
#include "modules/fs/values.h"

namespace gyre::modules::fs {
namespace {

namespace ops = loop::fs;

/// A path argument, on the stack when it is short. Empty-handed (`ok()` false, exception pending) for other types.
class PathArg {
 public:
  PathArg(Js& js, v8::Local<v8::Value> value) {
    if (value->IsString()) {
      v8::Local<v8::String> text = value.As<v8::String>();
      size_t most = static_cast<size_t>(text->Length()) * 3;
      char* out = inline_;
      if (most >= sizeof(inline_)) {
        long_.resize(most + 1);
        out = long_.data();
      }
      size_ = text->WriteUtf8V2(js.isolate, out, most, v8::String::WriteFlags::kReplaceInvalidUtf8);
      out[size_] = '\0';
      path_ = out;
      return;
    }
    if (!engine::FromJs(js, value, 0, long_)) return;
    size_ = long_.size();
    path_ = long_.c_str();
  }
  PathArg(const PathArg&) = delete;
  PathArg& operator=(const PathArg&) = delete;

  bool ok() const { return path_ != nullptr; }
  const char* c_str() const { return path_; }
  std::string str() const { return {path_, size_}; }

 private:
  char inline_[1024];
  std::string long_;
  const char* path_ = nullptr;
  size_t size_ = 0;
};

/// The arrays that statSync hands out again and again.
struct StatFields {
  explicit StatFields(Realm&) {}
  v8::Global<v8::Float64Array> numbers;
  v8::Global<v8::BigInt64Array> bigints;

  template <class Array>
  static v8::Local<Array> Get(Js& js, v8::Global<Array>& kept) {
    if (kept.IsEmpty()) {
      kept.Reset(js.isolate,
                 Array::New(v8::ArrayBuffer::New(js.isolate, kStatFields * sizeof(double)), 0, kStatFields));
    }
    return kept.Get(js.isolate);
  }
};

bool IsNoEntry(int err) { return err == ENOENT || err == ENOTDIR; }

/// What a small file holds. One a thread.
class FileReader {
 public:
  /// Reads a regular file of at most 64 KiB. False where that is not what `fd` is, or anything fails.
  bool Read(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    // One byte more than the file is said to have would show that it grew; a read that ends at its size is its end.
    // Files that say they are empty (/proc) go the long way.
    auto size = static_cast<size_t>(info.st_size);
    if (size == 0 || size >= sizeof(buffer_)) return false;
    ssize_t got = ::read(fd, buffer_, size + 1);
    size_ = got > 0 ? static_cast<size_t>(got) : 0;
    return size_ == size;
  }
  std::span<const uint8_t> bytes() const { return {buffer_, size_}; }

 private:
  size_t size_ = 0;
  uint8_t buffer_[64 * 1024];
};

FileReader& ThreadReader() {
  static thread_local std::unique_ptr<FileReader> reader = std::make_unique<FileReader>();
  return *reader;
}

/// Reads a small file into the thread's reader. False: it did not work out, for whatever reason; take the long way.
bool ReadSmall(const char* path, int flags, FileReader& reader) {
  if ((flags & ~O_CLOEXEC) != O_RDONLY) return false;
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool small = reader.Read(fd);
  ::close(fd);
  return small;
}

/// Calls `use` with the bytes of the file that info[0] names, or throws.
template <class Use>
void WithFile(const Info& info, Use use) {
  Js js(info);
  ops::ReadWholeFile op;
  op.limit = kReadFileLimit;
  if (!engine::FromJs(js, info[1], 1, op.flags)) return;
  if (info[0]->IsInt32()) {
    op.fd = info[0].As<v8::Int32>()->Value();
  } else {
    PathArg path(js, info[0]);
    if (!path.ok()) return;
    FileReader& reader = ThreadReader();
    if (ReadSmall(path.c_str(), op.flags, reader)) return use(js, reader.bytes(), nullptr);
    op.path = path.str();
  }
  base::Result<base::Bytes> result = op.Run();
  if (!result.has_value()) {
    base::Error error = std::move(result.error());
    if (std::strcmp(error.syscall, "read") == 0) error.path.clear();
    return EmptyPaths{.any = op.path.empty() && op.fd == -1}.Throw(js, error);
  }
  use(js, result->span(), &*result);
}

}  // namespace

v8::MaybeLocal<v8::Object> BytesBuffer(Js& js, base::Bytes bytes) {
  size_t size = bytes.size();
  if (size == 0) return MakeBuffer(js, std::span<const uint8_t>());
  return AdoptBuffer(js, bytes.Release(), size);
}

void Exists(const Info& info) {
  Js js(info);
  PathArg path(js, info[0]);
  if (path.ok()) info.GetReturnValue().Set(::access(path.c_str(), F_OK) == 0);
}

void StatSync(const Info& info) {
  Js js(info);
  PathArg path(js, info[0]);
  if (!path.ok()) return;
  bool bigint = info[1]->IsTrue();
  base::Result<loop::FileStat> result = ops::Stat{.path = path.str(), .follow = info[2]->IsTrue()}.Run();
  if (!result.has_value()) {
    if (!info[3]->IsTrue() && IsNoEntry(result.error().err)) return;
    return EmptyPaths{.any = result.error().path.empty()}.Throw(js, result.error());
  }
  StatFields& fields = js.realm.Slot<StatFields>();
  if (bigint) {
    v8::Local<v8::BigInt64Array> array = StatFields::Get(js, fields.bigints);
    FillStat(*result, static_cast<int64_t*>(array->Buffer()->Data()));
    info.GetReturnValue().Set(array);
  } else {
    v8::Local<v8::Float64Array> array = StatFields::Get(js, fields.numbers);
    FillStat(*result, static_cast<double*>(array->Buffer()->Data()));
    info.GetReturnValue().Set(array);
  }
}

void ReadFileSync(const Info& info) {
  WithFile(info, [&info](Js& js, std::span<const uint8_t> bytes, base::Bytes* owned) {
    v8::Local<v8::Object> buffer;
    bool made =
        owned != nullptr ? BytesBuffer(js, std::move(*owned)).ToLocal(&buffer) : MakeBuffer(js, bytes).ToLocal(&buffer);
    if (made) info.GetReturnValue().Set(buffer);
  });
}

void ReadFileText(const Info& info) {
  WithFile(info, [&info](Js& js, std::span<const uint8_t> bytes, base::Bytes*) {
    v8::Local<v8::Value> text;
    if (TextValue(js, bytes).ToLocal(&text)) info.GetReturnValue().Set(text);
  });
}

void TryRealpath(const Info& info) {
  Js js(info);
  PathArg path(js, info[0]);
  if (!path.ok()) return;
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) != nullptr) info.GetReturnValue().Set(js.Str(resolved));
}

void InternalModuleStat(const Info& info) {
  Js js(info);
  PathArg path(js, info[0]);
  if (!path.ok()) return;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return info.GetReturnValue().Set(-errno);
  info.GetReturnValue().Set(S_ISDIR(status.st_mode) ? 1 : 0);
}

void ReadFileUtf8(const Info& info) {
  Js js(info);
  PathArg path(js, info[0]);
  if (!path.ok()) return;
  v8::Local<v8::Value> text;
  FileReader& reader = ThreadReader();
  if (ReadSmall(path.c_str(), O_RDONLY, reader)) {
    if (TextValue(js, reader.bytes()).ToLocal(&text)) info.GetReturnValue().Set(text);
    return;
  }
  base::Result<base::Bytes> result = ops::ReadWholeFile{.path = path.str(), .limit = kReadFileLimit}.Run();
  if (result.has_value() && TextValue(js, result->span()).ToLocal(&text)) info.GetReturnValue().Set(text);
}

}  // namespace gyre::modules::fs
