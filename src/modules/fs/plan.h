// How a file operation of the loop becomes a function of binding('fs').
//
// A maker takes the arguments of the JavaScript function, in their order, and returns a Plan: the operation, how its
// value is shown to JavaScript, and the buffers that must stay where they are meanwhile. `Op<&Maker>("name")` is the
// table entry; the JavaScript function takes one more argument, `how` (see bridge/pending_call.h), by which the same
// operation runs synchronously, or ends in a callback or a promise.
//
// Thread: the isolate's. Owner: the loop owns what is in flight.
#ifndef GYRE_MODULES_FS_PLAN_H_
#define GYRE_MODULES_FS_PLAN_H_

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "bridge/module.h"
#include "loop/fs_ops.h"

namespace gyre::modules::fs {

/// What a call was made for.
enum class Form : uint8_t { kSync, kCallback, kPromise };

template <class Op, class ToJs>
struct Plan {
  Op op;
  ToJs to_js;  // v8::MaybeLocal<v8::Value>(Js&, Op::Value&), or empty for operations without a value
  std::vector<PinnedBuffer> keep = {};
  Form form = Form::kSync;
};

struct Nothing {};

template <class Op>
Plan(Op) -> Plan<Op, Nothing>;
template <class Op, class ToJs>
Plan(Op, ToJs) -> Plan<Op, ToJs>;
template <class Op, class ToJs>
Plan(Op, ToJs, std::vector<PinnedBuffer>) -> Plan<Op, ToJs>;

/// How many asynchronous calls are under way, for process.getActiveResourcesInfo().
struct PendingCalls {
  explicit PendingCalls(Realm&) {}
  uint32_t callbacks = 0;
  uint32_t promises = 0;
  uint32_t& Of(const PendingCall& call) { return call.is_promise() ? promises : callbacks; }
};

/// The error of an operation on the path "", which Error takes for none, or on a path to "".
v8::Local<v8::Value> EmptyPathError(Js& js, const base::Error& error, bool has_dest);

/// Which paths of an operation are the empty string.
struct EmptyPaths {
  bool any = false;
  bool has_dest = false;

  template <class Op>
  static EmptyPaths Of(const Op& op) {
    EmptyPaths empty;
    if constexpr (requires { op.target; }) {
      empty = {op.target.empty() || op.path.empty(), true};
    } else if constexpr (requires { op.dest; }) {
      empty = {op.path.empty() || op.dest.empty(), true};
    } else if constexpr (requires {
                           op.path;
                           op.fd;
                         }) {
      empty.any = op.fd == -1 && op.path.empty();
    } else if constexpr (requires { op.path; }) {
      empty.any = op.path.empty();
    }
    return empty;
  }
  v8::Local<v8::Value> ErrorOf(Js& js, const base::Error& error) const {
    return any ? EmptyPathError(js, error, has_dest) : js.SystemError(error);
  }
  void Throw(Js& js, const base::Error& error) const {
    if (!any) return js.ThrowSystem(error);
    js.isolate->ThrowException(EmptyPathError(js, error, has_dest));
  }
};

/// Errors as each form words them: sync and callback calls of Node do not name the file that a read failed on.
inline base::Error Worded(base::Error error, Form form) {
  if (form != Form::kPromise && std::string_view(error.syscall) == "read") error.path.clear();
  return error;
}

template <class Op, class ToJs>
v8::MaybeLocal<v8::Value> ValueOf(Js& js, ToJs& to_js, base::Result<typename Op::Value>& result) {
  if constexpr (std::is_void_v<typename Op::Value>) {
    return js.Undefined();
  } else if constexpr (std::is_same_v<ToJs, Nothing>) {
    static_assert(std::is_void_v<typename Op::Value>, "an operation with a value needs a conversion");
  } else {
    return to_js(js, *result);
  }
}

template <class Op, class ToJs>
void RunNow(Js& js, const Info& info, Plan<Op, ToJs>& plan) {
  base::Result<typename Op::Value> result = plan.op.Run();
  if (!result.has_value()) {
    return EmptyPaths::Of(plan.op).Throw(js, Worded(std::move(result.error()), Form::kSync));
  }
  v8::Local<v8::Value> value;
  if (ValueOf<Op>(js, plan.to_js, result).ToLocal(&value)) info.GetReturnValue().Set(value);
}

/// Ends an asynchronous call. A conversion that throws becomes the error of the call.
template <class Op, class ToJs>
void Finish(Realm& realm, PendingCall& call, EmptyPaths empty, ToJs& to_js, base::Result<typename Op::Value>& result) {
  bridge::JsScope scope(realm, call.async_context());
  Js& js = scope.js();
  // A call still counts while its callback runs.
  struct Ended {
    uint32_t& count;
    ~Ended() { count--; }
  } ended{realm.Slot<PendingCalls>().Of(call)};
  if (!result.has_value()) {
    Form form = call.is_promise() ? Form::kPromise : Form::kCallback;
    call.Reject(js, empty.ErrorOf(js, Worded(std::move(result.error()), form)));
    return;
  }
  v8::Local<v8::Value> value;
  v8::Local<v8::Value> failure;
  {
    v8::TryCatch guard(js.isolate);
    if (!ValueOf<Op>(js, to_js, result).ToLocal(&value)) failure = guard.Exception();
  }
  if (value.IsEmpty()) {
    if (!failure.IsEmpty()) call.Reject(js, failure);
    return;
  }
  call.Resolve(js, value);
}

template <class Op, class ToJs>
void RunPlan(Js& js, const Info& info, Plan<Op, ToJs> plan, v8::Local<v8::Value> how) {
  if (how->IsUndefined()) return RunNow(js, info, plan);
  std::unique_ptr<PendingCall> call = PendingCall::From(js, how, how->IsFunction() ? "FSREQCALLBACK" : "FSREQPROMISE");
  if (call == nullptr) return;
  info.GetReturnValue().Set(call->result(js));
  EmptyPaths empty = EmptyPaths::Of(plan.op);
  js.realm.Slot<PendingCalls>().Of(*call)++;
  loop::fs::Submit(
      js.realm.loop(), std::move(plan.op),
      [&realm = js.realm, call = std::move(call), empty, to_js = std::move(plan.to_js), keep = std::move(plan.keep)](
          base::Result<typename Op::Value> result) mutable { Finish<Op>(realm, *call, empty, to_js, result); });
}

namespace internal {

template <auto Make, typename R, typename... Args>
void Invoke(const Info& info, R (*)(Args...)) {
  Js js(info);
  std::tuple<std::remove_cvref_t<Args>...> args;
  int index = 0;
  bool ok = std::apply(
      [&](auto&... arg) { return ((engine::FromJs(js, info[index], index, arg) && (++index, true)) && ...); }, args);
  if (!ok) return;
  RunPlan(js, info, std::apply([](auto&... arg) { return Make(std::move(arg)...); }, args),
          info[static_cast<int>(sizeof...(Args))]);
}

template <auto Make>
void Thunk(const Info& info) {
  Invoke<Make>(info, Make);
}

}  // namespace internal

/// A table entry for the operation that `Make` plans.
template <auto Make>
consteval NativeFunction Op(const char* name) {
  return NativeFunction{name, &internal::Thunk<Make>, 0};
}

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_PLAN_H_
