#include "modules/child_process/spawn_options.h"

#include <csignal>
#include <string>

namespace gyre::modules {

namespace {

bool ReadString(Js& js, v8::Local<v8::Object> options, const char* key, std::string& out) {
  v8::Local<v8::Value> value;
  if (!js.Get(options, key).ToLocal(&value)) return false;
  if (value->IsString()) out = js.Utf8(value);
  return true;
}

bool ReadList(Js& js, v8::Local<v8::Object> options, const char* key, std::optional<std::vector<std::string>>& out) {
  v8::Local<v8::Value> value;
  if (!js.Get(options, key).ToLocal(&value)) return false;
  if (!value->IsArray()) return true;
  v8::Local<v8::Array> array = value.As<v8::Array>();
  std::vector<std::string> list;
  list.reserve(array->Length());
  for (uint32_t i = 0; i < array->Length(); i++) {
    v8::Local<v8::Value> item;
    if (!array->Get(js.context, i).ToLocal(&item)) return false;
    if (!item->IsString()) continue;
    list.push_back(js.Utf8(item));
  }
  out = std::move(list);
  return true;
}

bool ReadInt(Js& js, v8::Local<v8::Object> options, const char* key, std::optional<int32_t>& out) {
  v8::Local<v8::Value> value;
  if (!js.Get(options, key).ToLocal(&value)) return false;
  if (value->IsInt32()) out = value.As<v8::Int32>()->Value();
  return true;
}

bool ReadStdio(Js& js, v8::Local<v8::Object> options, std::vector<loop::StdioSlot>& out) {
  v8::Local<v8::Value> list;
  if (!js.Get(options, "stdio").ToLocal(&list)) return false;
  if (!list->IsArray()) return true;
  uint32_t length = list.As<v8::Array>()->Length();
  for (uint32_t i = 0; i < length; i++) {
    v8::Local<v8::Object> entry;
    if (!StdioEntry(js, options, i).ToLocal(&entry)) return false;
    std::string type;
    std::optional<int32_t> fd;
    if (!ReadString(js, entry, "type", type) || !ReadInt(js, entry, "fd", fd)) return false;
    loop::StdioSlot slot;
    using Kind = loop::StdioSlot::Kind;
    if (type == "pipe") {
      slot.kind = Kind::kPipe;
    } else if (type != "ignore") {
      slot.kind = Kind::kInherit;
      slot.fd = fd.value_or(-1);
    }
    out.push_back(slot);
  }
  return true;
}

}  // namespace

v8::MaybeLocal<v8::Object> StdioEntry(Js& js, v8::Local<v8::Object> options, uint32_t index) {
  v8::Local<v8::Value> list;
  if (!js.Get(options, "stdio").ToLocal(&list)) return {};
  v8::Local<v8::Value> entry;
  if (!list->IsArray() || !list.As<v8::Array>()->Get(js.context, index).ToLocal(&entry)) return {};
  if (!entry->IsObject()) {
    js.ThrowTypeError("an element of options.stdio is no object");
    return {};
  }
  return entry.As<v8::Object>();
}

std::optional<loop::SpawnOptions> ReadSpawnOptions(Js& js, v8::Local<v8::Object> options) {
  loop::SpawnOptions result;
  std::optional<std::vector<std::string>> args;
  std::optional<int32_t> uid;
  std::optional<int32_t> gid;
  v8::Local<v8::Value> detached;
  if (!ReadString(js, options, "file", result.file) || !ReadList(js, options, "args", args) ||
      !ReadString(js, options, "cwd", result.cwd) || !ReadList(js, options, "envPairs", result.env) ||
      !ReadInt(js, options, "uid", uid) || !ReadInt(js, options, "gid", gid) ||
      !js.Get(options, "detached").ToLocal(&detached) || !ReadStdio(js, options, result.stdio)) {
    return {};
  }
  if (args.has_value()) result.args = std::move(*args);
  if (result.args.empty()) result.args.push_back(result.file);
  if (uid.has_value()) result.uid = static_cast<uid_t>(*uid);
  if (gid.has_value()) result.gid = static_cast<gid_t>(*gid);
  result.detached = detached->IsTrue();
  return result;
}

const char* SignalName(int signum) {
  // sigabbrev_np knows all that have names, without "SIG".
  static thread_local char name[24];
  const char* abbreviation = sigabbrev_np(signum);
  if (abbreviation == nullptr) return "";
  snprintf(name, sizeof(name), "SIG%s", abbreviation);
  return name;
}

}  // namespace gyre::modules
