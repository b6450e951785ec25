#include "http/server.h"

#include <algorithm>

#include "loop/pipe.h"
#include "loop/tcp.h"

namespace gyre::http {
namespace {

// An idle timer that fires so much later than it should shows that the loop was held up.
constexpr uint64_t kLateMs = 50;

}  // namespace

Server::Server(loop::Loop& loop, Sink& sink, ServerOptions options) : loop_(loop), sink_(sink), options_(options) {}

Server::~Server() {
  if (flusher_.IsLinked()) {
    flusher_.Unlink();
    loop_.DropKeepAlive();
  }
  while (Connection* connection = all_.PopFront()) connection->Disown();
}

Connection* Server::Accept(base::OwnedFd fd, Transport transport) {
  loop::HandlePtr<loop::StreamHandle> stream;
  Result<void> opened;
  if (transport == Transport::kTcp) {
    loop::HandlePtr<loop::TcpHandle> tcp = loop::TcpHandle::Create(loop_);
    opened = tcp->Open(std::move(fd));
    if (opened.has_value() && options_.no_delay) (void)tcp->SetNoDelay(true);
    if (opened.has_value() && options_.tcp_keep_alive) (void)tcp->SetKeepAlive(true, options_.tcp_keep_alive_delay);
    stream = std::move(tcp);
  } else {
    loop::HandlePtr<loop::PipeHandle> pipe = loop::PipeHandle::Create(loop_);
    opened = pipe->Open(std::move(fd));
    stream = std::move(pipe);
  }
  if (!opened.has_value()) return nullptr;
  auto* connection = new Connection(*this, std::move(stream), transport == Transport::kTcp);
  all_.PushBack(connection);
  count_++;
  if (!connection->stream_->ReadStart(connection).has_value()) {
    connection->Close();
  }
  return connection;
}

void Server::OnClosed(Connection& connection) {
  count_--;
  sink_.OnClosed(connection);
}

// --- output written outside of a turn ---------------------------------------------------------------------------

void Server::MarkDirty(Connection& connection) {
  if (static_cast<base::ListNode<DirtyTag>&>(connection).IsLinked()) return;
  if (!flusher_.IsLinked()) {
    loop_.CompleteSoon(&flusher_);
    loop_.AddKeepAlive();
  }
  dirty_.PushBack(&connection);
}

void Server::RunDirty() {
  loop_.DropKeepAlive();
  // What is marked meanwhile waits for the next round, so that nobody keeps the loop here.
  base::IntrusiveList<Connection, DirtyTag> now;
  now.Append(dirty_);
  while (Connection* connection = now.PopFront()) connection->RunDirty();
}

// --- idle connections -------------------------------------------------------------------------------------------

void Server::StartIdle(Connection& connection) {
  if (options_.idle_ms == 0) return;
  connection.idle_deadline_ms_ = loop_.now() + options_.idle_ms;
  connection.idle_written_ = connection.stream_->bytes_written();
  idle_.PushBack(&connection);
  if (!idle_timer_armed_) ArmIdleTimer();
}

void Server::ArmIdleTimer() {
  Connection* first = idle_.Front();
  if (first == nullptr) return;
  if (!idle_timer_) {
    idle_timer_ = loop::TimerHandle::Create(loop_, [this] { OnIdleTimer(); });
    idle_timer_->Unref();
  }
  uint64_t now = loop_.now();
  // Coarse: a timer serves all that are due in the next tenth of the time.
  uint64_t slack = std::min<uint64_t>(options_.idle_ms / 10, 500);
  uint64_t delay = first->idle_deadline_ms_ > now ? first->idle_deadline_ms_ - now : 0;
  idle_timer_->Start(delay + slack);
  idle_expected_ms_ = now + delay + slack;
  idle_timer_armed_ = true;
}

void Server::OnIdleTimer() {
  idle_timer_armed_ = false;
  uint64_t now = loop_.now();
  if (now > idle_expected_ms_ + kLateMs) {
    // The loop was held up: requests may wait unread on these connections. They get one poll phase to show.
    idle_timer_->Start(1);
    idle_expected_ms_ = now + 1;
    idle_timer_armed_ = true;
    return;
  }
  base::IntrusiveList<Connection, IdleTag> due;
  for (Connection* first = idle_.Front(); first != nullptr && first->idle_deadline_ms_ <= now; first = idle_.Front()) {
    due.PushBack(first);
  }
  while (Connection* connection = due.PopFront()) {
    if (connection->pending() > 0 && connection->stream_->bytes_written() != connection->idle_written_) {
      StartIdle(*connection);  // a slow reader that reads
      continue;
    }
    if (connection->close_soon_) {
      connection->Close();
      continue;
    }
    sink_.BeginTurn(*connection);
    sink_.OnIdle(*connection);
    sink_.EndTurn(*connection);
  }
  ArmIdleTimer();
}

}  // namespace gyre::http
