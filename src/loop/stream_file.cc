// Files written to streams without a copy.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "loop/backend.h"
#include "loop/lanes.h"
#include "loop/stream.h"
#include "sys/sockets.h"

namespace gyre::loop {
namespace {

// One job sends no more, so that no socket that always takes keeps a thread of the lane.
constexpr size_t kPart = 4 << 20;

// Errors of the socket; any other is the file's.
bool IsSocketsFault(int error) {
  return error == EPIPE || error == ECONNRESET || error == ENOTCONN || error == ETIMEDOUT || error == ECANCELED;
}

}  // namespace

void WriteOp::SetFile(base::OwnedFd file, int64_t offset, size_t size, size_t keep) {
  file_ = std::make_shared<File>(File{.fd = std::move(file), .offset = offset, .size = size, .keep = keep});
}

// While it is in flight its stream may be closed: the socket and the operation are its own then, and end with it.
class StreamHandle::FilePart final : public LaneJob {
 public:
  FilePart(StreamHandle& stream, std::shared_ptr<WriteOp::File> file, size_t size)
      : loop_(stream.loop()), stream_(&stream), file_(std::move(file)), socket_(stream.fd()), size_(size) {}

  void Orphan(base::OwnedFd socket, std::unique_ptr<WriteOp> op) {
    stream_ = nullptr;
    orphaned_socket_ = std::move(socket);
    orphaned_op_ = std::move(op);
  }

  void Work() override {
    const size_t size = std::min(size_, Room());
    if (size < size_) ended_ = true;
    while (sent_ < size) {
      Result<size_t> sent = sys::SendFile(socket_, file_->fd.get(), &file_->offset, size - sent_);
      if (!sent) {
        error_ = sent.error().err;
        return;
      }
      if (*sent == 0) {
        ended_ = true;
        return;
      }
      sent_ += *sent;
    }
  }

  void Done(Result<void> result) override {
    if (stream_ == nullptr) {
      // Told only now: the descriptor's own position moved until here.
      file_->sent += sent_;
      loop_.DropKeepAlive();
      orphaned_op_->OnDone(Err(ECANCELED, "write"));
      return;
    }
    stream_->file_part_ = nullptr;
    stream_->OnFilePart(sent_, result ? error_ : result.error().err, ended_);
  }

 private:
  // How much there is before what is to be kept.
  size_t Room() const {
    struct stat info;
    if (file_->keep == 0 || ::fstat(file_->fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return size_;
    const int64_t at = file_->offset != -1 ? file_->offset : ::lseek64(file_->fd.get(), 0, SEEK_CUR);
    const int64_t room = info.st_size - at - static_cast<int64_t>(file_->keep);
    return room > 0 ? static_cast<size_t>(room) : 0;
  }

  Loop& loop_;
  StreamHandle* stream_;
  std::shared_ptr<WriteOp::File> file_;
  base::OwnedFd orphaned_socket_;
  std::unique_ptr<WriteOp> orphaned_op_;
  const int socket_;
  const size_t size_;
  size_t sent_ = 0;
  int error_ = 0;
  bool ended_ = false;
};

void StreamHandle::StartFilePart(WriteOp& op) {
  const size_t size = std::min(op.remaining_, kPart);
  auto part = std::make_unique<FilePart>(*this, op.file_, size);
  file_part_ = part.get();
  if (!loop().backend().RunsFilesInline()) {
    lanes::Submit(loop(), Lane::kFs, {.kind = "sendfile"}, std::move(part));
    return;
  }
  part->Work();
  loop().Post([part = std::move(part)] { part->Done({}); });
}

void StreamHandle::OrphanFilePart(base::OwnedFd socket) {
  std::unique_ptr<WriteOp> op(writes_.PopFront());
  write_queue_size_ -= op->remaining_;
  std::exchange(file_part_, nullptr)->Orphan(std::move(socket), std::move(op));
}

void StreamHandle::OnFilePart(size_t sent, int error, bool ended) {
  WriteOp* const op = writes_.Front();
  op->file_->sent += sent;
  op->remaining_ -= sent;
  write_queue_size_ -= sent;
  bytes_written_ += sent;
  if (error == EAGAIN) {
    watcher_.Add(kWritable);
    return;
  }
  if (IsSocketsFault(error)) {
    FailWrites(error);
    return;
  }
  if (error != 0 || ended || op->remaining_ == 0) {
    op->file_->error = error;
    FinishWrite(op, 0);
  }
  FlushWrites();
}

}  // namespace gyre::loop
