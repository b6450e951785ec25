#include "base/clock.h"

#include <ctime>

namespace gyre::base {
namespace {

uint64_t Read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

uint64_t MonotonicNanos() { return Read(CLOCK_MONOTONIC); }
uint64_t WallNanos() { return Read(CLOCK_REALTIME); }
uint64_t ThreadCpuNanos() { return Read(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace gyre::base
