// Synchronous natives that programs and the loaders call in tight loops: they take the short way to the same results as
// the operations of loop/fs_ops.h, without an owned path, an array or an error object where none is wanted.
//
// Thread: the isolate's.
#ifndef GYRE_MODULES_FS_FAST_H_
#define GYRE_MODULES_FS_FAST_H_

#include "base/bytes.h"
#include "bridge/module.h"

namespace gyre::modules::fs {

/// Files past this are refused, as Node refuses them.
inline constexpr uint64_t kReadFileLimit = (uint64_t{1} << 31) - 1;

/// exists(path) -> boolean
void Exists(const Info& info);
/// statSync(path, bigint, follow, throwIfNoEntry) -> numbers, good until the next call; undefined if there is no entry
void StatSync(const Info& info);
/// readFileSync(path | fd, flags) -> Buffer
void ReadFileSync(const Info& info);
/// readFileText(path | fd, flags) -> string
void ReadFileText(const Info& info);
/// tryRealpath(path) -> string, or undefined where it fails
void TryRealpath(const Info& info);
/// internalModuleStat(path) -> 0: a file, 1: a directory, negative: nothing
void InternalModuleStat(const Info& info);
/// readFileUtf8(path) -> string, or undefined where it fails
void ReadFileUtf8(const Info& info);

/// A Buffer that takes the bytes over.
v8::MaybeLocal<v8::Object> BytesBuffer(Js& js, base::Bytes bytes);

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_FAST_H_
