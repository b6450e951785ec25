#include "modules/fs/plan.h"

#include "base/errno_table.h"

namespace gyre::modules::fs {

v8::Local<v8::Value> EmptyPathError(Js& js, const base::Error& error, bool has_dest) {
  const char* name = base::ErrnoName(error.err);
  std::string code = name != nullptr ? name : "Unknown system error " + std::to_string(-error.err);
  std::string message = code;
  if (name != nullptr) message += std::string(": ") + base::ErrnoMessage(error.err);
  message += std::string(", ") + error.syscall + " '" + error.path + "'";
  if (has_dest) message += " -> '" + error.dest + "'";
  v8::Local<v8::Object> object = v8::Exception::Error(js.Str(message)).As<v8::Object>();
  js.Set(object, "errno", js.Int(-error.err));
  js.Set(object, "code", js.Str(code));
  js.Set(object, "syscall", js.Str(error.syscall));
  js.Set(object, "path", js.Str(error.path));
  if (has_dest) js.Set(object, "dest", js.Str(error.dest));
  return object;
}

}  // namespace gyre::modules::fs
