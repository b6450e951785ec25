// The door for tools from outside: HTTP that tells what can be debugged (/json/list, /json/version) and WebSockets
// (RFC 6455) that carry the protocol's messages. It runs on a thread of its own, so that it answers while the program is
// held or busy. No V8.
//
// Thread: made and destroyed on any; Send() from any. Owner: the inspector of the main isolate. Invariant: the handler's
// functions run on the server's thread, and none after Stop().
#ifndef GYRE_MODULES_INSPECTOR_SERVER_H_
#define GYRE_MODULES_INSPECTOR_SERVER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"

namespace gyre::modules {

class InspectorServerHandler {
 public:
  virtual void OnConnect(int session) = 0;
  virtual void OnMessage(int session, std::string message) = 0;
  virtual void OnDisconnect(int session) = 0;

 protected:
  ~InspectorServerHandler() = default;
};

class InspectorServer {
 public:
  struct Target {
    std::string id;     // the path of its WebSocket
    std::string title;
    std::string url;
  };

  static Result<std::unique_ptr<InspectorServer>> Start(const std::string& host, uint16_t port, Target target,
                                                        InspectorServerHandler& handler);
  ~InspectorServer();
  InspectorServer(const InspectorServer&) = delete;
  InspectorServer& operator=(const InspectorServer&) = delete;

  void Stop();
  void Send(int session, std::string message);
  /// "ws://host:port/id"
  std::string url() const;

 private:
  struct Connection {
    base::OwnedFd fd;
    std::string in;
    std::string out;
    std::string message;  // pieces of a fragmented one
    int session = 0;      // not 0 once it is a WebSocket
    bool closing = false;  // ends when all is written
  };

  InspectorServer(std::string host, Target target, InspectorServerHandler& handler);
  void Run();
  void AcceptOne();
  void ReadFrom(Connection& connection);
  void WriteTo(Connection& connection);
  void HandleHttp(Connection& connection);
  void Respond(Connection& connection, std::string_view status, std::string_view body);
  void Upgrade(Connection& connection, const std::string& key);
  void HandleFrames(Connection& connection);
  void TakeSends();
  void Forget(size_t index);
  /// `host` is how the asker calls this machine.
  std::string TargetJson(const std::string& host) const;

  std::string host_;
  uint16_t port_ = 0;
  Target target_;
  InspectorServerHandler& handler_;
  base::OwnedFd listener_;
  base::OwnedFd wake_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<Connection>> connections_;
  int next_session_ = 1;
  std::mutex mutex_;
  std::vector<std::pair<int, std::string>> sends_;  // guarded by mutex_
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_INSPECTOR_SERVER_H_
