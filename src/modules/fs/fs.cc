// The native half of node:fs: the file operations of the loop, bound.
//
// Thread: the isolate's. Arguments were checked by the JavaScript half; conversions here only make sure that nothing
// can crash.

#include <limits>

#include "modules/fs/descriptors.h"
#include "modules/fs/dir_wrap.h"
#include "modules/fs/fast.h"
#include "modules/fs/plan.h"
#include "modules/fs/values.h"
#include "modules/fs/watch_wrap.h"

namespace gyre::modules {
namespace fs {
namespace {

namespace ops = loop::fs;
using MaybeValue = v8::MaybeLocal<v8::Value>;

// --- how values are shown ---
MaybeValue Count(Js& js, size_t& count) { return js.Num(static_cast<double>(count)); }

/// From here on JavaScript owns the descriptor. One that a promise brings becomes a FileHandle's.
struct AsDescriptor {
  bool raw;
  MaybeValue operator()(Js& js, base::OwnedFd& fd) const {
    if (js.realm.terminating) return {};
    Descriptors::Of(js).Opened(js, fd.get(), raw);
    return js.Int(fd.Release());
  }
};

struct AsStats {
  bool bigint;
  MaybeValue operator()(Js& js, loop::FileStat& stat) const { return StatArray(js, stat, bigint); }
};

struct AsFsStats {
  bool bigint;
  MaybeValue operator()(Js& js, loop::FsStat& stat) const { return FsStatArray(js, stat, bigint); }
};

struct AsName {
  bool bytes;
  MaybeValue operator()(Js& js, std::string& name) const { return NameValue(js, name, bytes); }
};

struct AsEntries {
  bool bytes;
  bool types;
  MaybeValue operator()(Js& js, std::vector<loop::DirEntry>& entries) const {
    return EntryArrays(js, entries, bytes, types);
  }
};

/// The first directory made, or undefined.
MaybeValue FirstMade(Js& js, std::string& path) {
  if (path.empty()) return js.Undefined();
  return js.Str(path);
}

// --- descriptors ---
void Open(const Info& info) {
  Js js(info);
  ops::Open op;
  if (!engine::FromJs(js, info[0], 0, op.path) || !engine::FromJs(js, info[1], 1, op.flags) ||
      !engine::FromJs(js, info[2], 2, op.mode)) {
    return;
  }
  bool raw = info[3]->IsUndefined() || info[3]->IsFunction();
  RunPlan(js, info, Plan{std::move(op), AsDescriptor{raw}}, info[3]);
}

void Close(const Info& info) {
  Js js(info);
  int32_t fd;
  if (!engine::FromJs(js, info[0], 0, fd)) return;
  Descriptors::Of(js).Closed(js, fd);
  RunPlan(js, info, Plan{ops::Close{.fd = fd}}, info[1]);
}

/// adoptDescriptor(fd), releaseDescriptor(fd): a FileHandle came from another thread, or left for one.
void AdoptDescriptor(Js& js, int32_t fd) { Descriptors::Of(js).Opened(js, fd, /*raw=*/false); }
void ReleaseDescriptor(Js& js, int32_t fd) { Descriptors::Of(js).Released(fd); }

/// The part of a buffer that a call names; the JavaScript half has checked it, this only keeps it inside.
std::span<uint8_t> Part(const PinnedBuffer& buffer, uint64_t offset, uint64_t length) {
  size_t start = std::min<uint64_t>(offset, buffer.size());
  return buffer.bytes().subspan(start, std::min<uint64_t>(length, buffer.size() - start));
}

auto Read(int32_t fd, uint64_t offset, uint64_t length, int64_t position, KernelBuffer buffer) {
  std::span<uint8_t> part = Part(buffer, offset, length);
  return Plan{ops::Read{.fd = fd, .buffer = part, .offset = position}, &Count, std::vector<PinnedBuffer>{buffer}};
}

auto Write(int32_t fd, uint64_t offset, uint64_t length, int64_t position, PinnedBuffer buffer) {
  std::span<uint8_t> part = Part(buffer, offset, length);
  return Plan{ops::Write{.fd = fd, .buffer = part, .offset = position}, &Count, std::vector<PinnedBuffer>{buffer}};
}

auto Fstat(int32_t fd, bool bigint) { return Plan{ops::Fstat{.fd = fd}, AsStats{bigint}}; }
auto Fsync(int32_t fd, bool data_only) { return Plan{ops::Sync{.fd = fd, .data_only = data_only}}; }
auto Ftruncate(int32_t fd, int64_t length) { return Plan{ops::Ftruncate{.fd = fd, .length = length}}; }
auto Fchmod(int32_t fd, uint32_t mode) { return Plan{ops::Fchmod{.fd = fd, .mode = mode}}; }

/// -1 means "leave it", and wraps to what the kernel takes for that.
uint32_t UserId(int64_t id) { return static_cast<uint32_t>(id); }

auto Fchown(int32_t fd, int64_t uid, int64_t gid) {
  return Plan{ops::Fchown{.fd = fd, .uid = UserId(uid), .gid = UserId(gid)}};
}

auto Futimes(int32_t fd, double atime, double mtime) {
  return Plan{ops::Futimes{.fd = fd, .atime = atime, .mtime = mtime}};
}

// --- paths ---
auto Stat(std::string path, bool bigint) {
  return Plan{ops::Stat{.path = std::move(path), .follow = true}, AsStats{bigint}};
}
auto Lstat(std::string path, bool bigint) {
  return Plan{ops::Stat{.path = std::move(path), .follow = false}, AsStats{bigint}};
}
auto StatFs(std::string path, bool bigint) { return Plan{ops::StatFs{.path = std::move(path)}, AsFsStats{bigint}}; }
auto Access(std::string path, int32_t mode) { return Plan{ops::Access{.path = std::move(path), .mode = mode}}; }
auto Rename(std::string path, std::string dest) {
  return Plan{ops::Rename{.path = std::move(path), .dest = std::move(dest)}};
}
auto Unlink(std::string path) { return Plan{ops::Unlink{.path = std::move(path)}}; }
auto Rmdir(std::string path) { return Plan{ops::Rmdir{.path = std::move(path)}}; }
auto Mkdir(std::string path, uint32_t mode) { return Plan{ops::Mkdir{.path = std::move(path), .mode = mode}}; }
auto MkdirTree(std::string path, uint32_t mode) {
  return Plan{ops::MkdirRecursive{.path = std::move(path), .mode = mode}, &FirstMade};
}
auto Link(std::string path, std::string dest) {
  return Plan{ops::Link{.path = std::move(path), .dest = std::move(dest)}};
}
auto Symlink(std::string target, std::string path) {
  return Plan{ops::Symlink{.target = std::move(target), .path = std::move(path)}};
}
auto Readlink(std::string path, bool bytes) { return Plan{ops::Readlink{.path = std::move(path)}, AsName{bytes}}; }
auto Realpath(std::string path, bool bytes) { return Plan{ops::Realpath{.path = std::move(path)}, AsName{bytes}}; }
auto Chmod(std::string path, uint32_t mode) { return Plan{ops::Chmod{.path = std::move(path), .mode = mode}}; }
auto Chown(std::string path, int64_t uid, int64_t gid, bool follow) {
  return Plan{ops::Chown{.path = std::move(path), .uid = UserId(uid), .gid = UserId(gid), .follow = follow}};
}
auto Utimes(std::string path, double atime, double mtime, bool follow) {
  return Plan{ops::Utimes{.path = std::move(path), .atime = atime, .mtime = mtime, .follow = follow}};
}
auto CopyFile(std::string path, std::string dest, int32_t mode) {
  return Plan{ops::CopyFile{.path = std::move(path), .dest = std::move(dest), .mode = mode}};
}
auto Mkdtemp(std::string prefix, bool bytes) { return Plan{ops::Mkdtemp{.prefix = std::move(prefix)}, AsName{bytes}}; }
auto ScanDir(std::string path, bool bytes, bool types) {
  return Plan{ops::ScanDir{.path = std::move(path)}, AsEntries{bytes, types}};
}
auto RemoveTree(std::string path, bool recursive, bool force) {
  return Plan{ops::RemoveTree{.path = std::move(path), .recursive = recursive, .force = force}};
}

// --- several buffers ---
/// Pins every element of an array of views; false with an exception pending if one is none.
bool PinAll(Js& js, v8::Local<v8::Array> views, std::vector<PinnedBuffer>& pinned, std::vector<iovec>& vectors) {
  for (uint32_t i = 0; i < views->Length(); i++) {
    v8::Local<v8::Value> view;
    if (!views->Get(js.context, i).ToLocal(&view)) return false;
    std::optional<KernelBuffer> buffer = KernelBuffer::From(view);
    if (!buffer) {
      engine::ThrowBadArgument(js, 1, "an array of buffers");
      return false;
    }
    vectors.push_back({.iov_base = buffer->data(), .iov_len = buffer->size()});
    pinned.push_back(std::move(*buffer));
  }
  return true;
}

template <class Op>
void TransferVector(const Info& info) {
  Js js(info);
  int32_t fd;
  v8::Local<v8::Array> views;
  int64_t position;
  if (!engine::FromJs(js, info[0], 0, fd) || !engine::FromJs(js, info[1], 1, views) ||
      !engine::FromJs(js, info[2], 2, position)) {
    return;
  }
  std::vector<PinnedBuffer> pinned;
  std::vector<iovec> vectors;
  if (!PinAll(js, views, pinned, vectors)) return;
  RunPlan(js, info, Plan{Op{.fd = fd, .buffers = std::move(vectors), .offset = position}, &Count, std::move(pinned)},
          info[3]);
}

// --- whole files ---
/// Splits "path or descriptor".
bool Target(Js& js, v8::Local<v8::Value> value, std::string& path, int& fd) {
  if (value->IsInt32()) {
    fd = value.As<v8::Int32>()->Value();
    return true;
  }
  return engine::FromJs(js, value, 0, path);
}

MaybeValue FileBuffer(Js& js, base::Bytes& bytes);

void ReadFile(const Info& info) {
  Js js(info);
  ops::ReadWholeFile op;
  op.limit = kReadFileLimit;
  if (!Target(js, info[0], op.path, op.fd) || !engine::FromJs(js, info[1], 1, op.flags)) return;
  RunPlan(js, info, Plan{std::move(op), &FileBuffer}, info[2]);
}

MaybeValue FileBuffer(Js& js, base::Bytes& bytes) {
  v8::Local<v8::Object> buffer;
  if (!BytesBuffer(js, std::move(bytes)).ToLocal(&buffer)) return {};
  return buffer;
}

void WriteFile(const Info& info) {
  Js js(info);
  ops::WriteWholeFile op;
  std::optional<PinnedBuffer> data = PinnedBuffer::From(info[1]);
  if (!data) return engine::ThrowBadArgument(js, 1, "a buffer");
  op.data = data->bytes();
  if (!Target(js, info[0], op.path, op.fd) || !engine::FromJs(js, info[2], 2, op.flags) ||
      !engine::FromJs(js, info[3], 3, op.mode) || !engine::FromJs(js, info[4], 4, op.flush)) {
    return;
  }
  RunPlan(js, info, Plan{std::move(op), Nothing{}, std::vector<PinnedBuffer>{std::move(*data)}}, info[5]);
}

/// pendingCalls() -> [callbacks, promises]
v8::Local<v8::Array> CountPending(Js& js) {
  PendingCalls& pending = js.realm.Slot<PendingCalls>();
  v8::Local<v8::Value> counts[] = {js.Uint(pending.callbacks), js.Uint(pending.promises)};
  return v8::Array::New(js.isolate, counts, 2);
}

constexpr NativeFunction kFunctions[] = {
    RawFn("open", &Open),
    RawFn("close", &Close),
    Fn<&AdoptDescriptor>("adoptDescriptor"),
    Fn<&ReleaseDescriptor>("releaseDescriptor"),
    Fn<&CountPending>("pendingCalls"),
    RawFn("trackDescriptors", &Descriptors::Track),
    Op<&Read>("read"),
    Op<&Write>("write"),
    RawFn("readBuffers", &TransferVector<ops::ReadVector>),
    RawFn("writeBuffers", &TransferVector<ops::WriteVector>),
    RawFn("readFile", &ReadFile),
    RawFn("writeFile", &WriteFile),
    Op<&Fstat>("fstat"),
    Op<&Fsync>("fsync"),
    Op<&Ftruncate>("ftruncate"),
    Op<&Fchmod>("fchmod"),
    Op<&Fchown>("fchown"),
    Op<&Futimes>("futimes"),
    Op<&Stat>("stat"),
    Op<&Lstat>("lstat"),
    Op<&StatFs>("statfs"),
    Op<&Access>("access"),
    Op<&Rename>("rename"),
    Op<&Unlink>("unlink"),
    Op<&Rmdir>("rmdir"),
    Op<&Mkdir>("mkdir"),
    Op<&MkdirTree>("mkdirTree"),
    Op<&Link>("link"),
    Op<&Symlink>("symlink"),
    Op<&Readlink>("readlink"),
    Op<&Realpath>("realpath"),
    Op<&Chmod>("chmod"),
    Op<&Chown>("chown"),
    Op<&Utimes>("utimes"),
    Op<&CopyFile>("copyFile"),
    Op<&Mkdtemp>("mkdtemp"),
    Op<&ScanDir>("readdir"),
    Op<&RemoveTree>("removeTree"),
    RawFn("opendir", &OpenDirectory),
    RawFn("exists", &Exists),
    RawFn("statSync", &StatSync),
    RawFn("readFileSync", &ReadFileSync),
    RawFn("readFileText", &ReadFileText),
    RawFn("tryRealpath", &TryRealpath),
    // For the loaders.
    RawFn("internalModuleStat", &InternalModuleStat),
    RawFn("readFileUtf8", &ReadFileUtf8),
};

const NativeClass* const kClasses[] = {&DirWrap::kClass, &FsWatchWrap::kClass};

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "kPromise", v8::Symbol::New(js.isolate, js.Str("kPromise")));
}

}  // namespace
}  // namespace fs

extern const NativeModule kFsModule;
const NativeModule kFsModule = {.name = "fs", .functions = fs::kFunctions, .classes = fs::kClasses, .init = &fs::Init};

}  // namespace gyre::modules
