// Compiled code of the builtins that are not in the start-up snapshot: made when the program is built, by running a program
// that uses them (tools/embed/code_cache_program.mjs), and read when a builtin is loaded. V8 refuses data that was made under
// other flags; the source is compiled then.
//
// The data refers to the snapshot's read-only heap: it is valid with that snapshot only.
#ifndef GYRE_RUNTIME_CODE_CACHE_H_
#define GYRE_RUNTIME_CODE_CACHE_H_

#include <span>
#include <string>

#include "engine/js.h"

namespace gyre::runtime {

/// Comes with the program: empty but in ./gyre.
std::span<const char> EmbeddedCodeCache();

/// The cached code of the builtin at `index` of EmbeddedBuiltins(); empty if there is none.
std::span<const uint8_t> CachedCodeOf(size_t index);

/// While the cache is made: notes that `function` is the builtin at `index`. Any thread, for its own isolate.
void RecordForCodeCache(v8::Isolate* isolate, size_t index, v8::Local<v8::Function> function);
/// Makes data of what this thread recorded, as far as it ran until now. Does nothing unless a cache is being made.
void HarvestForCodeCache(v8::Isolate* isolate);

/// Runs the program of ProcessOptions() and writes the cache to `file`. Exit status.
int BuildCodeCache(const std::string& file);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_CODE_CACHE_H_
