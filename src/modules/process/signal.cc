// binding('signal'): a signal watcher for process.on('SIGTERM') and its kin.
#include "loop/signal.h"

#include "bridge/module.h"
#include "loop/loop.h"

namespace gyre::modules {

class SignalWrap : public Wrap {
 public:
  static const NativeClass kClass;

  SignalWrap(Js& js, v8::Local<v8::Object> object)
      : Wrap(js.realm, object, &kClass),
        context_(bridge::AsyncContext::Current(js.isolate, "SIGNALWRAP", object)) {
    handle_ = loop::SignalHandle::Create(js.realm.loop(), [this](int signum) { Deliver(signum); });
  }

  /// 0, or a negative errno.
  int32_t Start(Js&, int32_t signum) {
    if (handle_ == nullptr) return -EINVAL;
    base::Result<void> started = handle_->Start(signum);
    if (!started.has_value()) return -started.error().err;
    if (!pinned()) Pin();
    return 0;
  }
  void Stop(Js&) {
    if (handle_ != nullptr) handle_->Stop();
    if (pinned()) Unpin();
  }
  void Close(Js& js) {
    Stop(js);
    handle_.reset();
    context_.EmitDestroy(js.realm);
  }
  void Ref(Js&) {
    if (handle_ != nullptr) handle_->Ref();
  }
  void Unref(Js&) {
    if (handle_ != nullptr) handle_->Unref();
  }
  bool HasRef(Js&) { return handle_ != nullptr && handle_->HasRef(); }

 private:
  void Deliver(int signum) {
    bridge::JsScope scope(realm(), context_);
    v8::Local<v8::Value> argv[] = {scope.js().Int(signum)};
    (void)bridge::CallMethod(scope.js(), object(), "onsignal", 1, argv);
  }

  bridge::AsyncContext context_;
  loop::HandlePtr<loop::SignalHandle> handle_;
};

namespace {

void Construct(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.Throw("ERR_CONSTRUCT_CALL_REQUIRED", "Signal");
  new SignalWrap(js, info.This());
}

constexpr NativeFunction kMethods[] = {
    Method<&SignalWrap::Start>("start"), Method<&SignalWrap::Stop>("stop"),   Method<&SignalWrap::Close>("close"),
    Method<&SignalWrap::Ref>("ref"),     Method<&SignalWrap::Unref>("unref"), Method<&SignalWrap::HasRef>("hasRef"),
};
const NativeClass* const kClasses[] = {&SignalWrap::kClass};

}  // namespace

const NativeClass SignalWrap::kClass = {.name = "Signal", .construct = &Construct, .methods = kMethods};

extern const NativeModule kSignalModule;
const NativeModule kSignalModule = {.name = "signal", .classes = kClasses};

}  // namespace gyre::modules
