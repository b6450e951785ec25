// The values of file operations as JavaScript sees them.
// Thread: the isolate's. No state.
#ifndef GYRE_MODULES_FS_VALUES_H_
#define GYRE_MODULES_FS_VALUES_H_

#include <string>
#include <vector>

#include "bridge/module.h"
#include "loop/fs_ops.h"

namespace gyre::modules::fs {

/// How many numbers describe a file: ten fields, then seconds and nanoseconds of four times.
inline constexpr int kStatFields = 18;
inline constexpr int kFsStatFields = 7;

/// A new Float64Array or BigInt64Array. src/modules/fs/stats.js reads it.
v8::Local<v8::Value> StatArray(Js& js, const loop::FileStat& stat, bool bigint);
v8::Local<v8::Value> FsStatArray(Js& js, const loop::FsStat& stat, bool bigint);
void FillStat(const loop::FileStat& stat, double* fields);
void FillStat(const loop::FileStat& stat, int64_t* fields);

/// A path or name: a string, or the bytes that it is.
v8::MaybeLocal<v8::Value> NameValue(Js& js, const std::string& name, bool bytes);
/// Names, or [names, types].
v8::MaybeLocal<v8::Value> EntryArrays(Js& js, const std::vector<loop::DirEntry>& entries, bool bytes, bool types);

/// Text of UTF-8 bytes. Fails with ERR_STRING_TOO_LONG.
v8::MaybeLocal<v8::Value> TextValue(Js& js, std::span<const uint8_t> bytes);

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_VALUES_H_
