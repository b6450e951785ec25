// Profiles and snapshots of an isolate as JSON, for its own program and for the parent of a worker.
// Thread: the isolate's; also amid its JavaScript, as an interrupt.
#ifndef GYRE_MODULES_V8_PROFILES_H_
#define GYRE_MODULES_V8_PROFILES_H_

#include <optional>
#include <string>

#include "engine/realm.h"

namespace gyre::modules {

std::string HeapSnapshotJson(v8::Isolate* isolate, bool expose_internals, bool expose_numbers);  // NOLINT: as v8.cc

/// The profile's id; negative if there are too many.
double BeginCpuProfile(Realm& realm);
/// Nothing if it was ended before.
std::optional<std::string> EndCpuProfile(Realm& realm, uint32_t id);

/// False if one is under way: an isolate has only one.
bool BeginHeapProfile(v8::Isolate* isolate);
std::optional<std::string> EndHeapProfile(v8::Isolate* isolate);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_V8_PROFILES_H_
