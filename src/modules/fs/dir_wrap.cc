#include "modules/fs/dir_wrap.h"

#include "modules/fs/plan.h"
#include "modules/fs/values.h"

namespace gyre::modules::fs {
namespace {

namespace ops = loop::fs;

v8::MaybeLocal<v8::Value> WrapDir(Js& js, std::shared_ptr<ops::Dir>& dir) {
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, DirWrap::kClass).ToLocal(&object)) return {};
  new DirWrap(js.realm, object, std::move(dir));
  return object;
}

struct AsTypedEntries {
  bool bytes;
  v8::MaybeLocal<v8::Value> operator()(Js& js, std::vector<loop::DirEntry>& entries) const {
    return EntryArrays(js, entries, bytes, /*types=*/true);
  }
};

constexpr NativeFunction kMethods[] = {RawMethod<&DirWrap::Read>("read"), RawMethod<&DirWrap::Close>("close")};

}  // namespace

const NativeClass DirWrap::kClass = {.name = "DirHandle", .methods = kMethods};

void DirWrap::Read(Js& js, const Info& info) {
  uint32_t count;
  bool bytes;
  if (!engine::FromJs(js, info[0], 0, count) || !engine::FromJs(js, info[1], 1, bytes)) return;
  if (dir_ == nullptr) return js.Throw("ERR_DIR_CLOSED");
  RunPlan(js, info, Plan{ops::ReadDir{.dir = dir_, .count = count}, AsTypedEntries{bytes}}, info[2]);
}

void DirWrap::Close(Js& js, const Info& info) {
  if (dir_ == nullptr) return js.Throw("ERR_DIR_CLOSED");
  RunPlan(js, info, Plan{ops::CloseDir{.dir = std::exchange(dir_, nullptr)}}, info[0]);
}

void OpenDirectory(const Info& info) {
  Js js(info);
  std::string path;
  if (!engine::FromJs(js, info[0], 0, path)) return;
  RunPlan(js, info, Plan{ops::OpenDir{.path = std::move(path)}, &WrapDir}, info[1]);
}

}  // namespace gyre::modules::fs
