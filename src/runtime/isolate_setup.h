// What every isolate of Gyre's is told before it runs JavaScript.
#ifndef GYRE_RUNTIME_ISOLATE_SETUP_H_
#define GYRE_RUNTIME_ISOLATE_SETUP_H_

#include "engine/realm.h"

namespace gyre::runtime {

/// Microtask policy, the callbacks for promises, messages, modules, stack traces, fatal errors. The isolate's thread.
void SetUpIsolate(v8::Isolate* isolate);

/// Whether WebAssembly was compiled in this isolate.
bool UsedWasm(v8::Isolate* isolate);

/// Takes back what a snapshot cannot hold.
void ForgetListeners(v8::Isolate* isolate);

/// Runs src/runtime/bootstrap.js in a fresh context: builds the realm's JavaScript. False with a printed reason if it threw.
bool Bootstrap(Realm& realm);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_ISOLATE_SETUP_H_
