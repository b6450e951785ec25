#include "modules/inspector/inspector.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bridge/module.h"
#include "modules/inspector/remote.h"

namespace gyre::modules {

namespace {

using v8_inspector::StringBuffer;
using v8_inspector::StringView;

constexpr int kGroup = 1;

StringView View(std::string_view latin1) {
  return {reinterpret_cast<const uint8_t*>(latin1.data()), latin1.size()};
}

/// Characters of a JavaScript string as the inspector takes them.
std::vector<uint16_t> Units(v8::Isolate* isolate, v8::Local<v8::String> text) {
  std::vector<uint16_t> units(static_cast<size_t>(text->Length()));
  text->WriteV2(isolate, 0, static_cast<uint32_t>(units.size()), units.data());
  return units;
}

/// A file's path as the URL that tools know it by.
std::string UrlOf(const std::string& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string url = "file://";
  for (unsigned char c : path) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("/-_.~!$&'()*+,;=:@").find(static_cast<char>(c)) != std::string_view::npos;
    if (plain) {
      url += static_cast<char>(c);
    } else {
      url += {'%', kHex[c >> 4], kHex[c & 15]};
    }
  }
  return url;
}

class Client final : public v8_inspector::V8InspectorClient {
 public:
  explicit Client(Realm& realm) : realm_(realm) {}

  v8::Local<v8::Context> ensureDefaultContextInGroup(int) override { return realm_.context(); }
  double currentTimeMS() override {
    using namespace std::chrono;
    return duration<double, std::milli>(system_clock::now().time_since_epoch()).count();
  }
  std::unique_ptr<StringBuffer> resourceNameToUrl(const StringView& name) override {
    v8::HandleScope handles(realm_.isolate());
    v8::String::Utf8Value path(realm_.isolate(), InspectorText(realm_.isolate(), name));
    if (*path == nullptr || **path != '/') return nullptr;
    std::string url = UrlOf(*path);
    return StringBuffer::create(View(url));
  }
  // A session in the program itself cannot answer while the program is held: without tools from outside it goes on.
  void runMessageLoopOnPause(int) override {
    if (remote != nullptr) remote->RunWhilePaused();
  }
  void quitMessageLoopOnPause() override {
    if (remote != nullptr) remote->Quit();
  }
  void runIfWaitingForDebugger(int) override {
    if (remote != nullptr) remote->DebuggerSaysRun();
  }

  std::unique_ptr<RemoteSessions> remote;

 private:
  Realm& realm_;
};

struct InspectorState {
  explicit InspectorState(Realm& owner) : realm(owner), client(owner) {}
  ~InspectorState() { client.remote.reset(); }

  /// `name`: of the realm's own context, as tools show it.
  v8_inspector::V8Inspector& Get(std::string_view name) {
    if (inspector == nullptr) {
      inspector = v8_inspector::V8Inspector::create(realm.isolate(), &client);
      Add(realm.context(), name, R"({"isDefault":true})");
    }
    return *inspector;
  }

  void Add(v8::Local<v8::Context> context, std::string_view name, std::string_view data, std::string_view origin = {}) {
    v8_inspector::V8ContextInfo info(context, kGroup, View(name));
    info.auxData = View(data);
    info.origin = View(origin);
    inspector->contextCreated(info);
  }

  Realm& realm;
  int sessions = 0;
  bool in_console = false;
  Client client;
  std::unique_ptr<v8_inspector::V8Inspector> inspector;
};

/// new Connection(onMessage, contextName): one session. Messages are JSON texts both ways; answers come inside dispatch().
class ConnectionWrap final : public Wrap, private v8_inspector::V8Inspector::Channel {
 public:
  static const NativeClass kClass;

  ConnectionWrap(Js& js, v8::Local<v8::Object> object, v8::Local<v8::Function> on_message, std::string_view name)
      : Wrap(js.realm, object, &kClass), on_message_(js.isolate, on_message) {
    session_ = js.realm.Slot<InspectorState>().Get(name).connect(kGroup, this, View("{}"),
                                                             v8_inspector::V8Inspector::kFullyTrusted);
    js.realm.Slot<InspectorState>().sessions++;
    Pin();
  }

  void Dispatch(Js& js, v8::Local<v8::String> message) {
    if (session_ == nullptr) return;
    std::vector<uint16_t> units = Units(js.isolate, message);
    session_->dispatchProtocolMessage({units.data(), units.size()});
  }

  void Disconnect(Js&) {
    if (session_ == nullptr) return;
    session_.reset();
    realm().Slot<InspectorState>().sessions--;
    Unpin();
  }

 private:
  void sendResponse(int, std::unique_ptr<StringBuffer> message) override { Send(*message); }
  void sendNotification(std::unique_ptr<StringBuffer> message) override { Send(*message); }
  void flushProtocolNotifications() override {}

  void Send(const StringBuffer& message) {
    if (realm().terminating) return;
    bridge::JsScope scope(realm());
    Js& js = scope.js();
    v8::Local<v8::Value> argv[] = {InspectorText(js.isolate, message.string())};
    bridge::Call(js, on_message_.Get(js.isolate), object(), 1, argv);
  }

  v8::Global<v8::Function> on_message_;
  std::unique_ptr<v8_inspector::V8InspectorSession> session_;
};

void ConstructConnection(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall() || !info[0]->IsFunction()) return js.ThrowTypeError("new Connection(onMessage)");
  new ConnectionWrap(js, info.This(), info[0].As<v8::Function>(), js.Utf8(info[1]));
}

constexpr NativeFunction kMethods[] = {
    Method<&ConnectionWrap::Dispatch>("dispatch"),
    Method<&ConnectionWrap::Disconnect>("disconnect"),
};

