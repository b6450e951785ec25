#include "modules/inspector/remote.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include "bridge/js_scope.h"
#include "modules/inspector/inspector.h"

namespace gyre::modules {

namespace {

constexpr int kGroup = 1;

v8_inspector::StringView View(std::string_view latin1) {
  return {reinterpret_cast<const uint8_t*>(latin1.data()), latin1.size()};
}

/// The number behind `"id":`, as text.
std::string IdOf(const std::string& message) {
  size_t at = message.find("\"id\":");
  if (at == std::string::npos) return "0";
  at = message.find_first_of("0123456789", at);
  if (at == std::string::npos) return "0";
  return message.substr(at, message.find_first_not_of("0123456789", at) - at);
}

}  // namespace

class RemoteSessions::Session final : public v8_inspector::V8Inspector::Channel {
 public:
  Session(RemoteSessions& owner, int id) : owner_(owner), id_(id) {
    session_ = owner.inspector_.connect(kGroup, this, View("{}"), v8_inspector::V8Inspector::kFullyTrusted,
                                        owner.waiting_ ? v8_inspector::V8Inspector::kWaitingForDebugger
                                                       : v8_inspector::V8Inspector::kNotWaitingForDebugger);
  }

  void Dispatch(const std::string& message) {
    if (DispatchOwn(message)) return;
    v8::Local<v8::String> text;
    if (!v8::String::NewFromUtf8(owner_.isolate_, message.data(), v8::NewStringType::kNormal,
                                 static_cast<int>(message.size()))
             .ToLocal(&text)) {
      return;
    }
    std::vector<uint16_t> units(static_cast<size_t>(text->Length()));
    text->WriteV2(owner_.isolate_, 0, static_cast<uint32_t>(units.size()), units.data());
    session_->dispatchProtocolMessage({units.data(), units.size()});
  }

  void PauseOnNextStatement() {
    constexpr std::string_view kReason = "Break on start";
    session_->schedulePauseOnNextStatement(View(kReason), View("{}"));
  }

  void TellOfEnd() {
    if (wants_end_) SendText(R"({"method":"NodeRuntime.waitingForDisconnect","params":{}})");
  }

 private:
  /// The domain that V8 does not know: when the program waits for its tools.
  bool DispatchOwn(const std::string& message) {
    size_t method = message.find("\"NodeRuntime.");
    if (method == std::string::npos) return false;
    if (message.compare(method, 28, "\"NodeRuntime.notifyWhenWaiti") == 0) {
      wants_end_ = message.find("true") != std::string::npos;
    }
    SendText("{\"id\":" + IdOf(message) + ",\"result\":{}}");
    if (message.compare(method, 20, "\"NodeRuntime.enable\"") == 0 && owner_.waiting_) {
      SendText(R"({"method":"NodeRuntime.waitingForDebugger","params":{}})");
    }
    return true;
  }

  void sendResponse(int, std::unique_ptr<v8_inspector::StringBuffer> message) override { Send(*message); }
  void sendNotification(std::unique_ptr<v8_inspector::StringBuffer> message) override { Send(*message); }
  void flushProtocolNotifications() override {}

  void Send(const v8_inspector::StringBuffer& message) {
    v8::HandleScope handles(owner_.isolate_);
    v8::String::Utf8Value text(owner_.isolate_, InspectorText(owner_.isolate_, message.string()));
    if (*text != nullptr) SendText({*text, static_cast<size_t>(text.length())});
  }

  void SendText(std::string text) {
    if (owner_.server_ != nullptr) owner_.server_->Send(id_, std::move(text));
  }

