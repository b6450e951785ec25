#include "loop/uring_ring.h"

#include <cerrno>

#include "base/check.h"
#include "sys/fault.h"

namespace gyre::loop {

Result<std::unique_ptr<UringRing>> UringRing::Create(unsigned entries, unsigned completions) {
  if (int err = sys::InjectedError(sys::Call::kRingSetup)) return Err(err, "io_uring_setup");
  std::unique_ptr<UringRing> ring(new UringRing());
  io_uring_params params = {};
  params.flags = IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE | IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER |
                 IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL;
  params.cq_entries = completions;
  const int result = io_uring_queue_init_params(entries, &ring->ring_, &params);
  if (result < 0) {
    ring->ring_.ring_fd = -1;
    return Err(-result, "io_uring_setup");
  }
  // NODROP: completions are never lost. EXT_ARG: waiting with a time-out. RW_CUR_POS: reads at the file position.
  constexpr unsigned kNeeded = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_RW_CUR_POS;
  if ((params.features & kNeeded) != kNeeded) return Err(ENOSYS, "io_uring_setup");
  return ring;
}

UringRing::~UringRing() {
  if (probe_ != nullptr) io_uring_free_probe(probe_);
  if (ring_.ring_fd >= 0) io_uring_queue_exit(&ring_);
}

void UringRing::Enable() {
  if (enabled_) return;
  enabled_ = true;
  CHECK(io_uring_enable_rings(&ring_) == 0);
}

bool UringRing::Supports(int opcode) {
  Enable();
  if (probe_ == nullptr) probe_ = io_uring_get_probe_ring(&ring_);
  return probe_ != nullptr && io_uring_opcode_supported(probe_, opcode) != 0;
}

io_uring_sqe* UringRing::Prepare(UringOp* op) {
  Enable();
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  while (sqe == nullptr) {
    Flush();
    sqe = io_uring_get_sqe(&ring_);
  }
  *sqe = {};
  sqe->user_data = reinterpret_cast<uint64_t>(op);
  if (op != nullptr) ++in_flight_;
  return sqe;
}

void UringRing::Cancel(UringOp* op) {
  io_uring_sqe* sqe = Prepare(nullptr);
  io_uring_prep_cancel64(sqe, reinterpret_cast<uint64_t>(op), 0);
  sqe->user_data = 0;
  sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
}

void UringRing::Submit() {
  Enable();
  io_uring_submit(&ring_);
}

void UringRing::Flush() {
  Enable();
  const unsigned flags = IO_URING_READ_ONCE(*ring_.sq.kflags);
  if (io_uring_sq_ready(&ring_) == 0 && (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) == 0) return;
  io_uring_submit_and_get_events(&ring_);
}

void UringRing::Wait(int64_t timeout_ms) {
  Enable();
  if (timeout_ms == 0 || HasCompletions()) {
    Flush();
    return;
  }
  io_uring_cqe* first = nullptr;
  if (timeout_ms < 0) {
    io_uring_submit_and_wait_timeout(&ring_, &first, 1, nullptr, nullptr);
    return;
  }
  __kernel_timespec time = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1'000'000};
  io_uring_submit_and_wait_timeout(&ring_, &first, 1, &time, nullptr);
}

unsigned UringRing::Dispatch(unsigned limit) {
  unsigned count = 0;
  io_uring_cqe* cqe = nullptr;
  while (count < limit && io_uring_peek_cqe(&ring_, &cqe) == 0 && cqe != nullptr) {
    // Copied out first: what it calls may enter the kernel, which then may reuse the entry.
    const auto op = reinterpret_cast<UringOp*>(cqe->user_data);
    const int result = cqe->res;
    const uint32_t flags = cqe->flags;
    io_uring_cqe_seen(&ring_, cqe);
    if (op == nullptr) continue;
    ++count;
    if ((flags & IORING_CQE_F_MORE) == 0) --in_flight_;
    op->OnCompletion(result, flags);
  }
  return count;
}

}  // namespace gyre::loop
