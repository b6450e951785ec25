// ./gyre: the snapshot that src/runtime/snapshot.S holds.
#include "runtime/builtins.h"

extern "C" {
extern const char gyre_snapshot_begin[];
extern const char gyre_snapshot_end[];
}

namespace gyre::runtime {

std::span<const char> EmbeddedSnapshot() { return {gyre_snapshot_begin, gyre_snapshot_end}; }

}  // namespace gyre::runtime
