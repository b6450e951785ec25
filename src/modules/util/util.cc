// The native half of node:util: what only the engine knows about values (proxies, promises, weak collections,
// iterators, hidden constructors) and about the call stack.
// Thread: the isolate's; no state.

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "bridge/module.h"

namespace gyre::modules {
namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

/// (value, wantsBoth) -> undefined for what is no proxy, else the target or [target, handler].
void GetProxyDetails(const Info& info) {
  if (!info[0]->IsProxy()) return;
  v8::Local<v8::Proxy> proxy = info[0].As<v8::Proxy>();
  if (!info[1]->IsTrue()) {
    info.GetReturnValue().Set(proxy->GetTarget());
    return;
  }
  v8::Local<v8::Value> both[] = {proxy->GetTarget(), proxy->GetHandler()};
  info.GetReturnValue().Set(v8::Array::New(info.GetIsolate(), both, 2));
}

/// (promise) -> [state] or [state, result].
void GetPromiseDetails(const Info& info) {
  if (!info[0]->IsPromise()) return;
  v8::Isolate* isolate = info.GetIsolate();
  v8::Local<v8::Promise> promise = info[0].As<v8::Promise>();
  int state = promise->State();
  v8::Local<v8::Value> values[] = {v8::Integer::New(isolate, state), v8::Undefined(isolate)};
  size_t count = 1;
  if (state != v8::Promise::kPending) values[count++] = promise->Result();
  info.GetReturnValue().Set(v8::Array::New(isolate, values, count));
}

/// (object) -> entries; (object, true) -> [entries, isKeyValue]. Of maps, sets, weak ones and iterators.
void PreviewEntries(const Info& info) {
  if (!info[0]->IsObject()) return;
  v8::Isolate* isolate = info.GetIsolate();
  bool is_key_value = false;
  v8::Local<v8::Array> entries;
  if (!info[0].As<v8::Object>()->PreviewEntries(&is_key_value).ToLocal(&entries)) return;
  if (info.Length() < 2) {
    info.GetReturnValue().Set(entries);
    return;
  }
  v8::Local<v8::Value> result[] = {entries, v8::Boolean::New(isolate, is_key_value)};
  info.GetReturnValue().Set(v8::Array::New(isolate, result, 2));
}

/// (object, filter) -> own keys that are no array indices, symbols included.
void GetOwnNonIndexProperties(const Info& info) {
  Js js(info);
  if (!info[0]->IsObject()) return;
  uint32_t filter = info[1]->IsUint32() ? info[1].As<v8::Uint32>()->Value() : 0;
  v8::Local<v8::Array> keys;
  if (info[0]
          .As<v8::Object>()
          ->GetPropertyNames(js.context, v8::KeyCollectionMode::kOwnOnly, static_cast<v8::PropertyFilter>(filter),
                             v8::IndexFilter::kSkipIndices)
          .ToLocal(&keys)) {
    info.GetReturnValue().Set(keys);
  }
}

void GetConstructorName(const Info& info) {
  if (info[0]->IsObject()) info.GetReturnValue().Set(info[0].As<v8::Object>()->GetConstructorName());
}

void GetExternalValue(const Info& info) {
  if (!info[0]->IsExternal()) return;
  auto address = reinterpret_cast<uint64_t>(info[0].As<v8::External>()->Value());
  info.GetReturnValue().Set(v8::BigInt::NewFromUnsigned(info.GetIsolate(), address));
}

bool IsInsideNodeModules(Js& js, std::optional<int32_t> limit) {
  v8::Local<v8::StackTrace> stack = v8::StackTrace::CurrentStackTrace(js.isolate, limit.value_or(10));
  for (int i = 0; i < stack->GetFrameCount(); i++) {
    v8::Local<v8::StackFrame> frame = stack->GetFrame(js.isolate, i);
    v8::Local<v8::Value> name = frame->GetScriptName();
    if (name.IsEmpty() || !name->IsString()) continue;
    std::string file = js.Utf8(name);
    if (file.starts_with("node:")) continue;
    return file.find("/node_modules/") != std::string::npos || file.find("\\node_modules\\") != std::string::npos;
  }
  return false;
}

v8::Local<v8::Value> OrEmpty(Js& js, v8::Local<v8::String> text) {
  if (text.IsEmpty()) return v8::String::Empty(js.isolate);
  return text;
}

v8::Local<v8::Object> CallSiteObject(Js& js, v8::Local<v8::StackFrame> frame) {
  v8::Local<v8::Object> site = js.Object();
  js.Set(site, "functionName", OrEmpty(js, frame->GetFunctionName()));
  js.Set(site, "scriptId", js.Str(std::to_string(frame->GetScriptId())));
  js.Set(site, "scriptName", OrEmpty(js, frame->GetScriptName()));
  js.Set(site, "lineNumber", js.Int(frame->GetLineNumber()));
  js.Set(site, "columnNumber", js.Int(frame->GetColumn()));
  js.Set(site, "column", js.Int(frame->GetColumn()));
  return site;
}

/// (count) -> call sites, innermost first, without the caller's own frame.
v8::Local<v8::Value> GetCallSites(Js& js, uint32_t count) {
  v8::Local<v8::StackTrace> stack = v8::StackTrace::CurrentStackTrace(js.isolate, static_cast<int>(count) + 1);
  std::vector<v8::Local<v8::Value>> sites;
  for (int i = 1; i < stack->GetFrameCount(); i++) {
    sites.push_back(CallSiteObject(js, stack->GetFrame(js.isolate, i)));
  }
  return v8::Array::New(js.isolate, sites.data(), sites.size());
}

/// (error) -> { sourceLine, startColumn } of the place that its stack begins at; undefined if that is unknown.
v8::Local<v8::Value> GetErrorSource(Js& js, v8::Local<v8::Value> error) {
  v8::Local<v8::Message> message = v8::Exception::CreateMessage(js.isolate, error);
  v8::Local<v8::String> line;
  if (!message->GetSourceLine(js.context).ToLocal(&line)) return js.Undefined();
  v8::Local<v8::Object> source = js.Object();
  js.Set(source, "sourceLine", line);
  js.Set(source, "startColumn", js.Int(message->GetStartColumn(js.context).FromMaybe(-1)));
  return source;
}

const char* SocketKind(int fd) {
  int type = 0;
  socklen_t type_size = sizeof(type);
  sockaddr_storage address{};
  socklen_t address_size = sizeof(address);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0) return "UNKNOWN";
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &address_size) != 0) return "UNKNOWN";
  bool is_inet = address.ss_family == AF_INET || address.ss_family == AF_INET6;
  if (type == SOCK_STREAM) return is_inet ? "TCP" : address.ss_family == AF_UNIX ? "PIPE" : "UNKNOWN";
  if (type == SOCK_DGRAM && is_inet) return "UDP";
  return "UNKNOWN";
}

