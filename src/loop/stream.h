// StreamHandle: connected byte streams and listeners: the common part of TcpHandle, PipeHandle and TtyHandle.
// Thread: the loop's.
// Ownership: see handle.h. Observers are borrowed: they must outlive the handle or call Close()/drop the HandlePtr
// first. Invariants: no callback runs inside the call that starts an operation; data handed to OnData is valid only
// inside it; writes complete in order; after OnEnd or OnReadError reading has stopped.
#ifndef GYRE_LOOP_STREAM_H_
#define GYRE_LOOP_STREAM_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fd_watcher.h"
#include "loop/handle.h"
#include "loop/loop.h"

namespace gyre::loop {

class StreamHandle;
class UringStreams;
struct UringStream;

// Receives what a reading stream brings. Any method may close or drop the stream.
class StreamObserver {
 public:
  // `data` is never empty, and is valid only during the call.
  virtual void OnData(StreamHandle& stream, std::span<const uint8_t> data) = 0;
  // The peer will send no more.
  virtual void OnEnd(StreamHandle& stream) = 0;
  virtual void OnReadError(StreamHandle& stream, const Error& error) = 0;

 protected:
  ~StreamObserver() = default;
};

// Receives what a listener accepts.
class ListenObserver {
 public:
  // A connection, non-blocking and close-on-exec; TcpHandle::Open() or PipeHandle::Open() takes it.
  virtual void OnConnection(StreamHandle& listener, base::OwnedFd fd) = 0;
  // Accepting failed for a reason that is not the peer's. Descriptor exhaustion (EMFILE, ENFILE) is reported at most
  // once until it is over: the waiting peers are turned away with the reserve descriptor and the loop does not spin.
  virtual void OnAcceptError(StreamHandle& listener, const Error& error) = 0;

 protected:
  ~ListenObserver() = default;
};

// A queued write. Derive from it and let it own the memory that `buffers()` points to: the loop owns the operation
// until it completes, whatever happens to the stream.
class WriteOp : public base::ListNode<WriteOp> {
 public:
  virtual ~WriteOp() = default;
  // Called once, in the poll phase, or with ECANCELED in the closing phase. The operation is deleted afterwards.
  virtual void OnDone(Result<void> result) = 0;

  // What is to be written; set before Write(). Consumed from the front as the kernel takes it.
  std::vector<iovec>& buffers() { return buffers_; }
  void AddBuffer(const void* data, size_t size) { buffers_.push_back({const_cast<void*>(data), size}); }
  // Sends a descriptor along with the first byte (PipeHandle in IPC mode). Borrowed until OnDone.
  void SetSendFd(int fd) { send_fd_ = fd; }
  // What is to be written is instead the part of a file from `offset` on, or from its own position where that is -1, at
  // most `size` bytes, without a copy in this process (sendfile(2)). Only to sockets. A lane reads it, so that no disk
  // holds up the loop. Ends early, without an error of the stream, `keep` bytes before the file's end or where the file
  // cannot be read so. Who keeps some writes them himself, and knows that they are written when the peer has them, not
  // a moment later.
  void SetFile(base::OwnedFd file, int64_t offset, size_t size, size_t keep = 0);
  // Of the file's bytes, those that the kernel took; and the errno that ended it early, or 0.
  size_t file_sent() const { return file_ == nullptr ? 0 : file_->sent; }
  int file_error() const { return file_ == nullptr ? 0 : file_->error; }

 private:
  friend class StreamHandle;
  friend class UringStreams;
  // Shared with the lane's job, which may outlive the operation.
  struct File {
    base::OwnedFd fd;
    int64_t offset = -1;  // the job's while one is in flight
    size_t size = 0;
    size_t keep = 0;
    size_t sent = 0;
    int error = 0;
  };
  std::shared_ptr<File> file_;
  std::vector<iovec> buffers_;
  size_t first_ = 0;      // first buffer not fully written
  size_t remaining_ = 0;  // bytes not taken yet
  int send_fd_ = -1;
  int error_ = 0;
};

using DoneCallback = base::UniqueFunction<void(Result<void>)>;

class StreamHandle : public Handle {
 public:
  // Starts accepting. Where several loops listen, each wake-up accepts a bounded batch.
  Result<void> Listen(int backlog, ListenObserver* observer);

  // Starts reading, or changes the observer of a reading stream.
  Result<void> ReadStart(StreamObserver* observer);
  void ReadStop();
  bool IsReading() const { return reading_; }
  // Reads go into `buffer` (borrowed; OnData hands out parts of it) instead of the loop's shared buffer. An empty span
  // goes back to the shared one. Not inside OnData's use of the old one.
  void SetReadBuffer(std::span<uint8_t> buffer) { read_buffer_ = buffer; }

