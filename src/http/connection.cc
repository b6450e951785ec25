#include "http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http/server.h"
#include "loop/tcp.h"

namespace gyre::http {

namespace http1 = codec::http1;

namespace {

/// Output buffers up to this size are kept for the next turn.
constexpr size_t kKeptBuffer = 64 * 1024;

/// What was gathered and the kernel did not take at once.
class TextWrite final : public OwnedWrite {
 public:
  explicit TextWrite(std::string text) : text_(std::move(text)) { AddBuffer(text_.data(), text_.size()); }

 private:
  std::string text_;
};

}  // namespace

void OwnedWrite::OnDone(Result<void> result) {
  Connection* connection = connection_;
  base::ListNode<OwnedWrite>::Unlink();
  connection_ = nullptr;
  if (connection != nullptr) connection->OnWritten(result);
  Ended(result);
}

Connection::Connection(Server& server, loop::HandlePtr<loop::StreamHandle> stream, bool is_tcp)
    : server_(&server),
      stream_(std::move(stream)),
      parser_(http1::Kind::kRequest, server.options().limits, server.options().lenient),
      message_start_ms_(server.loop().now() | 1),
      is_tcp_(is_tcp) {}

// --- output -----------------------------------------------------------------------------------------------------

char* Connection::Extend(size_t size) {
  size_t before = out_.size();
  // Not the size it is called with: older libraries pass the capacity.
  out_.resize_and_overwrite(before + size, [all = before + size](char*, size_t) { return all; });
  if (!in_turn_) MarkDirty();
  return out_.data() + before;
}

void Connection::MarkDirty() {
  if (!closed_ && server_ != nullptr) server_->MarkDirty(*this);
}

size_t Connection::pending() const { return closed_ ? 0 : out_.size() + stream_->write_queue_size(); }

void Connection::QueueText(std::string text) {
  auto write = std::make_unique<TextWrite>(std::move(text));
  Queue(std::move(write));
}

void Connection::Queue(std::unique_ptr<OwnedWrite> write) {
  write->connection_ = this;
  writes_.PushBack(write.get());
  wants_drain_ = true;
  stream_->Write(std::move(write));
}

/// At once, together with what was gathered: in most cases the kernel takes all of it.
void Connection::Write(std::unique_ptr<OwnedWrite> write) {
  if (closed_ || write_error_) return;
  std::vector<iovec>& parts = write->buffers();
  if (stream_->write_queue_size() == 0) {
    std::vector<iovec> all;
    all.reserve(parts.size() + 1);
    all.push_back({out_.data(), out_.size()});
    all.insert(all.end(), parts.begin(), parts.end());
    Result<size_t> written = stream_->TryWrite(std::span<const iovec>(all));
    if (!written.has_value()) return OnWriteFailed(written.error());
    size_t taken = std::min(*written, out_.size());
    out_.erase(0, taken);
    taken = *written - taken;
    while (!parts.empty() && taken >= parts.front().iov_len) {
      taken -= parts.front().iov_len;
      parts.erase(parts.begin());
    }
    if (parts.empty() && out_.empty()) return;
    if (!parts.empty()) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + taken;
      parts.front().iov_len -= taken;
    }
  }
  if (!out_.empty()) QueueText(std::exchange(out_, {}));
  Queue(std::move(write));
}

bool Connection::WriteFile(std::unique_ptr<OwnedWrite> write) {
  if (closed_ || close_soon_ || write_error_) return false;
  Flush();
  if (closed_ || write_error_) return false;
  if (!out_.empty()) QueueText(std::exchange(out_, {}));
  Queue(std::move(write));
  return true;
}

void Connection::Flush() {
  if (closed_ || out_.empty()) return;
  if (stream_->write_queue_size() > 0) return;  // OnWritten goes on
  Result<size_t> written = stream_->TryWrite(std::span(reinterpret_cast<const uint8_t*>(out_.data()), out_.size()));
  if (!written.has_value()) {
    OnWriteFailed(written.error());
    return;
  }
  if (*written == out_.size()) {
    if (out_.capacity() > kKeptBuffer) std::string().swap(out_);
    out_.clear();
    return;
  }
  out_.erase(0, *written);
  QueueText(std::exchange(out_, {}));
}

