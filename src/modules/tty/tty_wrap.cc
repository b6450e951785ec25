// The native half of node:tty: TTY, a terminal as a stream.

#include <cerrno>

#include "loop/tty.h"
#include "modules/net/stream_wrap.h"

namespace gyre::modules {

namespace {

class TtyWrap final : public StreamWrap {
 public:
  static const NativeClass kClass;
  TtyWrap(Realm& realm, v8::Local<v8::Object> object)
      : StreamWrap(realm, object, &kClass, "TTYWRAP"), tty_(loop::TtyHandle::Create(realm.loop())) {
    SetStream(tty_.get());
  }
  const char* ResourceName() const override { return "TTYWrap"; }

  int Open(Js&, int fd) { return tty_->IsClosing() ? -EBADF : Status(tty_->Open(fd)); }

  /// setRawMode(mode): 0 normal, 1 raw, 2 raw without signals
  int SetMode(Js&, int mode) {
    if (tty_->IsClosing()) return -EBADF;
    using Mode = loop::TtyHandle::Mode;
    return Status(tty_->SetMode(mode == 0 ? Mode::kNormal : mode == 1 ? Mode::kRaw : Mode::kIo));
  }

  /// getWindowSize(out): out[0] columns, out[1] rows
  int GetWindowSize(Js& js, v8::Local<v8::Object> out) {
    if (tty_->IsClosing()) return -EBADF;
    auto size = tty_->GetWindowSize();
    if (!size.has_value()) return -size.error().err;
    return js.Set(out, 0u, js.Int(size->columns)) && js.Set(out, 1u, js.Int(size->rows)) ? 0 : -EINVAL;
  }

 private:
  loop::HandlePtr<loop::TtyHandle> tty_;
};

void ConstructTty(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor TTY cannot be invoked without 'new'");
  new TtyWrap(js.realm, info.This());
}

constexpr NativeFunction kTtyMethods[] = {
    Method<&TtyWrap::Open>("open"),
    Method<&TtyWrap::SetMode>("setRawMode"),
    Method<&TtyWrap::GetWindowSize>("getWindowSize"),
};

const NativeClass TtyWrap::kClass = {
    .name = "TTY",
    .construct = &ConstructTty,
    .methods = kTtyMethods,
    .parent = &StreamWrap::kClass,
};

bool IsATty(Js&, int fd) { return loop::GuessHandle(fd) == loop::HandleGuess::kTty; }

constexpr NativeFunction kFunctions[] = {Fn<&IsATty>("isatty")};
constexpr const NativeClass* kClasses[] = {&TtyWrap::kClass};

}  // namespace

extern const NativeModule kTtyModule;
const NativeModule kTtyModule = {.name = "tty", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
