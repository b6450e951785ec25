// The one way into JavaScript from the loop.
//
// A callback of the loop that wants to run JavaScript makes a JsScope, makes its calls with `Call`, and leaves the
// scope; when the outermost scope ends, the nextTick queue and the microtasks run until both are empty. The scope
// restores the async context that was current when the operation was submitted.
//
// Thread: the isolate's. Owner: the stack.
#ifndef GYRE_BRIDGE_JS_SCOPE_H_
#define GYRE_BRIDGE_JS_SCOPE_H_

#include "engine/js.h"
#include "engine/realm.h"

namespace gyre::bridge {

/// The async context (V8's continuation data) at a moment, kept until an operation completes, and the operation's async
/// ids. Where `type` (a provider's name of async_hooks, such as "TCPWRAP") is given, hooks are told of the operation:
/// init now, before and after around each scope made with this context.
class AsyncContext {
 public:
  AsyncContext() = default;
  static AsyncContext Current(v8::Isolate* isolate, const char* type = nullptr);
  /// The same with the object that hooks are to see; else they see an empty one.
  static AsyncContext Current(v8::Isolate* isolate, const char* type, v8::Local<v8::Object> resource);
  v8::Local<v8::Value> Get(v8::Isolate* isolate) const;
  double async_id() const { return async_id_; }
  /// Tells hooks that no more scopes follow. Only hooks that were told of the beginning hear of it.
  void EmitDestroy(Realm& realm);

 private:
  friend class JsScope;
  v8::Global<v8::Value> value_;  // empty while the context is undefined, which costs nothing
  v8::Global<v8::Object> resource_;  // set if hooks were told
  double async_id_ = 0;
  double trigger_id_ = 0;
};

/// The context of an operation on what `owner` belongs to: async_hooks name the owner as its trigger. `resource` may be
/// any value; hooks see objects.
AsyncContext TriggeredBy(const AsyncContext& owner, Js& js, const char* type, v8::Local<v8::Value> resource);

class JsScope {
 public:
  explicit JsScope(Realm& realm);
  JsScope(Realm& realm, const AsyncContext& async_context);
  ~JsScope();
  JsScope(const JsScope&) = delete;
  JsScope& operator=(const JsScope&) = delete;

  Js& js() { return js_; }

 private:
  // The order matters: handles first, context on top, both gone after the queues have run.
  v8::Isolate::Scope isolate_scope_;
  v8::HandleScope handles_;
  v8::Context::Scope context_scope_;
  void EnterAsync(const AsyncContext& async_context);
  void LeaveAsync();

  Js js_;
  v8::Local<v8::Value> previous_context_;
  double async_id_ = 0;  // of the operation whose scope this is
  bool told_ = false;    // whether hooks heard "before"
};

/// Calls `function`. An exception goes to the realm's uncaught-exception path and the result is empty; after that
/// `js.realm.terminating` may be true, and the caller touches nothing that the call may have destroyed.
v8::MaybeLocal<v8::Value> Call(Js& js, v8::Local<v8::Function> function, v8::Local<v8::Value> receiver, int argc,
                               v8::Local<v8::Value>* argv);

/// Calls the method `name` of `object` if it is a function, by the same rules.
v8::MaybeLocal<v8::Value> CallMethod(Js& js, v8::Local<v8::Object> object, std::string_view name, int argc,
                                     v8::Local<v8::Value>* argv);

/// Runs the nextTick queue and the microtasks until both are empty.
void DrainTicks(Js& js);

/// Hands an exception to process.on('uncaughtException') and its kin; ends the process (or the worker) if nobody
/// handles it. `message` may be empty.
void ReportUncaught(Js& js, v8::Local<v8::Value> error, v8::Local<v8::Message> message);

/// The private name under which an error keeps its arrow, where it is thrown again by code of ours.
inline constexpr const char* kArrowKey = "gyre:arrow";

/// The line of source with a caret below that Node prints above a stack: "file:line\nsource\n   ^\n", or "".
std::string SourceArrow(Js& js, v8::Local<v8::Message> message);

/// What was noted on `error` by kArrowKey, else the arrow of `message`.
std::string ArrowOf(Js& js, v8::Local<v8::Value> error, v8::Local<v8::Message> message);

}  // namespace gyre::bridge

#endif  // GYRE_BRIDGE_JS_SCOPE_H_