  // Writes what the kernel takes at once: the number of bytes, 0 if it would block or writes are queued.
  Result<size_t> TryWrite(std::span<const iovec> buffers);
  Result<size_t> TryWrite(std::span<const uint8_t> data);
  // Queues a write; first tries to write at once if nothing is queued. Always completes later.
  void Write(std::unique_ptr<WriteOp> op);
  // Convenience over Write() for owned bytes.
  void WriteBytes(std::vector<uint8_t> data, DoneCallback done);
  // Bytes in queued writes that the kernel has not taken yet.
  size_t write_queue_size() const { return write_queue_size_; }

  // Half-closes after the queued writes. Completes with ENOTCONN on a stream that is not connected, EALREADY if called
  // twice.
  void Shutdown(DoneCallback done);

  bool IsReadable() const { return readable_; }
  bool IsWritable() const { return writable_; }
  bool IsListening() const { return listening_; }
  bool IsConnecting() const { return connecting_; }

  int fd() const { return watcher_.fd(); }
  HandleFacts Describe() const override;
  // Bytes moved since opening.
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_written() const { return bytes_written_; }

  // Takes over what `other`, on the same loop, is connected to: descriptor, queued writes, and what the kernel has
  // handed out already but nobody has read. `other` is as if it had never been opened, and is only good for closing.
  // EBUSY when one of them is not in a state for it.
  Result<void> TakeOver(StreamHandle& other);

  // Makes the descriptor blocking or not, for stdio that is shared with other programs.
  enum class Blocking : uint8_t { kNo, kYes };
  Result<void> SetBlocking(Blocking mode);

  // Descriptors that came along with data (PipeHandle in IPC mode), oldest first.
  bool HasReceivedFds() const { return !received_fds_.empty(); }
  base::OwnedFd TakeReceivedFd();

 protected:
  enum class Kind : uint8_t { kTcp, kPipe, kTty };
  StreamHandle(Loop& loop, Kind kind);
  ~StreamHandle() override;

  // Takes a connected descriptor.
  Result<void> Adopt(base::OwnedFd fd);
  // Takes a descriptor that is not connected yet (bind, listen, connect).
  void SetFd(base::OwnedFd fd);
  // Waits for the outcome of connect(2), or reports `error` in the next poll phase.
  void StartConnect(int error, DoneCallback done);
  void OnClose() override;
  void OnClosed() override;
  void EnableIpc() { ipc_ = true; }
  bool HasPendingShutdown() const { return static_cast<bool>(shutdown_done_); }

 private:
  friend class UringStreams;
  // What a listener needs to survive descriptor exhaustion.
  struct AcceptGuard;
  // Sends a part of a file, on a lane.
  class FilePart;

  // Queued while outcomes known already (finished writes, a refused connect) wait for the poll phase.
  struct Deferred final : Completion {
    explicit Deferred(StreamHandle& owner) : stream(owner) {}
    void Complete() override { stream.RunDeferred(); }
    StreamHandle& stream;
  };

  void OnReady(uint32_t events);
  void OnConnectReady();
  void OnAcceptReady();
  void OnAccepted(base::OwnedFd fd, int error);
  void OnReadReady();
  void StartAccepting();
  bool IsAcceptingPaused() const;
  void HandleAcceptError(const Error& error);
  void TurnAwayPeers();
  void PauseAccepting();
  void ResumeAccepting();
  Result<size_t> ReadOnce(std::span<uint8_t> buffer);
  void DeliverData(std::span<const uint8_t> data);
  void DeliverEnd();
  void DeliverReadError(Error error);
  Result<size_t> WriteVector(std::span<const iovec> buffers, int send_fd);
  void FlushWrites();
  void StartFilePart(WriteOp& op);
  void OrphanFilePart(base::OwnedFd socket);
  void OnFilePart(size_t sent, int error, bool ended);
  void Consume(WriteOp& op, size_t bytes);
  void FinishWrite(WriteOp* op, int error);
  void FailWrites(int error);
  void ReportWrites();
  void FinishConnect(int error);
  void RunDeferred();
  void MaybeShutdown();
  void UpdateActive() { SetActive(reading_ || listening_); }

  Kind kind_;
  bool reading_ = false;
  bool readable_ = false;
  bool writable_ = false;
  bool listening_ = false;
  bool connecting_ = false;
  bool shut_ = false;
  bool ipc_ = false;
  bool is_socket_ = true;
  bool accept_error_reported_ = false;
  FdWatcher watcher_;
  StreamObserver* observer_ = nullptr;
  ListenObserver* listen_observer_ = nullptr;
  std::span<uint8_t> read_buffer_;
  base::IntrusiveList<WriteOp> writes_;
  base::IntrusiveList<WriteOp> written_;
  size_t write_queue_size_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
  DoneCallback connect_done_;
  DoneCallback shutdown_done_;
  int connect_error_ = 0;
  int shutdown_error_ = 0;
  std::vector<base::OwnedFd> received_fds_;
  FilePart* file_part_ = nullptr;  // in flight, for the first write
  Deferred deferred_{*this};
  std::unique_ptr<AcceptGuard> accept_guard_;
  std::unique_ptr<UringStream> uring_;  // only where streams work by completion
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_STREAM_H_
