// FsEvent of binding('fs'): what fs.watch stands on.
//
// JavaScript sets `onchange(status, eventType, name)` on the object; `name` is the bytes of a file name, or null.
//
// Thread: the isolate's. Owner: the JavaScript object, which is pinned while it watches; the loop owns the handle's
// memory until its closing phase.
#ifndef GYRE_MODULES_FS_WATCH_WRAP_H_
#define GYRE_MODULES_FS_WATCH_WRAP_H_

#include <string>
#include <string_view>

#include "bridge/module.h"
#include "loop/fs_event.h"

namespace gyre::modules::fs {

class FsWatchWrap : public Wrap {
 public:
  static const NativeClass kClass;

  FsWatchWrap(Realm& realm, v8::Local<v8::Object> object)
      : Wrap(realm, object, &kClass),
        async_context_(bridge::AsyncContext::Current(realm.isolate(), "FSEVENTWRAP", object)) {}

  /// start(path): 0, or a negative errno
  int32_t Start(Js& js, std::string path);
  /// close(): ends the watch; onclose() runs in the closing phase
  void Close(Js& js);
  void Ref(Js& js);
  void Unref(Js& js);
  bool HasRef(Js& js);
  bool Initialized(Js&) { return handle_ != nullptr; }

 private:
  void Emit(uint32_t events, std::string_view name);
  void EmitOne(const char* type, std::string_view name);

  bridge::AsyncContext async_context_;  // of the call that made the watcher
  loop::HandlePtr<loop::FsEventHandle> handle_;
};

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_WATCH_WRAP_H_