/// Told later, since JavaScript may be on the stack.
void Connection::OnWriteFailed(const Error& error) {
  out_.clear();
  if (write_error_) return;
  write_error_ = error;
  if (!in_turn_) MarkDirty();
}

void Connection::OnWritten(const Result<void>& result) {
  if (closed_ || server_ == nullptr) return;
  if (!result.has_value()) return OnWriteFailed(result.error());
  Flush();
  if (closed_ || pending() > 0) return;
  if (close_soon_) return Close();
  if (!wants_drain_) return;
  wants_drain_ = false;
  Sink& sink = server_->sink();
  sink.BeginTurn(*this);
  in_turn_ = true;
  sink.OnDrained(*this);
  in_turn_ = false;
  sink.EndTurn(*this);
  RunDirty();
}

void Connection::AnswerDone(After after) {
  if (closed_) return;
  if (answers_due_ > 0) answers_due_--;
  if (after == After::kClose) return CloseSoon();
  MaybeIdle();
}

void Connection::MaybeIdle() {
  if (closed_ || server_ == nullptr || answers_due_ > 0 || message_start_ms_ != 0) return;
  server_->StartIdle(*this);
}

// --- input ------------------------------------------------------------------------------------------------------

void Connection::OnData(loop::StreamHandle&, std::span<const uint8_t> data) {
  if (server_ == nullptr || closed_) return;
  Sink& sink = server_->sink();
  if (!close_soon_) static_cast<base::ListNode<IdleTag>*>(this)->Unlink();
  sink.BeginTurn(*this);
  in_turn_ = true;
  std::string_view input(reinterpret_cast<const char*>(data.data()), data.size());
  bool raw = raw_input_;  // whoever asks for it now gets what comes next
  Feed(input);
  if (raw) sink.OnRawInput(*this, input);
  in_turn_ = false;
  sink.EndTurn(*this);
  RunDirty();
}

void Connection::Feed(std::string_view input) {
  std::string_view packet = input;
  if (parser_.failed() && failed_ && !close_soon_) return server_->sink().OnParseError(*this, packet, 0);
  // Behind an answer that closes nothing is served.
  while (!closed_ && !failed_ && !close_soon_) {
    if (paused_) {
      held_.append(input);
      return MaybeIdle();  // a peer that reads no answers is let go like a silent one
    }
    http1::Event event = parser_.Next(&input);
    if (event == http1::Event::kNeedMore) break;
    if (!Deliver(event, packet, input)) return;
  }
  if (closed_ || failed_ || close_soon_) return;
  if (message_start_ms_ == 0 && parser_.in_message()) {
    message_start_ms_ = server_->loop().now() | 1;
    head_complete_ = false;
  } else {
    MaybeIdle();
  }
}

/// Hands one event over; false when no more may be parsed.
bool Connection::Deliver(http1::Event event, std::string_view packet, std::string_view rest) {
  Sink& sink = server_->sink();
  switch (event) {
    case http1::Event::kHead:
      if (message_start_ms_ == 0) message_start_ms_ = server_->loop().now() | 1;
      head_complete_ = true;
      answers_due_++;
      upgrading_ = sink.OnRequest(*this, parser_.head()) == Verdict::kUpgrade;
      if (upgrading_) parser_.SetBodyRule(http1::BodyRule::kUpgrade);
      return true;
    case http1::Event::kBody:
      sink.OnBody(*this, parser_.body());
      return true;
    case http1::Event::kComplete:
      message_start_ms_ = 0;
      if (!upgrading_) sink.OnRequestEnd(*this, parser_.trailers());
      return true;
    case http1::Event::kUpgraded:
      failed_ = true;  // nothing more is HTTP/1
      sink.OnUpgrade(*this, rest);
      return false;
    case http1::Event::kError:
      failed_ = true;  // what follows is read and forgotten, until somebody closes
      sink.OnParseError(*this, packet, packet.size() - rest.size());
      return false;
    default:
      return true;
  }
}

