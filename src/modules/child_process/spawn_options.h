// Reads what the JavaScript half says about a child to start.
// Thread: the isolate's. No state.
#ifndef GYRE_MODULES_CHILD_PROCESS_SPAWN_OPTIONS_H_
#define GYRE_MODULES_CHILD_PROCESS_SPAWN_OPTIONS_H_

#include <optional>

#include "bridge/module.h"
#include "loop/process.h"

namespace gyre::modules {

/// { file, args, cwd, envPairs, uid, gid, detached, stdio: [{ type, fd }] }. Nothing when a getter threw: an exception
/// is pending.
std::optional<loop::SpawnOptions> ReadSpawnOptions(Js& js, v8::Local<v8::Object> options);

/// The element `index` of options.stdio, or empty.
v8::MaybeLocal<v8::Object> StdioEntry(Js& js, v8::Local<v8::Object> options, uint32_t index);

/// "SIGTERM" for 15; "" for a number that is none.
const char* SignalName(int signum);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_CHILD_PROCESS_SPAWN_OPTIONS_H_
