// An operation's way back to JavaScript: a callback or a promise, with the async context of the call.
//
// A native function that can run asynchronously takes `how` as its last argument: a function (called with
// (error, value) or whatever Finish is given), the symbol kPromise of binding('realm') (the function returns a promise), or
// undefined (run synchronously; From returns null).
//
// Thread: the isolate's. Owner: the operation in flight.
#ifndef GYRE_BRIDGE_PENDING_CALL_H_
#define GYRE_BRIDGE_PENDING_CALL_H_

#include <memory>

#include "bridge/js_scope.h"

namespace gyre::bridge {

class PendingCall {
 public:
  /// `type` is the name by which async_hooks knows the operation, if it does.
  static std::unique_ptr<PendingCall> From(Js& js, v8::Local<v8::Value> how, const char* type = nullptr);

  /// What the native function returns to JavaScript: the promise, or undefined.
  v8::Local<v8::Value> result(Js& js) const;

  // Once one of these is called the PendingCall is spent. Call them inside a JsScope made with `async_context()`;
  // the ...Soon-less forms below make that scope themselves.
  void Resolve(Js& js, v8::Local<v8::Value> value);
  void Reject(Js& js, v8::Local<v8::Value> error);
  /// Callback only: calls it with these arguments.
  void Finish(Js& js, int argc, v8::Local<v8::Value>* argv);

  bool is_promise() const { return !resolver_.IsEmpty(); }
  const AsyncContext& async_context() const { return async_context_; }

 private:
  PendingCall() = default;
  v8::Global<v8::Function> callback_;
  v8::Global<v8::Promise::Resolver> resolver_;
  AsyncContext async_context_;
};

/// Completes `call` in a scope of its own: `produce(js)` gives a Result<v8::Local<v8::Value>>-like outcome.
template <typename Produce>
void Complete(Realm& realm, PendingCall& call, Produce produce) {
  JsScope scope(realm, call.async_context());
  Js& js = scope.js();
  base::Result<v8::Local<v8::Value>> outcome = produce(js);
  if (outcome.has_value()) {
    call.Resolve(js, *outcome);
  } else {
    call.Reject(js, js.SystemError(outcome.error()));
  }
}


}  // namespace gyre::bridge

namespace gyre {
using bridge::PendingCall;
}  // namespace gyre

#endif  // GYRE_BRIDGE_PENDING_CALL_H_
