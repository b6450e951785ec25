#include "loop/uring_streams.h"

#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "loop/backend.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

constexpr unsigned kBufferCount = 64;  // a power of two
constexpr size_t kBufferSize = 16 * 1024;
constexpr uint16_t kGroup = 1;
constexpr size_t kRingBytes = kBufferCount * sizeof(io_uring_buf);

void* MapPages(size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

// --- operations ---

class UringStreams::ReceiveOp final : public UringOp {
 public:
  ReceiveOp(UringStreams& streams, StreamHandle& stream) : streams_(streams), stream_(&stream) {}
  void Detach() { stream_ = nullptr; }
  void MoveTo(StreamHandle& stream) { stream_ = &stream; }

  void OnCompletion(int result, uint32_t flags) override {
    const bool last = (flags & IORING_CQE_F_MORE) == 0;
    StreamHandle* const stream = stream_;
    const bool has_buffer = (flags & IORING_CQE_F_BUFFER) != 0;
    const auto id = static_cast<uint16_t>(flags >> IORING_CQE_BUFFER_SHIFT);
    UringStreams& streams = streams_;
    if (stream != nullptr && last) {
      State(*stream).receive = nullptr;
      State(*stream).canceling = false;
    }
    if (last) delete this;  // nothing below touches it
    if (stream == nullptr) {
      if (has_buffer) streams.GiveBack(id);
      return;
    }
    if (result > 0) {
      streams.Received(*stream, streams.Buffer(id).first(static_cast<size_t>(result)));
    } else if (result == 0) {
      State(*stream).ended = true;
    } else if (result != -ENOBUFS && result != -ECANCELED && result != -EINTR && result != -EAGAIN) {
      State(*stream).error = -result;
    }
    if (has_buffer) streams.GiveBack(id);
    if (stream->IsClosing()) return;
    if (stream->reading_ && State(*stream).held.empty()) streams.DeliverHeld(*stream);
    if (!stream->IsClosing() && last) streams.Arm(*stream);
  }

 private:
  UringStreams& streams_;
  StreamHandle* stream_;
};

class UringStreams::AcceptOp final : public UringOp {
 public:
  AcceptOp(UringStreams& streams, StreamHandle& stream) : streams_(streams), stream_(&stream) {}
  void Detach() { stream_ = nullptr; }

  void OnCompletion(int result, uint32_t flags) override {
    const bool last = (flags & IORING_CQE_F_MORE) == 0;
    StreamHandle* const stream = stream_;
    UringStreams& streams = streams_;
    base::OwnedFd accepted(result >= 0 ? result : -1);
    if (stream != nullptr && last) State(*stream).accept = nullptr;
    if (last) delete this;  // nothing below touches it
    if (stream == nullptr || !stream->listening_) return;
    if (accepted) {
      if (int err = sys::InjectedError(sys::Call::kAccept, stream->fd())) {
        accepted.Reset();
        result = -err;
      }
    }
    stream->OnAccepted(std::move(accepted), result < 0 ? -result : 0);
    if (last && !stream->IsClosing() && stream->listening_ && !stream->IsAcceptingPaused()) {
      streams.StartAccept(*stream);
    }
  }

 private:
  UringStreams& streams_;
  StreamHandle* stream_;
};

class UringStreams::HangUpOp final : public UringOp {
 public:
  HangUpOp(UringStreams& streams, UringStream& state) : streams_(streams), state_(&state) {}
  void Detach() { state_ = nullptr; }

  void OnCompletion(int result, uint32_t) override {
    UringStream* const state = state_;
    UringStreams& streams = streams_;
    delete this;
    if (state == nullptr) return;
    state->hang_up = nullptr;
    state->hung_up = result > 0;
    // Not now: most often the receive's own completion comes behind this one.
    if (state->hung_up && state->receive != nullptr && !state->IsLinked()) streams.waiting_.PushBack(state);
  }

 private:
  UringStreams& streams_;
  UringStream* state_;
};

// --- buffers ---

std::unique_ptr<UringStreams> UringStreams::Create(Loop& loop, UringRing& ring) {
  // MSG_RING and SEND_ZC came with the kernels that have multishot accept and receive.
  if (!ring.Supports(IORING_OP_SEND_ZC)) return nullptr;
  std::unique_ptr<UringStreams> streams(new UringStreams(loop, ring));
  if (!streams->SetUpBuffers()) return nullptr;
  return streams;
}

bool UringStreams::SetUpBuffers() {
  if (sys::InjectedError(sys::Call::kRingBuffers) != 0) return false;
  buffers_ = static_cast<io_uring_buf_ring*>(MapPages(kRingBytes));
  memory_ = static_cast<uint8_t*>(MapPages(kBufferCount * kBufferSize));
  if (buffers_ == nullptr || memory_ == nullptr) return false;
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<uint64_t>(buffers_);
  registration.ring_entries = kBufferCount;
  registration.bgid = kGroup;
  if (io_uring_register_buf_ring(&ring_.raw(), &registration, 0) != 0) return false;
  io_uring_buf_ring_init(buffers_);
  for (unsigned id = 0; id < kBufferCount; ++id) {
    io_uring_buf_ring_add(buffers_, memory_ + id * kBufferSize, kBufferSize, static_cast<uint16_t>(id),
                          io_uring_buf_ring_mask(kBufferCount), static_cast<int>(id));
  }
  io_uring_buf_ring_advance(buffers_, kBufferCount);
  return true;
}

UringStreams::~UringStreams() {
  if (buffers_ != nullptr) {
    io_uring_unregister_buf_ring(&ring_.raw(), kGroup);
    ::munmap(buffers_, kRingBytes);
  }
  if (memory_ != nullptr) ::munmap(memory_, kBufferCount * kBufferSize);
}

std::span<const uint8_t> UringStreams::Buffer(uint16_t id) const {
  return {memory_ + size_t{id} * kBufferSize, kBufferSize};
}

void UringStreams::GiveBack(uint16_t id) {
  io_uring_buf_ring_add(buffers_, memory_ + size_t{id} * kBufferSize, kBufferSize, id,
                        io_uring_buf_ring_mask(kBufferCount), 0);
  io_uring_buf_ring_advance(buffers_, 1);
}

// --- receiving ---

UringStream& UringStreams::State(StreamHandle& stream) {
  if (stream.uring_ == nullptr) {
    stream.uring_ = std::make_unique<UringStream>();
    stream.uring_->stream = &stream;
  }
  return *stream.uring_;
}

void UringStreams::StartReceive(StreamHandle& stream) {
  UringStream& state = State(stream);
  if (!state.held.empty() || state.ended || state.error != 0) {
    loop_.CompleteSoon(&stream.deferred_);
    return;
  }
  Arm(stream);
}

void UringStreams::Arm(StreamHandle& stream) {
  UringStream& state = State(stream);
  if (state.receive != nullptr || state.IsLinked()) return;
  waiting_.PushBack(&state);
}

void UringStreams::ArmWaiting() {
  while (UringStream* state = waiting_.PopFront()) Receive(*state);
}

void UringStreams::Receive(UringStream& state) {
  StreamHandle& stream = *state.stream;
  if (state.receive != nullptr) {
    if (std::exchange(state.hung_up, false)) CancelReceive(state);  // its completion begins it anew
    return;
  }
  if (!stream.reading_ || state.ended || state.error != 0) return;
  auto* op = new ReceiveOp(*this, stream);
  state.receive = op;
  io_uring_sqe* sqe = ring_.Prepare(op);
  io_uring_prep_recv_multishot(sqe, stream.fd(), nullptr, 0, 0);
  sqe->user_data = reinterpret_cast<uint64_t>(static_cast<UringOp*>(op));
  sqe->flags |= IOSQE_BUFFER_SELECT;
  sqe->buf_group = kGroup;
  if (!state.watched) WatchHangUp(state);
}

void UringStreams::WatchHangUp(UringStream& state) {
  state.watched = true;
  auto* op = new HangUpOp(*this, state);
  state.hang_up = op;
  io_uring_sqe* sqe = ring_.Prepare(op);
  io_uring_prep_poll_add(sqe, state.stream->fd(), POLLRDHUP);
  sqe->user_data = reinterpret_cast<uint64_t>(static_cast<UringOp*>(op));
}

void UringStreams::CancelReceive(UringStream& state) {
  if (state.canceling) return;
  state.canceling = true;
  ring_.Cancel(state.receive);
}

void UringStreams::Received(StreamHandle& stream, std::span<const uint8_t> data) {
  UringStream& state = State(stream);
  if (int err = sys::InjectedError(sys::Call::kReceive, stream.fd()); err != 0 && err != EAGAIN && err != EINTR) {
    state.error = err;
    return;
  }
  if (!stream.reading_ || !state.held.empty()) {
    state.held.insert(state.held.end(), data.begin(), data.end());
    if (state.receive != nullptr) CancelReceive(state);
    return;
  }
  std::vector<uint8_t> rest;
  DeliverInPieces(stream, data, rest);
  if (!rest.empty() && !stream.IsClosing()) State(stream).held = std::move(rest);
}

// Hands out `data` as long as the stream reads, in pieces that fit the caller's buffer; what is left goes to `rest`.
void UringStreams::DeliverInPieces(StreamHandle& stream, std::span<const uint8_t> data, std::vector<uint8_t>& rest) {
  while (!data.empty()) {
    if (stream.IsClosing()) return;
    if (!stream.reading_) {
      rest.assign(data.begin(), data.end());
      return;
    }
    const std::span<uint8_t> own = stream.read_buffer_;
    if (own.empty()) {
      stream.DeliverData(data);
      return;
    }
    const size_t size = std::min(own.size(), data.size());
    std::copy_n(data.data(), size, own.data());
    data = data.subspan(size);
    stream.DeliverData(own.first(size));
  }
}

void UringStreams::DeliverHeld(StreamHandle& stream) {
  UringStream& state = State(stream);
  if (!stream.reading_) return;
  if (!state.held.empty()) {
    std::vector<uint8_t> held = std::move(state.held);
    state.held.clear();
    std::vector<uint8_t> rest;
    DeliverInPieces(stream, held, rest);
    if (stream.IsClosing()) return;
    // What arrived meanwhile comes behind.
    if (!rest.empty()) state.held.insert(state.held.begin(), rest.begin(), rest.end());
    if (!stream.reading_ || !state.held.empty()) return;
  }
  if (state.error != 0) {
    stream.DeliverReadError(Error{.err = std::exchange(state.error, 0), .syscall = "read"});
    return;
  }
  if (state.ended) {
    state.ended = false;
    stream.DeliverEnd();
    return;
  }
  Arm(stream);
}

// --- accepting ---

void UringStreams::StartAccept(StreamHandle& stream) {
  UringStream& state = State(stream);
  if (state.accept != nullptr) return;
  auto* op = new AcceptOp(*this, stream);
  state.accept = op;
  io_uring_sqe* sqe = ring_.Prepare(op);
  io_uring_prep_multishot_accept(sqe, stream.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  sqe->user_data = reinterpret_cast<uint64_t>(static_cast<UringOp*>(op));
}

void UringStreams::StopAccept(StreamHandle& stream) {
  UringStream& state = State(stream);
  if (state.accept == nullptr) return;
  static_cast<AcceptOp*>(state.accept)->Detach();
  ring_.Cancel(state.accept);
  state.accept = nullptr;
}

void UringStreams::ReleaseFd(int fd) {
  io_uring_sqe* sqe = ring_.Prepare(nullptr);
  io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL);
  sqe->fd = fd;
  sqe->user_data = 0;
  ring_.Flush();
}

void UringStreams::Moved(StreamHandle& stream) {
  UringStream& state = *stream.uring_;
  state.stream = &stream;
  if (state.receive != nullptr) static_cast<ReceiveOp*>(state.receive)->MoveTo(stream);
}

void UringStreams::Detach(StreamHandle& stream) {
  if (stream.uring_ == nullptr) return;
  UringStream& state = *stream.uring_;
  state.Unlink();
  const bool in_flight = state.receive != nullptr || state.accept != nullptr || state.hang_up != nullptr;
  if (state.hang_up != nullptr) {
    static_cast<HangUpOp*>(state.hang_up)->Detach();
    ring_.Cancel(state.hang_up);
    state.hang_up = nullptr;
  }
  if (state.receive != nullptr) {
    static_cast<ReceiveOp*>(state.receive)->Detach();
    ring_.Cancel(state.receive);
    state.receive = nullptr;
  }
  StopAccept(stream);
  // Now: an operation in flight keeps the socket open, its peer waiting and its address taken, after close(2).
  if (in_flight) ring_.Flush();
}

}  // namespace gyre::loop
