// An open directory as JavaScript sees it: DirHandle of binding('fs'), made by opendir().
//
// Thread: the isolate's. Owner: the JavaScript object; an operation in flight shares the directory, which closes with
// its last holder. The JavaScript half sees to it that operations come one at a time.
#ifndef GYRE_MODULES_FS_DIR_WRAP_H_
#define GYRE_MODULES_FS_DIR_WRAP_H_

#include <memory>

#include "bridge/module.h"
#include "loop/fs_ops.h"

namespace gyre::modules::fs {

class DirWrap : public Wrap {
 public:
  static const NativeClass kClass;

  DirWrap(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<loop::fs::Dir> dir)
      : Wrap(realm, object, &kClass), dir_(std::move(dir)) {}

  /// read(count, bytes, how) -> [names, types]; no names at the end
  void Read(Js& js, const Info& info);
  /// close(how)
  void Close(Js& js, const Info& info);

 private:
  std::shared_ptr<loop::fs::Dir> dir_;
};

/// opendir(path, how) -> DirHandle
void OpenDirectory(const Info& info);

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_DIR_WRAP_H_
