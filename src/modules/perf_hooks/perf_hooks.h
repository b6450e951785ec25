// When a process and a realm reached what performance.nodeTiming tells of.
//
// Thread: kV8Start the process's first, the others the realm's.
#ifndef GYRE_MODULES_PERF_HOOKS_PERF_HOOKS_H_
#define GYRE_MODULES_PERF_HOOKS_PERF_HOOKS_H_

#include <cstdint>

namespace gyre::engine {
class Realm;
}

namespace gyre::modules {

enum class Milestone : uint8_t { kEnvironment, kBootstrapComplete, kLoopStart, kLoopExit, kCount };

void MarkV8Start();
/// The first mark of each counts.
void MarkMilestone(engine::Realm& realm, Milestone milestone);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_PERF_HOOKS_PERF_HOOKS_H_
