// The seam where tests and the sim backend inject failures into system calls.
// Thread: a plan installed with ScopedFaultPlan applies to the installing thread; with Scope::kProcess to all threads
// (then it must be thread-safe). Without a plan the cost is one relaxed load a call.
#ifndef GYRE_SYS_FAULT_H_
#define GYRE_SYS_FAULT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gyre::sys {

enum class Call : uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kSync,
  kSocket,
  kAccept,
  kConnect,
  kListen,
  kReceive,
  kSend,
  kPipe,
  kEventFd,
  kSpawn,
  kThread,
  kRingSetup,
  kRingBuffers,
  kMemory
};

class FaultPlan {
 public:
  virtual ~FaultPlan() = default;
  // An errno to fail with instead of calling the kernel, or 0.
  virtual int Fail(Call call, int fd) = 0;
  // How many of `wanted` bytes the call may move: at least 1.
  virtual size_t Limit(Call, int /*fd*/, size_t wanted) { return wanted; }
};

enum class FaultScope : uint8_t { kThread, kProcess };

// Installs a plan until destroyed.
class ScopedFaultPlan {
 public:
  explicit ScopedFaultPlan(FaultPlan* plan, FaultScope scope = FaultScope::kThread);
  ~ScopedFaultPlan();
  ScopedFaultPlan(const ScopedFaultPlan&) = delete;
  ScopedFaultPlan& operator=(const ScopedFaultPlan&) = delete;

 private:
  FaultScope scope_;
  FaultPlan* previous_;
};

// The plan installed for this thread, or null.
FaultPlan* ThreadFaultPlan();

namespace internal {
extern std::atomic<int> g_plan_count;
int FailSlow(Call call, int fd);
size_t LimitSlow(Call call, int fd, size_t wanted);
}  // namespace internal

inline int InjectedError(Call call, int fd = -1) {
  if (internal::g_plan_count.load(std::memory_order_relaxed) == 0) [[likely]]
    return 0;
  return internal::FailSlow(call, fd);
}

inline size_t InjectedLimit(Call call, int fd, size_t wanted) {
  if (internal::g_plan_count.load(std::memory_order_relaxed) == 0) [[likely]]
    return wanted;
  return internal::LimitSlow(call, fd, wanted);
}

}  // namespace gyre::sys

#endif  // GYRE_SYS_FAULT_H_
