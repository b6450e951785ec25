// UringStreams: streams by completion: multishot receive into a ring of provided buffers, multishot accept.
// Thread: the loop's. Owner: the UringBackend.
// Invariants: an operation whose stream was closed is detached and only gives its buffers back; what arrives while a
// stream does not read is held for it, and the receive ended, so that at most what was in flight is held.
// A multishot receive can miss the end: where data and a reset (before Linux 7.0 also an end) come before it has looked
// once, it takes the data, and nothing wakes it again. Hence a poll beside it, which only the end completes; a receive
// that is still in flight then is begun anew.
#ifndef GYRE_LOOP_URING_STREAMS_H_
#define GYRE_LOOP_URING_STREAMS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "loop/stream.h"
#include "loop/uring_ring.h"

struct io_uring_buf_ring;

namespace gyre::loop {

// What a stream keeps for its operations in the ring.
struct UringStream : public base::ListNode<UringStream> {
  StreamHandle* stream = nullptr;
  UringOp* receive = nullptr;  // in flight
  UringOp* accept = nullptr;   // in flight
  UringOp* hang_up = nullptr;  // in flight
  bool watched = false;        // hang_up was begun
  bool hung_up = false;        // hang_up came to its end
  bool canceling = false;      // the receive was asked to end
  std::vector<uint8_t> held;   // arrived while not reading
  bool ended = false;          // so did the end
  int error = 0;               // or an error
};

class UringStreams {
 public:
  // Null where the kernel has no provided buffer rings (5.19) or multishot operations (6.0).
  static std::unique_ptr<UringStreams> Create(Loop& loop, UringRing& ring);
  ~UringStreams();

  void StartReceive(StreamHandle& stream);
  void StartAccept(StreamHandle& stream);
  void StopAccept(StreamHandle& stream);
  // In the poll phase: hands out what was held back.
  void DeliverHeld(StreamHandle& stream);
  // Ends all operations on a descriptor that is handed to another process.
  void ReleaseFd(int fd);
  // The state of `stream` came from another one.
  void Moved(StreamHandle& stream);
  // Before waiting: begins to receive for those that read by now. Whoever stops reading, or gives the descriptor away, in
  // the same turn in which it began has lost nothing.
  void ArmWaiting();
  // Before the descriptor is closed.
  void Detach(StreamHandle& stream);

 private:
  class ReceiveOp;
  class AcceptOp;
  class HangUpOp;
  UringStreams(Loop& loop, UringRing& ring) : loop_(loop), ring_(ring) {}
  bool SetUpBuffers();
  std::span<const uint8_t> Buffer(uint16_t id) const;
  void GiveBack(uint16_t id);
  void Arm(StreamHandle& stream);
  void Receive(UringStream& state);
  void WatchHangUp(UringStream& state);
  void CancelReceive(UringStream& state);
  static UringStream& State(StreamHandle& stream);
  void Received(StreamHandle& stream, std::span<const uint8_t> data);
  static void DeliverInPieces(StreamHandle& stream, std::span<const uint8_t> data, std::vector<uint8_t>& rest);

  Loop& loop_;
  UringRing& ring_;
  base::IntrusiveList<UringStream> waiting_;
  io_uring_buf_ring* buffers_ = nullptr;
  uint8_t* memory_ = nullptr;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_URING_STREAMS_H_