const NativeClass ConnectionWrap::kClass = {
    .name = "Connection",
    .construct = &ConstructConnection,
    .methods = kMethods,
};

/// V8's own console, which tells the sessions.
v8::Local<v8::Value> EngineConsole(Js& js) {
  v8::Local<v8::Value> console;
  if (!js.Get(js.context->GetExtrasBindingObject(), "console").ToLocal(&console)) return js.Undefined();
  return console;
}

/// consoleCall(engineMethod, ownMethod, ...args): both, the engine's first. Native, so that the line that logs is the
/// top of the stack that sessions are told.
void ConsoleCall(const Info& info) {
  Js js(info);
  if (info.Length() < 2 || !info[0]->IsFunction() || !info[1]->IsFunction()) {
    return js.ThrowTypeError("consoleCall(engineMethod, ownMethod, ...args)");
  }
  std::vector<v8::Local<v8::Value>> args;
  for (int i = 2; i < info.Length(); i++) args.push_back(info[i]);
  int count = static_cast<int>(args.size());
  InspectorState& state = js.realm.Slot<InspectorState>();
  // A session's listener may log.
  bool listens = state.sessions > 0 || (state.client.remote != nullptr && state.client.remote->HasSessions());
  if (listens && !state.in_console) {
    state.in_console = true;
    bool ok = !info[0].As<v8::Function>()->Call(js.context, info.Data(), count, args.data()).IsEmpty();
    state.in_console = false;
    if (!ok) return;
  }
  v8::Local<v8::Value> result;
  if (info[1].As<v8::Function>()->Call(js.context, info.This(), count, args.data()).ToLocal(&result)) {
    info.GetReturnValue().Set(result);
  }
}

RemoteSessions* Remote(Js& js) { return js.realm.Slot<InspectorState>().client.remote.get(); }

/// listen(contextName, host, port, id, title, url): 0 or a negative errno.
int Listen(Js& js, std::string name, std::string host, int port, std::string id, std::string title, std::string url) {
  InspectorState& state = js.realm.Slot<InspectorState>();
  v8_inspector::V8Inspector& inspector = state.Get(name);
  if (state.client.remote == nullptr) state.client.remote = std::make_unique<RemoteSessions>(js.realm, inspector);
  Result<void> listening = state.client.remote->Listen(
      host, static_cast<uint16_t>(port), {.id = std::move(id), .title = std::move(title), .url = std::move(url)});
  return listening.has_value() ? 0 : -listening.error().err;
}

void CloseRemote(Js& js) {
  if (Remote(js) != nullptr) Remote(js)->Close();
}

/// Where tools connect, or "".
std::string Url(Js& js) { return Remote(js) == nullptr ? std::string() : Remote(js)->url(); }

void WaitForDebugger(Js& js) {
  if (Remote(js) != nullptr) Remote(js)->WaitForDebugger();
}

void WaitForDisconnect(Js& js) {
  if (Remote(js) != nullptr && Remote(js)->IsListening()) Remote(js)->WaitForDisconnect();
}

/// callAndPause(function, receiver, args): its first statement is a breakpoint.
void CallAndPause(const Info& info) {
  Js js(info);
  if (!info[0]->IsFunction() || !info[2]->IsArray()) return js.ThrowTypeError("callAndPause(function, receiver, args)");
  std::vector<v8::Local<v8::Value>> args;
  for (uint32_t i = 0; i < info[2].As<v8::Array>()->Length(); i++) {
    v8::Local<v8::Value> arg;
    if (!info[2].As<v8::Array>()->Get(js.context, i).ToLocal(&arg)) return;
    args.push_back(arg);
  }
  if (Remote(js) != nullptr) Remote(js)->PauseOnNextStatement();
  v8::Local<v8::Value> result;
  if (info[0].As<v8::Function>()->Call(js.context, info[1], static_cast<int>(args.size()), args.data()).ToLocal(&result)) {
    info.GetReturnValue().Set(result);
  }
}

constexpr NativeFunction kFunctions[] = {
    Fn<&Listen>("listen"),
    Fn<&CloseRemote>("close"),
    Fn<&Url>("url"),
    Fn<&WaitForDebugger>("waitForDebugger"),
    Fn<&WaitForDisconnect>("waitForDisconnect"),
    RawFn("callAndPause", &CallAndPause, 3),
    Fn<&EngineConsole>("engineConsole"),
    RawFn("consoleCall", &ConsoleCall, 2),
};
constexpr const NativeClass* kClasses[] = {&ConnectionWrap::kClass};

}  // namespace

void AttachInspector(Realm& realm, const std::string& name) { realm.Slot<InspectorState>().Get(name); }

v8::Local<v8::String> InspectorText(v8::Isolate* isolate, const StringView& view) {
  v8::MaybeLocal<v8::String> text =
      view.is8Bit() ? v8::String::NewFromOneByte(isolate, view.characters8(), v8::NewStringType::kNormal,
                                                 static_cast<int>(view.length()))
                    : v8::String::NewFromTwoByte(isolate, view.characters16(), v8::NewStringType::kNormal,
                                                 static_cast<int>(view.length()));
  return text.FromMaybe(v8::String::Empty(isolate));
}

void TellInspectorOfContext(Js& js, v8::Local<v8::Context> context, std::string_view name, std::string_view origin) {
  InspectorState& state = js.realm.Slot<InspectorState>();
  if (state.inspector != nullptr) state.Add(context, name, R"({"isDefault":false})", origin);
}

extern const NativeModule kInspectorModule;
const NativeModule kInspectorModule = {.name = "inspector", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