/// What a descriptor is: 'FILE', 'PIPE', 'TCP', 'TTY', 'UDP', 'UNKNOWN' or 'INVALID'.
std::string GuessHandleType(Js&, int32_t fd) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return "INVALID";
  if (isatty(fd)) return "TTY";
  if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) return "FILE";
  if (S_ISFIFO(status.st_mode)) return "PIPE";
  if (S_ISSOCK(status.st_mode)) return SocketKind(fd);
  return "UNKNOWN";
}

void IsConstructor(const Info& info) {
  info.GetReturnValue().Set(info[0]->IsFunction() && info[0].As<v8::Function>()->IsConstructor());
}

/// Whether the view already has an ArrayBuffer (small ones live on V8's heap until it is asked for).
void ArrayBufferViewHasBuffer(const Info& info) {
  info.GetReturnValue().Set(info[0]->IsArrayBufferView() && info[0].As<v8::ArrayBufferView>()->HasBuffer());
}

void Init(Js& js, v8::Local<v8::Object> target) {
  v8::Local<v8::Object> constants = js.Object();
  js.Set(constants, "kPending", js.Int(v8::Promise::kPending));
  js.Set(constants, "kFulfilled", js.Int(v8::Promise::kFulfilled));
  js.Set(constants, "kRejected", js.Int(v8::Promise::kRejected));
  js.Set(constants, "ALL_PROPERTIES", js.Int(v8::ALL_PROPERTIES));
  js.Set(constants, "ONLY_ENUMERABLE", js.Int(v8::ONLY_ENUMERABLE));
  js.Set(target, "constants", constants);
}

constexpr NativeFunction kFunctions[] = {
    RawFn("getProxyDetails", &GetProxyDetails),
    RawFn("getPromiseDetails", &GetPromiseDetails),
    RawFn("previewEntries", &PreviewEntries),
    RawFn("getOwnNonIndexProperties", &GetOwnNonIndexProperties),
    RawFn("getConstructorName", &GetConstructorName),
    RawFn("getExternalValue", &GetExternalValue),
    RawFn("isConstructor", &IsConstructor),
    RawFn("arrayBufferViewHasBuffer", &ArrayBufferViewHasBuffer),
    Fn<&IsInsideNodeModules>("isInsideNodeModules"),
    Fn<&GetCallSites>("getCallSites"),
    Fn<&GetErrorSource>("getErrorSource"),
    Fn<&GuessHandleType>("guessHandleType"),
};

}  // namespace

extern const NativeModule kUtilModule = {.name = "util", .functions = kFunctions, .classes = {}, .init = &Init};

}  // namespace gyre::modules