  RemoteSessions& owner_;
  int id_;
  bool wants_end_ = false;
  std::unique_ptr<v8_inspector::V8InspectorSession> session_;
};

RemoteSessions::RemoteSessions(Realm& realm, v8_inspector::V8Inspector& inspector)
    : realm_(realm), inspector_(inspector), isolate_(realm.isolate()), loop_(realm.loop().remote()),
      self_(std::make_shared<RemoteSessions*>(this)) {}

RemoteSessions::~RemoteSessions() {
  *self_ = nullptr;
  Close();
}

Result<void> RemoteSessions::Listen(const std::string& host, uint16_t port, InspectorServer::Target target) {
  Result<std::unique_ptr<InspectorServer>> server = InspectorServer::Start(host, port, std::move(target), *this);
  if (!server.has_value()) return Err(server.error());
  server_ = std::move(*server);
  return {};
}

void RemoteSessions::Close() {
  if (server_ != nullptr) server_->Stop();
  sessions_.clear();
  server_.reset();
  waiting_ = paused_ = false;
}

void RemoteSessions::Push(Event event) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(std::move(event));
  }
  ready_.notify_all();
  // Whichever comes first: a busy program, or a waiting loop. Later ones find nothing left.
  isolate_->RequestInterrupt([](v8::Isolate*, void* self) { static_cast<RemoteSessions*>(self)->Process(); }, this);
  loop_->Post([self = self_] {
    if (*self != nullptr) (*self)->Process();
  });
}

bool RemoteSessions::Pop(Event& event) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (events_.empty()) return false;
  event = std::move(events_.front());
  events_.pop_front();
  return true;
}

void RemoteSessions::Process() {
  if (realm_.terminating) return;
  Event event;
  while (Pop(event)) Handle(event);
}

void RemoteSessions::Handle(Event& event) {
  bridge::JsScope scope(realm_);
  switch (event.kind) {
    case Event::Kind::kConnect:
      sessions_[event.session] = std::make_unique<Session>(*this, event.session);
      fprintf(stderr, "Debugger attached.\n");
      break;
    case Event::Kind::kMessage:
      if (auto found = sessions_.find(event.session); found != sessions_.end()) found->second->Dispatch(event.message);
      break;
    case Event::Kind::kDisconnect:
      sessions_.erase(event.session);
      if (sessions_.empty()) paused_ = false;
      break;
  }
}

void RemoteSessions::WaitForEvent() {
  std::unique_lock<std::mutex> lock(mutex_);
  ready_.wait(lock, [this] { return !events_.empty(); });
}

void RemoteSessions::WaitForDebugger() {
  waiting_ = true;
  while (waiting_ && server_ != nullptr) {
    WaitForEvent();
    Process();
  }
}

void RemoteSessions::RunWhilePaused() {
  if (sessions_.empty()) return;
  paused_ = true;
  while (paused_ && !sessions_.empty()) {
    WaitForEvent();
    Event event;
    while (paused_ && Pop(event)) Handle(event);
  }
}

void RemoteSessions::PauseOnNextStatement() {
  for (auto& [id, session] : sessions_) session->PauseOnNextStatement();
}

void RemoteSessions::WaitForDisconnect() {
  Process();
  if (sessions_.empty()) return Close();
  {
    bridge::JsScope scope(realm_);
    inspector_.contextDestroyed(realm_.context());
  }
  fprintf(stderr, "Waiting for the debugger to disconnect...\n");
  for (auto& [id, session] : sessions_) session->TellOfEnd();
  while (!sessions_.empty()) {
    WaitForEvent();
    Process();
  }
  Close();
}

namespace {
volatile sig_atomic_t debug_signal = 0;
}  // namespace

void CatchDebugSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { debug_signal = 1; };  // a wait of the loop ends with EINTR, and its next turn sees it
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

void HeedDebugSignal(Realm& realm) {
  if (debug_signal == 0 || realm.terminating) return;
  debug_signal = 0;
  bridge::JsScope scope(realm);
  Js& js = scope.js();
  v8::Local<v8::Value> id[] = {js.Str("#inspector/remote")};
  v8::Local<v8::Value> module;
  if (!bridge::Call(js, realm.hook_function(Hook::kRequireBuiltin), js.Undefined(), 1, id).ToLocal(&module)) return;
  if (module->IsObject()) (void)bridge::CallMethod(js, module.As<v8::Object>(), "startOnSignal", 0, nullptr);
}

}  // namespace gyre::modules
