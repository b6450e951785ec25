// The JavaScript halves: where their sources are and how they are compiled.
//
// Ids: "#room/file" is src/modules/room/file.js, or src/web/file.js for the rooms web, runtime and insight; "~name" is a
// bundled npm library; anything else is a public module: "fs" is src/modules/fs/fs.js, "fs/promises" is
// src/modules/fs/promises.js.
#ifndef GYRE_RUNTIME_BUILTINS_H_
#define GYRE_RUNTIME_BUILTINS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/js.h"

namespace gyre::runtime {

/// One embedded file. `path` is relative: "modules/fs/fs", "npm/undici".
struct BuiltinFile {
  const char* path;
  const char* begin;
  const char* end;
};

/// Comes with the program: generated for ./gyre, empty for ./gyre-dev, which reads from disk instead.
std::span<const BuiltinFile> EmbeddedBuiltins();
std::span<const char> EmbeddedSnapshot();
/// Only ./gyre-dev: the source read from disk.
std::optional<std::string> ReadBuiltinFromDisk(std::string_view path);

/// The path of a builtin's file for an id of `require`.
std::string BuiltinPath(std::string_view id);

/// Compiles a builtin to a function of these parameters. Empty with an exception pending if there is none.
v8::MaybeLocal<v8::Function> CompileBuiltin(Js& js, std::string_view id, std::span<const char* const> parameters);

/// Sources inside the program are strings outside the heap, which a snapshot refers to by these references.
void AddSourceReferences(std::vector<intptr_t>& references);

bool BuiltinExists(std::string_view id);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_BUILTINS_H_