void Connection::OnEnd(loop::StreamHandle&) {
  if (server_ == nullptr || closed_) return;
  ended_ = true;
  if (paused_ || end_told_) return;  // told after what is held, and once
  end_told_ = true;
  Sink& sink = server_->sink();
  sink.BeginTurn(*this);
  in_turn_ = true;
  if (!failed_ && parser_.Finish() == http1::Event::kError) {
    failed_ = true;
    sink.OnParseError(*this, {}, 0);
  } else if (!answering() && pending() == 0 && !raw_input_ && user == nullptr) {
    Close();
  } else {
    sink.OnPeerEnd(*this);
  }
  in_turn_ = false;
  sink.EndTurn(*this);
  RunDirty();
}

void Connection::OnReadError(loop::StreamHandle&, const Error& error) {
  if (server_ == nullptr || closed_) return;
  failed_ = true;
  Sink& sink = server_->sink();
  sink.BeginTurn(*this);
  sink.OnReadError(*this, error);
  sink.EndTurn(*this);
}

void Connection::Inject(std::string_view bytes) {
  if (closed_ || failed_) return;
  held_.append(bytes);
  if (!in_turn_) MarkDirty();
}

void Connection::Pause() {
  if (closed_ || paused_) return;
  paused_ = true;
  stream_->ReadStop();
}

void Connection::Resume() {
  if (closed_ || !paused_) return;
  paused_ = false;
  MarkDirty();
}

/// What is due after a turn, or in the poll phase after something happened outside of one.
void Connection::RunDirty() {
  if (closed_) return;
  if (!held_.empty() && !paused_ && !failed_) FeedHeld();
  if (closed_) return;
  if (!write_error_) Flush();
  if (write_error_) return TellWriteError();
  if (close_soon_ && pending() == 0) return Close();
  if (paused_ || failed_ || stream_->IsReading()) return;
  if (!ended_) {
    (void)stream_->ReadStart(this);
  } else if (held_.empty() && !end_told_) {
    OnEnd(*stream_);
  }
}

void Connection::TellWriteError() {
  Error error = std::move(*write_error_);
  write_error_.reset();
  if (close_soon_) return Close();
  failed_ = true;
  Sink& sink = server_->sink();
  sink.BeginTurn(*this);
  sink.OnWriteError(*this, error);
  sink.EndTurn(*this);
}

void Connection::FeedHeld() {
  Sink& sink = server_->sink();
  std::string input = std::move(held_);
  held_.clear();
  static_cast<base::ListNode<IdleTag>*>(this)->Unlink();
  sink.BeginTurn(*this);
  in_turn_ = true;
  Feed(input);
  in_turn_ = false;
  sink.EndTurn(*this);
}

// --- the end ----------------------------------------------------------------------------------------------------

void Connection::ShutdownSoon(loop::DoneCallback done) {
  if (closed_) return;
  Flush();
  if (closed_) return;
  if (!out_.empty()) QueueText(std::exchange(out_, {}));
  stream_->Shutdown(std::move(done));
}

void Connection::CloseSoon() {
  if (closed_) return;
  close_soon_ = true;
  if (!in_turn_) MarkDirty();
  // A peer that does not read is not waited for longer than an idle one.
  if (server_ != nullptr) server_->StartIdle(*this);
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  static_cast<base::ListNode<IdleTag>*>(this)->Unlink();
  static_cast<base::ListNode<DirtyTag>*>(this)->Unlink();
  while (OwnedWrite* write = writes_.PopFront()) write->connection_ = nullptr;
  stream_->Close([this] {
    static_cast<base::ListNode<AllTag>*>(this)->Unlink();
    if (server_ != nullptr) server_->OnClosed(*this);
    delete this;
  });
}

void Connection::Reset() {
  if (closed_) return;
  if (is_tcp_) {
    // SO_LINGER with no time makes the close that follows a reset.
    linger now = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(stream_->fd(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  }
  Close();
}

bool Connection::HandOver(loop::StreamHandle& target, std::string* unread) {
  if (closed_) return false;
  Flush();
  if (write_error_) return false;
  if (!out_.empty()) QueueText(std::exchange(out_, {}));
  if (!target.TakeOver(*stream_).has_value()) return false;
  *unread = std::exchange(held_, {});
  Close();
  return true;
}

/// The server is gone: nobody is told any more.
void Connection::Disown() {
  server_ = nullptr;
  Close();
}

}  // namespace gyre::http
