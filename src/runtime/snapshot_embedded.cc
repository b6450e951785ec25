// ./gyre: the snapshot and the code cache that src/runtime/snapshot.S holds.
#include "runtime/builtins.h"
#include "runtime/code_cache.h"

extern "C" {
extern const char gyre_snapshot_begin[];
extern const char gyre_snapshot_end[];
extern const char gyre_code_cache_begin[];
extern const char gyre_code_cache_end[];
}

namespace gyre::runtime {

std::span<const char> EmbeddedSnapshot() { return {gyre_snapshot_begin, gyre_snapshot_end}; }
std::span<const char> EmbeddedCodeCache() { return {gyre_code_cache_begin, gyre_code_cache_end}; }

}  // namespace gyre::runtime
