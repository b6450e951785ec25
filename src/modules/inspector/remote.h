// Sessions of tools from outside: what the server's thread hears waits here until the isolate's thread takes it, in a
// turn of its loop, at an interrupt of running JavaScript, or while it is held at a breakpoint.
//
// Thread: the isolate's, but for the handler's functions, which the server's thread calls. Owner: InspectorState.
#ifndef GYRE_MODULES_INSPECTOR_REMOTE_H_
#define GYRE_MODULES_INSPECTOR_REMOTE_H_

#include <v8-inspector.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/realm.h"
#include "loop/loop.h"
#include "modules/inspector/server.h"

namespace gyre::modules {

class RemoteSessions final : private InspectorServerHandler {
 public:
  RemoteSessions(Realm& realm, v8_inspector::V8Inspector& inspector);
  ~RemoteSessions();

  Result<void> Listen(const std::string& host, uint16_t port, InspectorServer::Target target);
  void Close();
  bool HasSessions() const { return !sessions_.empty(); }
  bool IsListening() const { return server_ != nullptr; }
  std::string url() const { return server_ == nullptr ? std::string() : server_->url(); }

  /// Handles what has come. Runs JavaScript.
  void Process();
  /// Until a tool says that the program may go on.
  void WaitForDebugger();
  void DebuggerSaysRun() { waiting_ = false; }
  /// The program is held: handles what comes until it is let go, or nobody is left.
  void RunWhilePaused();
  void Quit() { paused_ = false; }
  /// The next statement is a breakpoint.
  void PauseOnNextStatement();
  /// The program has ended: tools may look at what is left.
  void WaitForDisconnect();

 private:
  class Session;
  struct Event {
    enum class Kind : uint8_t { kConnect, kMessage, kDisconnect } kind;
    int session;
    std::string message;
  };

  void OnConnect(int session) override { Push({Event::Kind::kConnect, session, {}}); }
  void OnMessage(int session, std::string message) override {
    Push({Event::Kind::kMessage, session, std::move(message)});
  }
  void OnDisconnect(int session) override { Push({Event::Kind::kDisconnect, session, {}}); }
  void Push(Event event);
  bool Pop(Event& event);
  void Handle(Event& event);
  void WaitForEvent();

  Realm& realm_;
  v8_inspector::V8Inspector& inspector_;
  v8::Isolate* isolate_;
  std::shared_ptr<loop::LoopRemote> loop_;
  /// Shared with what is posted, which may run after this is gone.
  std::shared_ptr<RemoteSessions*> self_;
  std::unique_ptr<InspectorServer> server_;
  std::map<int, std::unique_ptr<Session>> sessions_;
  bool waiting_ = false;
  bool paused_ = false;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Event> events_;  // guarded by mutex_
};

/// From now on SIGUSR1 asks for a debugger instead of ending the process. Main thread, at the start.
void CatchDebugSignal();
/// Listens for tools if the signal came since the last time. Cheap; called each turn of the main thread's loop.
void HeedDebugSignal(Realm& realm);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_INSPECTOR_REMOTE_H_
