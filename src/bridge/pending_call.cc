#include "bridge/pending_call.h"

namespace gyre::bridge {

std::unique_ptr<PendingCall> PendingCall::From(Js& js, v8::Local<v8::Value> how, const char* type) {
  if (how->IsUndefined()) return nullptr;
  std::unique_ptr<PendingCall> call(new PendingCall);
  if (how->IsFunction()) {
    call->callback_.Reset(js.isolate, how.As<v8::Function>());
  } else {
    v8::Local<v8::Promise::Resolver> resolver;
    if (!v8::Promise::Resolver::New(js.context).ToLocal(&resolver)) return nullptr;
    call->resolver_.Reset(js.isolate, resolver);
  }
  call->async_context_ = AsyncContext::Current(js.isolate, type);
  return call;
}

v8::Local<v8::Value> PendingCall::result(Js& js) const {
  if (resolver_.IsEmpty()) return js.Undefined();
  return resolver_.Get(js.isolate)->GetPromise();
}

void PendingCall::Resolve(Js& js, v8::Local<v8::Value> value) {
  if (js.realm.terminating) return;
  if (is_promise()) {
    async_context_.EmitDestroy(js.realm);
    (void)resolver_.Get(js.isolate)->Resolve(js.context, value);
    return;
  }
  v8::Local<v8::Value> argv[] = {js.Null(), value};
  Finish(js, value->IsUndefined() ? 1 : 2, argv);
}

void PendingCall::Reject(Js& js, v8::Local<v8::Value> error) {
  if (js.realm.terminating) return;
  if (is_promise()) {
    async_context_.EmitDestroy(js.realm);
    (void)resolver_.Get(js.isolate)->Reject(js.context, error);
    return;
  }
  Finish(js, 1, &error);
}

void PendingCall::Finish(Js& js, int argc, v8::Local<v8::Value>* argv) {
  if (callback_.IsEmpty()) return;
  async_context_.EmitDestroy(js.realm);
  (void)Call(js, callback_.Get(js.isolate), js.Undefined(), argc, argv);
}

}  // namespace gyre::bridge
