// Server: the connections of one listener, handed over as they are accepted.
//
// Thread: the loop's. Owner: the sink's side. Invariants: connections that are left when it is destroyed are closed and
// tell nobody.
#ifndef GYRE_HTTP_SERVER_H_
#define GYRE_HTTP_SERVER_H_

#include "base/intrusive_list.h"
#include "base/owned_fd.h"
#include "http/connection.h"
#include "loop/timer.h"

namespace gyre::http {

struct ServerOptions {
  codec::http1::Limits limits;
  uint32_t lenient = 0;
  bool no_delay = true;
  /// TCP keep-alive probes, after so many seconds of silence.
  bool tcp_keep_alive = false;
  uint32_t tcp_keep_alive_delay = 0;
  /// How long a connection is kept between requests; 0 for ever.
  uint64_t idle_ms = 6000;
};

class Server {
 public:
  Server(loop::Loop& loop, Sink& sink, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  enum class Transport : uint8_t { kTcp, kPipe };
  /// Takes a connected descriptor and begins to read. Null when it is no stream; then no OnClosed follows.
  Connection* Accept(base::OwnedFd fd, Transport transport);

  ServerOptions& options() { return options_; }
  loop::Loop& loop() { return loop_; }
  Sink& sink() { return sink_; }
  size_t connection_count() const { return count_; }

  /// Calls `visit` for each open connection; it may close them.
  template <typename Visit>
  void ForEach(Visit visit) {
    Connection* next = nullptr;
    for (Connection* at = all_.Front(); at != nullptr; at = next) {
      next = all_.Next(at);
      visit(*at);
    }
  }

 private:
  friend class Connection;
  struct Flusher final : loop::Completion {
    explicit Flusher(Server& owner) : server(owner) {}
    void Complete() override { server.RunDirty(); }
    Server& server;
  };

  void MarkDirty(Connection& connection);
  void RunDirty();
  void StartIdle(Connection& connection);
  void OnIdleTimer();
  void ArmIdleTimer();
  void OnClosed(Connection& connection);

  loop::Loop& loop_;
  Sink& sink_;
  ServerOptions options_;
  size_t count_ = 0;
  base::IntrusiveList<Connection, AllTag> all_;
  /// By deadline: they are armed in the order of time and for the same time.
  base::IntrusiveList<Connection, IdleTag> idle_;
  base::IntrusiveList<Connection, DirtyTag> dirty_;
  loop::HandlePtr<loop::TimerHandle> idle_timer_;
  bool idle_timer_armed_ = false;
  uint64_t idle_expected_ms_ = 0;  // when the idle timer is to fire
  Flusher flusher_{*this};
};

}  // namespace gyre::http

#endif  // GYRE_HTTP_SERVER_H_
