// Clocks. Time that orders things is monotonic; wall time is only for showing.
// Thread: any.
#ifndef GYRE_BASE_CLOCK_H_
#define GYRE_BASE_CLOCK_H_

#include <cstdint>

namespace gyre::base {

// Nanoseconds on CLOCK_MONOTONIC: what process.hrtime() and performance.now() count.
uint64_t MonotonicNanos();

// Nanoseconds since 1970 on CLOCK_REALTIME.
uint64_t WallNanos();

// CPU nanoseconds of the calling thread.
uint64_t ThreadCpuNanos();

}  // namespace gyre::base

#endif  // GYRE_BASE_CLOCK_H_
