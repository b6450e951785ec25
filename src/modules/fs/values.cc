#include "modules/fs/values.h"

#include <cstring>

namespace gyre::modules::fs {
namespace {

template <typename T>
void FillFields(const loop::FileStat& stat, T* fields) {
  const uint64_t plain[10] = {stat.dev,  stat.mode,    stat.nlink, stat.uid,  stat.gid,
                              stat.rdev, stat.blksize, stat.ino,   stat.size, stat.blocks};
  for (int i = 0; i < 10; i++) fields[i] = static_cast<T>(plain[i]);
  const loop::FileTime* times[4] = {&stat.atime, &stat.mtime, &stat.ctime, &stat.birthtime};
  for (int i = 0; i < 4; i++) {
    fields[10 + 2 * i] = static_cast<T>(times[i]->seconds);
    fields[11 + 2 * i] = static_cast<T>(times[i]->nanos);
  }
}

template <typename T>
void FillFsFields(const loop::FsStat& stat, T* fields) {
  const uint64_t values[kFsStatFields] = {stat.type,   stat.bsize, stat.blocks, stat.bfree,
                                          stat.bavail, stat.files, stat.ffree};
  for (int i = 0; i < kFsStatFields; i++) fields[i] = static_cast<T>(values[i]);
}

template <typename T>
std::span<T> NewFields(Js& js, size_t count, v8::Local<v8::ArrayBuffer>& buffer) {
  buffer = v8::ArrayBuffer::New(js.isolate, count * sizeof(T));
  return {static_cast<T*>(buffer->Data()), count};
}

}  // namespace

void FillStat(const loop::FileStat& stat, double* fields) { FillFields(stat, fields); }
void FillStat(const loop::FileStat& stat, int64_t* fields) { FillFields(stat, fields); }

v8::Local<v8::Value> StatArray(Js& js, const loop::FileStat& stat, bool bigint) {
  v8::Local<v8::ArrayBuffer> buffer;
  if (bigint) {
    FillFields(stat, NewFields<int64_t>(js, kStatFields, buffer).data());
    return v8::BigInt64Array::New(buffer, 0, kStatFields);
  }
  FillFields(stat, NewFields<double>(js, kStatFields, buffer).data());
  return v8::Float64Array::New(buffer, 0, kStatFields);
}

v8::Local<v8::Value> FsStatArray(Js& js, const loop::FsStat& stat, bool bigint) {
  v8::Local<v8::ArrayBuffer> buffer;
  if (bigint) {
    FillFsFields(stat, NewFields<int64_t>(js, kFsStatFields, buffer).data());
    return v8::BigInt64Array::New(buffer, 0, kFsStatFields);
  }
  FillFsFields(stat, NewFields<double>(js, kFsStatFields, buffer).data());
  return v8::Float64Array::New(buffer, 0, kFsStatFields);
}

v8::MaybeLocal<v8::Value> NameValue(Js& js, const std::string& name, bool bytes) {
  if (!bytes) return js.Str(name);
  v8::Local<v8::Object> buffer;
  auto view = std::span(reinterpret_cast<const uint8_t*>(name.data()), name.size());
  if (!MakeBuffer(js, view).ToLocal(&buffer)) return {};
  return buffer;
}

v8::MaybeLocal<v8::Value> EntryArrays(Js& js, const std::vector<loop::DirEntry>& entries, bool bytes, bool types) {
  std::vector<v8::Local<v8::Value>> names;
  std::vector<v8::Local<v8::Value>> kinds;
  names.reserve(entries.size());
  for (const loop::DirEntry& entry : entries) {
    v8::Local<v8::Value> name;
    if (!NameValue(js, entry.name, bytes).ToLocal(&name)) return {};
    names.push_back(name);
    if (types) kinds.push_back(js.Int(static_cast<int>(entry.type)));
  }
  v8::Local<v8::Array> name_array = v8::Array::New(js.isolate, names.data(), names.size());
  if (!types) return name_array;
  v8::Local<v8::Value> pair[] = {name_array, v8::Array::New(js.isolate, kinds.data(), kinds.size())};
  return v8::Array::New(js.isolate, pair, 2);
}

namespace {

bool IsAscii(std::span<const uint8_t> bytes) {
  size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    uint64_t words[4];
    std::memcpy(words, bytes.data() + i, sizeof(words));
    if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) != 0) return false;
  }
  uint8_t rest = 0;
  for (; i < bytes.size(); i++) rest |= bytes[i];
  return rest < 0x80;
}

}  // namespace

v8::MaybeLocal<v8::Value> TextValue(Js& js, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return v8::String::Empty(js.isolate);
  if (bytes.size() <= static_cast<size_t>(v8::String::kMaxLength)) {
    v8::Local<v8::String> text;
    int size = static_cast<int>(bytes.size());
    auto made = IsAscii(bytes) ? v8::String::NewFromOneByte(js.isolate, bytes.data(), v8::NewStringType::kNormal, size)
                               : v8::String::NewFromUtf8(js.isolate, reinterpret_cast<const char*>(bytes.data()),
                                                         v8::NewStringType::kNormal, size);
    if (made.ToLocal(&text)) return text;
  }
  js.Throw("ERR_STRING_TOO_LONG", static_cast<double>(v8::String::kMaxLength));
  return {};
}

}  // namespace gyre::modules::fs
