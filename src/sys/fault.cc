#include "sys/fault.h"

#include <algorithm>

namespace gyre::sys {
namespace internal {

std::atomic<int> g_plan_count{0};

namespace {

std::atomic<FaultPlan*> g_process_plan{nullptr};
thread_local FaultPlan* t_thread_plan = nullptr;

FaultPlan* ActivePlan() {
  if (t_thread_plan != nullptr) return t_thread_plan;
  return g_process_plan.load(std::memory_order_acquire);
}

}  // namespace

int FailSlow(Call call, int fd) {
  FaultPlan* plan = ActivePlan();
  return plan == nullptr ? 0 : plan->Fail(call, fd);
}

size_t LimitSlow(Call call, int fd, size_t wanted) {
  FaultPlan* plan = ActivePlan();
  if (plan == nullptr || wanted == 0) return wanted;
  return std::clamp<size_t>(plan->Limit(call, fd, wanted), 1, wanted);
}

}  // namespace internal

FaultPlan* ThreadFaultPlan() { return internal::t_thread_plan; }

ScopedFaultPlan::ScopedFaultPlan(FaultPlan* plan, FaultScope scope) : scope_(scope) {
  if (scope == FaultScope::kThread) {
    previous_ = internal::t_thread_plan;
    internal::t_thread_plan = plan;
  } else {
    previous_ = internal::g_process_plan.exchange(plan, std::memory_order_acq_rel);
  }
  internal::g_plan_count.fetch_add(1, std::memory_order_acq_rel);
}

ScopedFaultPlan::~ScopedFaultPlan() {
  internal::g_plan_count.fetch_sub(1, std::memory_order_acq_rel);
  if (scope_ == FaultScope::kThread) {
    internal::t_thread_plan = previous_;
  } else {
    internal::g_process_plan.store(previous_, std::memory_order_release);
  }
}

}  // namespace gyre::sys
