// The native half of node:trace_events and of the events that JavaScript halves add.

#include "bridge/module.h"
#include "modules/trace_events/tracer.h"

namespace gyre::modules {

namespace {

void SetCategories(Js&, std::vector<std::string> categories, std::string file_pattern) {
  Tracer::Get().Enable({categories.begin(), categories.end()}, file_pattern);
}

bool IsEnabled(Js&, std::string category_group) { return Tracer::Get().IsEnabled(category_group); }

/// trace(phase, category group, name, id, JSON of the arguments)
void Trace(Js&, std::string phase, std::string category_group, std::string name, double id, std::string args) {
  if (phase.empty()) return;
  Tracer::Get().Add(phase[0], category_group, std::move(name), static_cast<uint64_t>(id), std::move(args));
}

constexpr NativeFunction kFunctions[] = {
    Fn<&SetCategories>("setCategories"),
    Fn<&IsEnabled>("isEnabled"),
    Fn<&Trace>("trace"),
};

}  // namespace

extern const NativeModule kTraceEventsModule;
const NativeModule kTraceEventsModule = {.name = "trace_events", .functions = kFunctions};

}  // namespace gyre::modules
