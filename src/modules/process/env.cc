#include "modules/process/env.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <ctime>

#include "engine/realm.h"

extern char** environ;

namespace gyre::modules {

namespace {

// setenv and getenv race between threads; everything of ours takes this lock.
std::mutex env_mutex;

/// A worker's copy of the environment, its own to change.
struct OwnEnv {
  explicit OwnEnv(Realm&) {}
  std::map<std::string, std::string> values;
};

/// Whether the callback is of a worker's copy, rather than of the process's environment.
template <typename T>
OwnEnv* OwnOf(Js& js, const v8::PropertyCallbackInfo<T>& info) {
  return info.Data()->IsTrue() ? &js.realm.Slot<OwnEnv>() : nullptr;
}

std::optional<std::string> Lookup(const OwnEnv* own, const std::string& name) {
  if (own != nullptr) {
    auto found = own->values.find(name);
    return found != own->values.end() ? std::optional(found->second) : std::nullopt;
  }
  std::lock_guard lock(env_mutex);
  const char* value = getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

v8::Intercepted Get(v8::Local<v8::Name> property, const v8::PropertyCallbackInfo<v8::Value>& info) {
  if (property->IsSymbol()) return v8::Intercepted::kNo;
  Js js(info.GetIsolate());
  std::optional<std::string> value = Lookup(OwnOf(js, info), js.Utf8(property));
  if (!value) return v8::Intercepted::kNo;
  info.GetReturnValue().Set(js.Str(*value).As<v8::Value>());
  return v8::Intercepted::kYes;
}

/// Only strings, numbers and booleans without a complaint, as Node documents; anything else is converted too.
v8::Intercepted Set(v8::Local<v8::Name> property, v8::Local<v8::Value> value,
                    const v8::PropertyCallbackInfo<void>& info) {
  Js js(info.GetIsolate());
  if (property->IsSymbol() || value->IsSymbol()) {
    js.ThrowTypeError("Cannot convert a Symbol value to a string");
    return v8::Intercepted::kYes;
  }
  std::string name = js.Utf8(property);
  v8::Local<v8::String> text;
  if (!value->ToString(js.context).ToLocal(&text)) return v8::Intercepted::kYes;
  std::string bytes = js.Utf8(text);
  if (name.empty()) return v8::Intercepted::kYes;
  if (OwnEnv* own = OwnOf(js, info)) {
    own->values[name] = bytes;
    return v8::Intercepted::kYes;
  }
  std::lock_guard lock(env_mutex);
  setenv(name.c_str(), bytes.c_str(), 1);
  if (name == "TZ") {
    tzset();
    js.isolate->DateTimeConfigurationChangeNotification(v8::Isolate::TimeZoneDetection::kRedetect);
  }
  return v8::Intercepted::kYes;
}

v8::Intercepted Query(v8::Local<v8::Name> property, const v8::PropertyCallbackInfo<v8::Integer>& info) {
  if (property->IsSymbol()) return v8::Intercepted::kNo;
  Js js(info.GetIsolate());
  if (!Lookup(OwnOf(js, info), js.Utf8(property))) return v8::Intercepted::kNo;
  info.GetReturnValue().Set(v8::None);
  return v8::Intercepted::kYes;
}

v8::Intercepted Delete(v8::Local<v8::Name> property, const v8::PropertyCallbackInfo<v8::Boolean>& info) {
  if (property->IsString()) {
    Js js(info.GetIsolate());
    std::string name = js.Utf8(property);
    if (OwnEnv* own = OwnOf(js, info)) {
      own->values.erase(name);
    } else {
      std::lock_guard lock(env_mutex);
      unsetenv(name.c_str());
    }
  }
  info.GetReturnValue().Set(true);  // deleting what is not there succeeds as well
  return v8::Intercepted::kYes;
}

std::vector<std::string> Names(const OwnEnv* own) {
  if (own != nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, value] : own->values) names.push_back(name);
    return names;
  }
  std::lock_guard lock(env_mutex);
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; entry++) {
    const char* equals = strchr(*entry, '=');
    if (equals != nullptr) names.emplace_back(*entry, static_cast<size_t>(equals - *entry));
  }
  return names;
}

