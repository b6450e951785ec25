// V8's inspector for one isolate.
//
// Thread: the isolate's. Owner: the realm. Invariant: contexts made while it exists are known to it.
#ifndef GYRE_MODULES_INSPECTOR_INSPECTOR_H_
#define GYRE_MODULES_INSPECTOR_INSPECTOR_H_

#include <v8-inspector.h>

#include <string>
#include <string_view>

#include "engine/js.h"
#include "engine/realm.h"

namespace gyre::modules {

/// Scripts compiled from now on are known to sessions that come later. `name` is the context's in a tool.
void AttachInspector(Realm& realm, const std::string& name);

/// To be called for each context that node:vm makes.
void TellInspectorOfContext(Js& js, v8::Local<v8::Context> context, std::string_view name,
                            std::string_view origin);

/// The inspector's text as a JavaScript string.
v8::Local<v8::String> InspectorText(v8::Isolate* isolate, const v8_inspector::StringView& view);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_INSPECTOR_INSPECTOR_H_
