// UringRing: one io_uring and the operations in flight in it.
// Thread: the loop's. The ring is created disabled and enabled by its first use, so that a loop may be made on another
// thread than the one that runs it.
// Invariants: an operation object lives until its last completion arrived; user_data is its address (0: nobody cares).
#ifndef GYRE_LOOP_URING_RING_H_
#define GYRE_LOOP_URING_RING_H_

#include <liburing.h>

#include <cstdint>
#include <memory>

#include "base/result.h"

namespace gyre::loop {

// An operation in flight. `more`: further completions of it will come.
class UringOp {
 public:
  virtual void OnCompletion(int result, uint32_t flags) = 0;

 protected:
  ~UringOp() = default;
};

class UringRing {
 public:
  // The errno of the kernel's refusal: EPERM, ENOSYS, EINVAL (too old for DEFER_TASKRUN), ENOMEM, ...
  static Result<std::unique_ptr<UringRing>> Create(unsigned entries, unsigned completions);
  ~UringRing();
  UringRing(const UringRing&) = delete;
  UringRing& operator=(const UringRing&) = delete;

  int fd() const { return ring_.ring_fd; }
  bool Supports(int opcode);

  // A submission entry, cleared, with `op` as its owner; goes to the kernel with the next Submit() or Wait(). Never
  // null: a full queue is submitted first.
  io_uring_sqe* Prepare(UringOp* op);
  // Asks for the end of `op`, whose last completion then comes with ECANCELED if it was in time.
  void Cancel(UringOp* op);

  bool HasPrepared() const { return io_uring_sq_ready(&ring_) > 0; }
  bool HasCompletions() const { return io_uring_cq_ready(&ring_) > 0; }
  // Hands what was prepared to the kernel. Does not block.
  void Submit();
  // Submits, and lets the kernel post completions that are due. Does not block.
  void Flush();
  // Submits and waits for a completion (-1: for ever).
  void Wait(int64_t timeout_ms);
  unsigned Ready() const { return io_uring_cq_ready(&ring_); }
  // Handles at most `limit` completions; returns how many.
  unsigned Dispatch(unsigned limit);

  io_uring& raw() { return ring_; }
  // Operations whose last completion has not come.
  unsigned in_flight() const { return in_flight_; }
  void Started() { ++in_flight_; }

 private:
  UringRing() = default;
  void Enable();

  io_uring ring_ = {};
  bool enabled_ = false;
  unsigned in_flight_ = 0;
  io_uring_probe* probe_ = nullptr;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_URING_RING_H_
