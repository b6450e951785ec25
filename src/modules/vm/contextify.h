// vm.createContext(): a V8 context whose global object reads from and writes to an ordinary object.
//
// Thread: the isolate's. Owner: the garbage collector: the object holds the context's global, whose context holds the
// object; both go together. Nothing native lives longer.
#ifndef GYRE_MODULES_VM_CONTEXTIFY_H_
#define GYRE_MODULES_VM_CONTEXTIFY_H_

#include "bridge/module.h"

namespace gyre::vm {

struct ContextOptions {
  v8::Local<v8::String> name;
  v8::Local<v8::Value> origin;  // a string or undefined
  bool allow_strings = true;
  bool allow_wasm = true;
  bool own_microtasks = false;
  v8::Local<v8::Value> importer_id;  // a symbol or undefined: who answers import() in eval'd code
};

/// Makes `object` a contextified one. Empty with an exception pending if V8 cannot.
v8::MaybeLocal<v8::Context> MakeContext(Js& js, v8::Local<v8::Object> object, const ContextOptions& options);
/// A context whose global is an ordinary one; it is returned through its global object.
v8::MaybeLocal<v8::Context> MakeVanillaContext(Js& js, const ContextOptions& options);

/// The context behind a contextified object or a vanilla global; empty for others.
v8::MaybeLocal<v8::Context> ContextOf(Js& js, v8::Local<v8::Object> object);
/// The queue of a context made with microtaskMode 'afterEvaluate'; null for others.
v8::MicrotaskQueue* OwnMicrotasks(Js& js, v8::Local<v8::Context> context);

/// The class that owns such a queue; in the table of binding('vm').
extern const NativeClass kMicrotaskQueueClass;

}  // namespace gyre::vm

#endif  // GYRE_MODULES_VM_CONTEXTIFY_H_
