#include "loop/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "loop/backend.h"
#include "loop/stream_accept.h"
#include "loop/uring_streams.h"
#include "sys/sockets.h"

namespace gyre::loop {
namespace {

// docs/loop.md 4.1
constexpr int kMaxReads = 32;
// A stream that the kernel always takes from gives others their turn after as many writes.
constexpr int kMaxWrites = 32;
constexpr size_t kMaxReceivedFds = 64;

// The write that WriteBytes() makes.
class OwnedBytesWrite final : public WriteOp {
 public:
  OwnedBytesWrite(std::vector<uint8_t> data, DoneCallback done) : data_(std::move(data)), done_(std::move(done)) {
    AddBuffer(data_.data(), data_.size());
  }
  void OnDone(Result<void> result) override {
    if (done_) done_(std::move(result));
  }

 private:
  std::vector<uint8_t> data_;
  DoneCallback done_;
};

Result<void> Outcome(int error, const char* syscall) {
  if (error != 0) return Err(error, syscall);
  return {};
}

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

StreamHandle::StreamHandle(Loop& loop, Kind kind)
    : Handle(loop), kind_(kind), watcher_(loop.backend(), this, [](void* self, uint32_t events) {
        static_cast<StreamHandle*>(self)->OnReady(events);
      }) {}

StreamHandle::~StreamHandle() = default;

void StreamHandle::SetFd(base::OwnedFd fd) { watcher_.SetFd(fd.Release()); }

Result<void> StreamHandle::Adopt(base::OwnedFd fd) {
  if (watcher_.fd() >= 0) return Err(EBUSY, "open");
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags == -1) return base::ErrFromErrno("open");
  if ((flags & O_NONBLOCK) == 0) {
    if (Result<void> set = sys::SetNonBlocking(fd.get(), true); !set) return set;
  }
  struct stat info;
  is_socket_ = ::fstat(fd.get(), &info) == 0 && S_ISSOCK(info.st_mode);
  const int access = flags & O_ACCMODE;
  readable_ = access != O_WRONLY;
  writable_ = access != O_RDONLY;
  SetFd(std::move(fd));
  return {};
}

Result<void> StreamHandle::TakeOver(StreamHandle& other) {
  if (IsClosing() || other.IsClosing() || watcher_.fd() >= 0 || other.watcher_.fd() < 0 || other.connecting_ ||
      other.listening_ || other.file_part_ != nullptr || other.shut_ || other.shutdown_done_ || kind_ != other.kind_) {
    return Err(EBUSY, "open");
  }
  other.ReadStop();
  other.watcher_.Stop();
  SetFd(base::OwnedFd(other.watcher_.fd()));
  other.watcher_.SetFd(-1);
  is_socket_ = other.is_socket_;
  readable_ = std::exchange(other.readable_, false);
  writable_ = std::exchange(other.writable_, false);
  bytes_read_ = other.bytes_read_;
  bytes_written_ = other.bytes_written_;
  received_fds_ = std::move(other.received_fds_);
  writes_.Append(other.writes_);
  written_.Append(other.written_);
  write_queue_size_ = std::exchange(other.write_queue_size_, 0);
  if (!writes_.IsEmpty()) watcher_.Add(kWritable);
  if (!written_.IsEmpty()) loop().CompleteSoon(&deferred_);
  uring_ = std::move(other.uring_);
  if (uring_ != nullptr) loop().backend().streams()->Moved(*this);
  return {};
}

Result<void> StreamHandle::SetBlocking(Blocking mode) {
  return sys::SetNonBlocking(watcher_.fd(), mode == Blocking::kNo);
}

base::OwnedFd StreamHandle::TakeReceivedFd() {
  if (received_fds_.empty()) return {};
  base::OwnedFd fd = std::move(received_fds_.front());
  received_fds_.erase(received_fds_.begin());
  return fd;
}

// --- readiness ---

void StreamHandle::OnReady(uint32_t events) {
  if (connecting_) {
    FinishConnect(sys::TakeSocketError(watcher_.fd()));
    return;
  }
  if (listening_) {
    OnAcceptReady();
    return;
  }
  if (reading_ && (events & (kReadable | kError | kHangUp)) != 0) OnReadReady();
  if (IsClosing()) return;
  if (!writes_.IsEmpty() && (events & (kWritable | kError | kHangUp)) != 0) FlushWrites();
}

// --- connecting ---

void StreamHandle::StartConnect(int error, DoneCallback done) {
  connecting_ = true;
  connect_error_ = error;
  connect_done_ = std::move(done);
  loop().AddKeepAlive();
  if (error != 0) {
    loop().CompleteSoon(&deferred_);
  } else {
    watcher_.Want(kWritable);
  }
}

void StreamHandle::FinishConnect(int error) {
  if (error == EINPROGRESS) return;
  connecting_ = false;
  loop().DropKeepAlive();
  watcher_.Want(0);
  DoneCallback done = std::move(connect_done_);
  if (error == 0) {
    readable_ = writable_ = true;
    if (!writes_.IsEmpty()) FlushWrites();
  }
  if (done) done(Outcome(error, "connect"));
  if (IsClosing() || error == 0) return;
  FailWrites(ECANCELED);
}

// --- reading ---

Result<void> StreamHandle::ReadStart(StreamObserver* observer) {
  if (IsClosing()) return Err(EINVAL, "read");
  if (!readable_) return Err(ENOTCONN, "read");
  observer_ = observer;
  reading_ = true;
  UpdateActive();
  UringStreams* const streams = is_socket_ && !ipc_ ? loop().backend().streams() : nullptr;
  if (streams != nullptr) {
    streams->StartReceive(*this);
  } else {
    watcher_.Add(kReadable);
  }
  return {};
}

void StreamHandle::ReadStop() {
  if (!reading_) return;
  reading_ = false;
  UpdateActive();
  watcher_.Remove(kReadable);
}

Result<size_t> StreamHandle::ReadOnce(std::span<uint8_t> buffer) {
  if (!ipc_) return is_socket_ ? sys::Receive(watcher_.fd(), buffer) : sys::Read(watcher_.fd(), buffer);
  std::array<int, kMaxReceivedFds> fds;
  size_t count = 0;
  Result<size_t> got = sys::ReceiveWithFds(watcher_.fd(), buffer, fds, count);
  for (size_t i = 0; i < count; ++i) received_fds_.emplace_back(fds[i]);
  return got;
}

void StreamHandle::OnReadReady() {
  for (int i = 0; i < kMaxReads && reading_; ++i) {
    const std::span<uint8_t> buffer = read_buffer_.empty() ? loop().SharedReadBuffer() : read_buffer_;
    Result<size_t> got = ReadOnce(buffer);
    if (!got) {
      if (!WouldBlock(got.error().err)) DeliverReadError(std::move(got.error()));
      return;
    }
    if (*got == 0) {
      DeliverEnd();
      return;
    }
    DeliverData(buffer.first(*got));
    if (*got < buffer.size()) return;
  }
}

void StreamHandle::DeliverData(std::span<const uint8_t> data) {
  bytes_read_ += data.size();
  observer_->OnData(*this, data);
}

void StreamHandle::DeliverEnd() {
  ReadStop();
  observer_->OnEnd(*this);
}

void StreamHandle::DeliverReadError(Error error) {
  ReadStop();
  observer_->OnReadError(*this, error);
}

// --- writing ---

Result<size_t> StreamHandle::WriteVector(std::span<const iovec> buffers, int send_fd) {
  if (send_fd != -1) {
    // Nothing of ours may go on reading from what another process is about to own.
    if (UringStreams* streams = loop().backend().streams()) streams->ReleaseFd(send_fd);
  }
  if (is_socket_) return sys::Send(watcher_.fd(), buffers, send_fd);
  return sys::WriteVector(watcher_.fd(), buffers);
}

Result<size_t> StreamHandle::TryWrite(std::span<const iovec> buffers) {
  if (IsClosing()) return Err(EBADF, "write");
  if (connecting_ || !writes_.IsEmpty()) return 0;
  if (!writable_) return Err(EPIPE, "write");
  Result<size_t> wrote = WriteVector(buffers, -1);
  if (!wrote) {
    if (WouldBlock(wrote.error().err)) return 0;
    return wrote;
  }
  bytes_written_ += *wrote;
  return wrote;
}

Result<size_t> StreamHandle::TryWrite(std::span<const uint8_t> data) {
  const iovec buffer = {const_cast<uint8_t*>(data.data()), data.size()};
  return TryWrite(std::span<const iovec>(&buffer, 1));
}

void StreamHandle::WriteBytes(std::vector<uint8_t> data, DoneCallback done) {
  Write(std::make_unique<OwnedBytesWrite>(std::move(data), std::move(done)));
}

void StreamHandle::Write(std::unique_ptr<WriteOp> owned) {
  loop().AddKeepAlive();
  if (IsClosing()) {
    // The closing phase may be over already; this does not depend on the handle.
    loop().Post([&loop = loop(), op = std::move(owned)] {
      loop.DropKeepAlive();
      op->OnDone(Err(ECANCELED, "write"));
    });
    return;
  }
  WriteOp* op = owned.release();
  op->first_ = 0;
  op->remaining_ = 0;
  for (const iovec& buffer : op->buffers_) op->remaining_ += buffer.iov_len;
  if (op->file_ != nullptr) op->remaining_ = op->file_->size;
  write_queue_size_ += op->remaining_;
  const bool was_empty = writes_.IsEmpty();
  writes_.PushBack(op);
  if (connecting_) return;
  if (!writable_ || shutdown_done_) {
    FinishWrite(op, EPIPE);
    return;
  }
  if (was_empty) FlushWrites();
}

void StreamHandle::FlushWrites() {
  for (int i = 0; i < kMaxWrites; ++i) {
    WriteOp* op = writes_.Front();
    if (op == nullptr || file_part_ != nullptr) break;
    if (op->remaining_ == 0 && op->send_fd_ == -1) {
      FinishWrite(op, 0);
      continue;
    }
    if (op->file_ != nullptr) {
      StartFilePart(*op);
      break;
    }
    Result<size_t> wrote = WriteVector(std::span(op->buffers_).subspan(op->first_), op->send_fd_);
    if (wrote) {
      op->send_fd_ = -1;
      Consume(*op, *wrote);
      if (op->remaining_ == 0) FinishWrite(op, 0);
      continue;
    }
    if (WouldBlock(wrote.error().err)) break;
    FailWrites(wrote.error().err);
    return;
  }
  if (writes_.IsEmpty() || file_part_ != nullptr) {
    watcher_.Remove(kWritable);
  } else {
    watcher_.Add(kWritable);
  }
}

void StreamHandle::Consume(WriteOp& op, size_t bytes) {
  op.remaining_ -= bytes;
  write_queue_size_ -= bytes;
  bytes_written_ += bytes;
  while (bytes > 0) {
    iovec& buffer = op.buffers_[op.first_];
    if (bytes < buffer.iov_len) {
      buffer.iov_base = static_cast<char*>(buffer.iov_base) + bytes;
      buffer.iov_len -= bytes;
      return;
    }
    bytes -= buffer.iov_len;
    ++op.first_;
  }
}

void StreamHandle::FinishWrite(WriteOp* op, int error) {
  op->error_ = error;
  write_queue_size_ -= op->remaining_;
  op->remaining_ = 0;
  written_.PushBack(op);  // leaves writes_
  loop().CompleteSoon(&deferred_);
}

void StreamHandle::FailWrites(int error) {
  while (WriteOp* op = writes_.Front()) FinishWrite(op, error);
  if (!IsClosing() && watcher_.fd() >= 0) watcher_.Remove(kWritable);
}

void StreamHandle::ReportWrites() {
  base::IntrusiveList<WriteOp> batch;
  batch.Append(written_);
  while (WriteOp* op = batch.PopFront()) {
    std::unique_ptr<WriteOp> owned(op);
    loop().DropKeepAlive();
    owned->OnDone(Outcome(owned->error_, "write"));
  }
}

void StreamHandle::RunDeferred() {
  if (IsClosing()) return;  // OnClosed() reports
  if (uring_ != nullptr) {
    loop().backend().streams()->DeliverHeld(*this);
    if (IsClosing()) return;
  }
  if (connecting_ && connect_error_ != 0) {
    FinishConnect(connect_error_);
    if (IsClosing()) return;
  }
  ReportWrites();
  if (!IsClosing()) MaybeShutdown();
}

// --- half-closing ---

void StreamHandle::Shutdown(DoneCallback done) {
  int error = 0;
  if (shutdown_done_ || shut_) error = EALREADY;
  if (!writable_ && !connecting_ && !shut_) error = ENOTCONN;
  if (IsClosing()) error = ENOTCONN;
  if (error != 0) {
    loop().AddKeepAlive();
    loop().Post([&loop = loop(), error, done = std::move(done)]() mutable {
      loop.DropKeepAlive();
      if (done) done(Err(error, "shutdown"));
    });
    return;
  }
  shutdown_done_ = std::move(done);
  if (!shutdown_done_) shutdown_done_ = [](Result<void>) {};
  loop().AddKeepAlive();
  loop().CompleteSoon(&deferred_);
}

void StreamHandle::MaybeShutdown() {
  if (!shutdown_done_ || connecting_ || !writes_.IsEmpty() || !written_.IsEmpty()) return;
  DoneCallback done = std::move(shutdown_done_);
  shutdown_done_ = nullptr;
  loop().DropKeepAlive();
  int error = 0;
  if (!writable_) {
    error = ENOTCONN;
  } else if (is_socket_ && ::shutdown(watcher_.fd(), SHUT_WR) == -1) {
    error = errno;
  }
  writable_ = false;
  shut_ = true;
  done(Outcome(error, "shutdown"));
}

// --- closing ---

void StreamHandle::OnClose() {
  reading_ = false;
  listening_ = false;
  accept_guard_.reset();
  if (watcher_.fd() < 0) return;
  if (uring_ != nullptr) loop().backend().streams()->Detach(*this);
  watcher_.Stop();
  base::OwnedFd closed(watcher_.fd());
  watcher_.SetFd(-1);
  if (file_part_ != nullptr) OrphanFilePart(std::move(closed));
}

HandleFacts StreamHandle::Describe() const {
  constexpr const char* kTypes[] = {"tcp", "pipe", "tty"};
  return {.type = kTypes[static_cast<int>(kind_)],
          .fd = fd(),
          .queued_bytes = write_queue_size_,
          .readable = readable_,
          .writable = writable_};
}

void StreamHandle::OnClosed() {
  received_fds_.clear();
  if (connecting_) {
    connecting_ = false;
    loop().DropKeepAlive();
    DoneCallback done = std::move(connect_done_);
    if (done) done(Err(ECANCELED, "connect"));
  }
  FailWrites(ECANCELED);
  deferred_.Unlink();
  ReportWrites();
  if (shutdown_done_) {
    loop().DropKeepAlive();
    DoneCallback done = std::move(shutdown_done_);
    shutdown_done_ = nullptr;
    done(Err(ECANCELED, "shutdown"));
  }
}

}  // namespace gyre::loop