void Enumerate(const v8::PropertyCallbackInfo<v8::Array>& info) {
  Js js(info.GetIsolate());
  std::vector<std::string> names = Names(OwnOf(js, info));
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, static_cast<int>(names.size()));
  for (uint32_t i = 0; i < names.size(); i++) js.Set(array, i, js.Str(names[i]));
  info.GetReturnValue().Set(array);
}

v8::Intercepted Define(v8::Local<v8::Name> property, const v8::PropertyDescriptor& descriptor,
                       const v8::PropertyCallbackInfo<void>& info) {
  Js js(info.GetIsolate());
  if (descriptor.has_get() || descriptor.has_set()) {
    js.Throw("ERR_INVALID_OBJECT_DEFINE_PROPERTY", "'process.env' does not accept an accessor(getter/setter) descriptor");
    return v8::Intercepted::kYes;
  }
  bool complete = descriptor.has_configurable() && descriptor.configurable() && descriptor.has_writable() &&
                  descriptor.writable() && descriptor.has_enumerable() && descriptor.enumerable();
  if (!complete || !descriptor.has_value()) {
    js.Throw("ERR_INVALID_OBJECT_DEFINE_PROPERTY",
             "'process.env' only accepts a configurable, writable, and enumerable data descriptor");
    return v8::Intercepted::kYes;
  }
  return Set(property, descriptor.value(), info);
}

}  // namespace

std::vector<std::string> EnvironmentEntries() {
  std::unique_lock lock(env_mutex, std::try_to_lock);
  std::vector<std::string> entries;
  if (!lock.owns_lock()) return entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; entry++) entries.emplace_back(*entry);
  return entries;
}

namespace {

v8::MaybeLocal<v8::Object> MakeEnv(Js& js, v8::Local<v8::Boolean> is_own) {
  v8::Local<v8::FunctionTemplate> constructor = v8::FunctionTemplate::New(js.isolate);
  constructor->SetClassName(js.Name("Object"));
  v8::Local<v8::ObjectTemplate> pattern = constructor->InstanceTemplate();
  v8::NamedPropertyHandlerConfiguration handler(&Get, &Set, &Query, &Delete, &Enumerate, &Define, nullptr, is_own,
                                                v8::PropertyHandlerFlags::kHasNoSideEffect);
  pattern->SetHandler(handler);
  v8::Local<v8::Object> env;
  if (!pattern->NewInstance(js.context).ToLocal(&env)) return {};
  // Its prototype is Object.prototype, as of any plain object; and as such it is cloned (web/message.cc).
  if (env->SetPrototypeV2(js.context, js.Object()->GetPrototypeV2()).IsNothing()) return {};
  v8::Local<v8::Private> mark = v8::Private::ForApi(js.isolate, js.Name("gyre:clonesAsPlain"));
  if (env->SetPrivate(js.context, mark, v8::True(js.isolate)).IsNothing()) return {};
  return env;
}

}  // namespace

v8::MaybeLocal<v8::Object> CreateEnv(Js& js) {
  if (!js.realm.has_loop()) return js.Object();  // a snapshot has no environment
  return MakeEnv(js, v8::False(js.isolate));
}

v8::MaybeLocal<v8::Object> CreateOwnEnv(Js& js, std::vector<std::string> entries) {
  auto& values = js.realm.Slot<OwnEnv>().values;
  values.clear();
  for (size_t i = 0; i + 1 < entries.size(); i += 2) values[entries[i]] = entries[i + 1];
  return MakeEnv(js, v8::True(js.isolate));
}

v8::Local<v8::Object> CreateSharedEnvCopy(Js& js) {
  v8::Local<v8::Object> copy = js.Object();
  for (const std::string& name : Names(nullptr)) {
    if (std::optional<std::string> value = Lookup(nullptr, name)) {
      (void)copy->CreateDataProperty(js.context, js.Str(name), js.Str(*value));
    }
  }
  return copy;
}

}  // namespace gyre::modules
