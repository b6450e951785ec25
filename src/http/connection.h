// Connection: one accepted connection of a server core: parser, output, time.
//
// Output is gathered and goes out once a turn, or, when written outside of one, in the loop's next poll phase. What the
// kernel does not take is queued on the stream; `pending` tells how much, so that the sink can hold back.
//
// Thread: the loop's. Owner: itself from Server::Accept until its stream is closed; the Server lists it. Invariants:
// after Close no sink call but OnClosed; every method is safe after Close.
#ifndef GYRE_HTTP_CONNECTION_H_
#define GYRE_HTTP_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/intrusive_list.h"
#include "codec/http1.h"
#include "http/sink.h"
#include "loop/stream.h"

namespace gyre::http {

class Server;

struct AllTag {};
struct IdleTag {};
struct DirtyTag {};

/// Bytes with their owner, for answers that are not copied.
class OwnedWrite : public loop::WriteOp, public base::ListNode<OwnedWrite> {
 public:
  void OnDone(Result<void> result) final;

 protected:
  /// It ended, and the connection, if there still is one, knows.
  virtual void Ended(const Result<void>& /*result*/) {}

 private:
  friend class Connection;
  Connection* connection_ = nullptr;
};

class Connection final : public base::ListNode<AllTag>,
                         public base::ListNode<IdleTag>,
                         public base::ListNode<DirtyTag>,
                         private loop::StreamObserver {
 public:
  // --- answers ---
  void Append(std::string_view bytes) {
    out_.append(bytes);
    if (!in_turn_) MarkDirty();
  }
  /// Room for `size` bytes at the end of the output, which the caller fills; shrink with DropTail.
  char* Extend(size_t size);
  void DropTail(size_t size) { out_.resize(out_.size() - size); }
  /// Bytes that are not copied: goes behind what was appended before.
  void Write(std::unique_ptr<OwnedWrite> write);
  /// The same of a file (WriteOp::SetFile). False, and `write` is deleted: the connection takes no more.
  bool WriteFile(std::unique_ptr<OwnedWrite> write);
  /// Bytes that the kernel has not taken.
  size_t pending() const;
  /// Writes now what can be written.
  void Flush();
  /// An answer has ended; `kClose`: and with it the connection, once all is written.
  enum class After : uint8_t { kKeep, kClose };
  void AnswerDone(After after);

  // --- input ---
  /// Reading stops; what came already is kept.
  void Pause();
  void Resume();
  bool paused() const { return paused_; }
  /// Input that did not come from the stream; read when it is its turn.
  void Inject(std::string_view bytes);
  void SetRawInput(bool on) { raw_input_ = on; }  // NOLINT: a property setter

  // --- the end ---
  /// Ends the stream after what is pending.
  void ShutdownSoon(loop::DoneCallback done);
  /// Closes after what is pending is written.
  void CloseSoon();
  void Close();
  void Reset();
  bool closed() const { return closed_; }
  /// Gives the stream to `target`, which has none, with all that waits to be written; what was read but not parsed goes
  /// to `unread`. The connection is closed then, and false says that it was before.
  bool HandOver(loop::StreamHandle& target, std::string* unread);

  // --- what it is doing ---
  bool answering() const { return answers_due_ > 0; }
  bool idle() const { return message_start_ms_ == 0 && answers_due_ == 0; }
  uint64_t message_start_ms() const { return message_start_ms_; }
  bool head_complete() const { return head_complete_; }
  codec::http1::Parser& parser() { return parser_; }
  /// Null after Close.
  loop::StreamHandle* stream() { return closed_ ? nullptr : stream_.get(); }
  bool is_tcp() const { return is_tcp_; }
  Server* server() { return server_; }
  /// For the sink.
  void* user = nullptr;

 private:
  friend class Server;
  friend class OwnedWrite;
  Connection(Server& server, loop::HandlePtr<loop::StreamHandle> stream, bool is_tcp);
  ~Connection() = default;

  void OnData(loop::StreamHandle& stream, std::span<const uint8_t> data) override;
  void OnEnd(loop::StreamHandle& stream) override;
  void OnReadError(loop::StreamHandle& stream, const Error& error) override;
  void Feed(std::string_view input);
  bool Deliver(codec::http1::Event event, std::string_view packet, std::string_view rest);
  void FeedHeld();
  void RunDirty();
  void MarkDirty();
  void QueueText(std::string text);
  void Queue(std::unique_ptr<OwnedWrite> write);
  void OnWritten(const Result<void>& result);
  void TellWriteError();
  void OnWriteFailed(const Error& error);
  void MaybeIdle();
  void Disown();

  Server* server_;  // null once the server is gone
  loop::HandlePtr<loop::StreamHandle> stream_;
  codec::http1::Parser parser_;
  std::string out_;
  std::optional<Error> write_error_;
  std::string held_;  // read, but not parsed while paused
  base::IntrusiveList<OwnedWrite> writes_;
  uint64_t message_start_ms_ = 0;
  uint64_t idle_deadline_ms_ = 0;
  uint64_t idle_written_ = 0;
  uint32_t answers_due_ = 0;
  bool is_tcp_;
  bool in_turn_ = false;
  bool paused_ = false;
  bool closed_ = false;
  bool close_soon_ = false;
  bool failed_ = false;
  bool ended_ = false;
  bool end_told_ = false;
  bool upgrading_ = false;
  bool head_complete_ = false;
  bool raw_input_ = false;
  bool wants_drain_ = false;
};

}  // namespace gyre::http

#endif  // GYRE_HTTP_CONNECTION_H_
