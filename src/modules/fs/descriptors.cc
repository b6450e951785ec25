#include "modules/fs/descriptors.h"

#include <unistd.h>

namespace gyre::modules::fs {

Descriptors::~Descriptors() {
  for (int fd : raw_) ::close(fd);
  for (int fd : managed_) ::close(fd);
}

void Descriptors::Opened(Js& js, int fd, bool raw) {
  if (!on_) return;
  if (!raw) {
    managed_.insert(fd);
  } else if (track_raw_ && !raw_.insert(fd).second) {
    Warn(js, "File descriptor " + std::to_string(fd) + " opened in unmanaged mode twice");
  }
}

void Descriptors::Closed(Js& js, int fd) {
  if (!on_ || managed_.erase(fd) > 0 || !track_raw_) return;
  if (raw_.erase(fd) == 0) {
    Warn(js, "File descriptor " + std::to_string(fd) + " closed but not opened in unmanaged mode");
  }
}

void Descriptors::Warn(Js& js, const std::string& text) {
  v8::Local<v8::Value> argument = js.Str(text);
  (void)warn_.Get(js.isolate)->Call(js.context, js.Undefined(), 1, &argument);
}

void Descriptors::Track(const Info& info) {
  Js js(info);
  Descriptors& self = Of(js);
  v8::Local<v8::Function> warn;
  if (!engine::FromJs(js, info[0], 0, self.track_raw_) || !engine::FromJs(js, info[1], 1, warn)) return;
  self.warn_.Reset(js.isolate, warn);
  self.on_ = true;
}

}  // namespace gyre::modules::fs
