// A program without a snapshot: it makes its realms anew, and can make the snapshot.
#include "runtime/builtins.h"

namespace gyre::runtime {

std::span<const char> EmbeddedSnapshot() { return {}; }

}  // namespace gyre::runtime
