// A program without a snapshot: it makes its realms anew, and can make the snapshot and the code cache.
#include "runtime/builtins.h"
#include "runtime/code_cache.h"

namespace gyre::runtime {

std::span<const char> EmbeddedSnapshot() { return {}; }
std::span<const char> EmbeddedCodeCache() { return {}; }

}  // namespace gyre::runtime
