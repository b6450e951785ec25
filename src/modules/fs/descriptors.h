// The descriptors that a worker has open: they are closed when its realm ends, whatever its program forgot. The main
// thread tracks none; its descriptors end with the process.
//
// Thread: the isolate's. Owner: the realm.
#ifndef GYRE_MODULES_FS_DESCRIPTORS_H_
#define GYRE_MODULES_FS_DESCRIPTORS_H_

#include <unordered_set>

#include "bridge/module.h"

namespace gyre::modules::fs {

class Descriptors {
 public:
  explicit Descriptors(Realm&) {}
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  static Descriptors& Of(Js& js) { return js.realm.Slot<Descriptors>(); }

  /// `raw`: fs.open gave it, not a FileHandle, which the option trackUnmanagedFds is not about.
  void Opened(Js& js, int fd, bool raw);
  void Closed(Js& js, int fd);
  /// Of a FileHandle that goes to another thread or comes from one.
  void Released(int fd) { managed_.erase(fd); }

  /// trackDescriptors(raw, warn): `warn(text)` hears of descriptors that do not add up.
  static void Track(const Info& info);

 private:
  void Warn(Js& js, const std::string& text);

  bool on_ = false;
  bool track_raw_ = false;
  std::unordered_set<int> raw_;
  std::unordered_set<int> managed_;
  v8::Global<v8::Function> warn_;
};

}  // namespace gyre::modules::fs

#endif  // GYRE_MODULES_FS_DESCRIPTORS_H_
