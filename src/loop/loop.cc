#include "loop/loop.h"

#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "loop/backend.h"
#include "loop/fs_event_hub.h"
#include "loop/lanes.h"
#include "loop/remote.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "loop/timer_queue.h"
#include "loop/uring_files.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

constexpr size_t kReadBufferSize = 64 * 1024;
// docs/loop.md 1.3
constexpr int kMaxPollRounds = 48;
// How long the destruction of a loop waits for jobs that have begun.
constexpr uint64_t kDrainNanos = 10'000'000'000u;

}  // namespace

std::optional<BackendKind> ParseBackendKind(std::string_view name) {
  if (name == "auto" || name.empty()) return BackendKind::kAuto;
  if (name == "uring") return BackendKind::kUring;
  if (name == "epoll") return BackendKind::kEpoll;
  if (name == "sim") return BackendKind::kSim;
  return std::nullopt;
}

Loop::Loop() = default;

Result<std::unique_ptr<Loop>> Loop::Create(const LoopOptions& options) {
  std::unique_ptr<Loop> loop(new Loop());
  BackendKind kind = options.backend;
  if (kind == BackendKind::kAuto) {
    const char* name = std::getenv("GYRE_LOOP");
    const std::optional<BackendKind> named = ParseBackendKind(name == nullptr ? "" : name);
    if (!named) return Err(EINVAL, "GYRE_LOOP", name);
    kind = *named;
  }
  loop->kind_ = kind;
  Result<std::unique_ptr<Backend>> backend = kind == BackendKind::kUring ? MakeUringBackend(*loop)
                                             : kind == BackendKind::kSim ? MakeSimBackend(*loop, options.sim)
                                                                         : MakeEpollBackend();
  if (!backend) return Err(std::move(backend.error()));
  loop->backend_ = std::move(*backend);
  loop->timers_ = std::make_unique<TimerQueue>();
  auto remote = std::make_shared<LoopRemoteImpl>(loop->backend_.get());
  loop->remote_impl_ = remote.get();
  loop->remote_ = std::move(remote);
  loop->UpdateTime();
  return loop;
}

Loop::~Loop() {
  if (backend_ == nullptr) return;
  CloseAllHandles();
  DrainJobs();
  while (Completion* completion = completions_.PopFront()) completion->Drop();
  backend_->DropDeferred();
  signal_watch_.reset();
  inotify_.reset();
  CloseAllHandles();
  files_.reset();
  remote_impl_->Detach();
  CloseAllHandles();
}

void Loop::CloseAllHandles() {
  while (!handles_.IsEmpty() || !closing_.IsEmpty()) {
    while (Handle* handle = handles_.Front()) handle->Close();
    RunClosing();
  }
}

void Loop::DrainJobs() {
  lanes::CancelAllOf(*this);
  if (files_ != nullptr) files_->CancelAll();
  const uint64_t deadline = base::MonotonicNanos() + kDrainNanos;
  while (jobs_ > 0 && base::MonotonicNanos() < deadline) {
    base::IntrusiveList<LaneJob> done;
    remote_impl_->TakeDone(done);
    while (LaneJob* job = done.PopFront()) {
      DropJob();
      delete job;
    }
    if (files_ != nullptr) files_->Drain();
    if (jobs_ == 0) break;
    if (remote_impl_->PrepareToSleep()) backend_->Wait(10);
    remote_impl_->StayAwake();
  }
}

bool Loop::Alive() const {
  return active_handles_ > 0 || keep_alive_ > 0 || !closing_.IsEmpty() || immediates_ == Immediates::kRef;
}

void Loop::Stop() { stop_ = true; }

void Loop::UpdateTime() { now_ns_ = backend_->Now(); }

uint64_t Loop::HrTime() const { return backend_->Now(); }

void Loop::DropKeepAlive() {
  DCHECK(keep_alive_ > 0);
  --keep_alive_;
}

bool Loop::Run(RunMode mode) {
  if (kind_ != BackendKind::kSim) return RunTurns(mode);
  const sys::ScopedFaultPlan faults(backend_->EnterRun(sys::ThreadFaultPlan()));
  return RunTurns(mode);
}

bool Loop::RunTurns(RunMode mode) {
  bool alive = Alive();
  if (!alive) UpdateTime();
  const bool was_running = std::exchange(running_, true);
  activity_.busy_since_ns.store(base::MonotonicNanos(), std::memory_order_relaxed);
  if (activity_.started_ns.load(std::memory_order_relaxed) == 0) {
    activity_.started_ns.store(base::MonotonicNanos(), std::memory_order_relaxed);
  }
  if (mode == RunMode::kDefault && alive && !stop_) {
    UpdateTime();
    RunTimers();
  }
  while (alive && !stop_) {
    ++metrics_.loop_count;
    activity_.loop_count.store(metrics_.loop_count, std::memory_order_relaxed);
    RunHook(idle_hook_, Phase::kIdle);
    RunHook(prepare_hook_, Phase::kPrepare);
    RunPoll(mode == RunMode::kNoWait ? 0 : PollTimeout());
    RunImmediates();
    RunHook(check_hook_, Phase::kCheck);
    RunClosing();
    UpdateTime();
    RunTimers();
    alive = Alive();
    if (mode != RunMode::kDefault) break;
  }
  stop_ = false;
  running_ = was_running;
  if (!was_running) {
    activity_.busy_since_ns.store(0, std::memory_order_relaxed);
    EnterPhase(Phase::kOutside);
  }
  return alive;
}

int64_t Loop::PollTimeout() const {
  if (stop_ || immediates_ != Immediates::kNone || idle_hook_ || !completions_.IsEmpty() || !closing_.IsEmpty()) {
    return 0;
  }
  if (active_handles_ == 0 && keep_alive_ == 0) return 0;
  if (remote_impl_->HasWork()) return 0;
  if (timers_->IsEmpty()) return -1;
  const uint64_t due = timers_->NextDueMs();
  const uint64_t now_ms = now();
  return due > now_ms ? static_cast<int64_t>(std::min<uint64_t>(due - now_ms, INT32_MAX)) : 0;
}

void Loop::RunTimers() {
  if (timers_->IsEmpty() || timers_->NextDueMs() > now()) return;
  EnterPhase(Phase::kTimers);
  timers_->Run(now());
}

void Loop::RunHook(base::UniqueFunction<void()>& hook, Phase phase) {
  if (!hook) return;
  EnterPhase(phase);
  hook();
}

void Loop::RunImmediates() {
  if (immediates_ == Immediates::kNone || !immediate_hook_) return;
  EnterPhase(Phase::kCheck);
  immediate_hook_();
}

void Loop::RunPoll(int64_t timeout_ms) {
  EnterPhase(Phase::kPoll);
  for (int round = 0; round < kMaxPollRounds; ++round) {
    if (files_ != nullptr) files_->Flush();
    const bool sleeps = timeout_ms != 0 && remote_impl_->PrepareToSleep();
    if (sleeps) activity_.busy_since_ns.store(0, std::memory_order_relaxed);
    const uint64_t slept_at = sleeps ? HrTime() : 0;
    if (sleeps) activity_.waits_since_ns.store(slept_at, std::memory_order_relaxed);
    const size_t events = backend_->Wait(sleeps ? timeout_ms : 0);
    UpdateTime();
    if (sleeps) {
      remote_impl_->StayAwake();
      metrics_.idle_ns += now_ns_ - slept_at;
      activity_.waits_since_ns.store(0, std::memory_order_relaxed);
      activity_.idle_ns.store(metrics_.idle_ns, std::memory_order_relaxed);
      activity_.busy_since_ns.store(base::MonotonicNanos(), std::memory_order_relaxed);
    } else {
      metrics_.events_waiting += events;
    }
    metrics_.events += events;
    activity_.events_waiting.store(static_cast<uint32_t>(events), std::memory_order_relaxed);
    RunCompletions();
    metrics_.events += remote_impl_->RunQueued(*this);
    const bool more = backend_->Dispatch();
    activity_.events_waiting.store(0, std::memory_order_relaxed);
    if (!more || stop_) break;
    timeout_ms = 0;
  }
}

void Loop::RunCompletions() {
  base::IntrusiveList<Completion> batch;
  batch.Append(completions_);
  while (Completion* completion = batch.PopFront()) {
    ++metrics_.events;
    completion->Complete();
  }
}

void Loop::CompleteSoon(Completion* completion) {
  if (!completion->IsLinked()) completions_.PushBack(completion);
}

void Loop::RunClosing() {
  if (closing_.IsEmpty()) return;
  EnterPhase(Phase::kClosing);
  base::IntrusiveList<Handle> batch;
  batch.Append(closing_);
  while (Handle* handle = batch.PopFront()) {
    if (handle->HasKernelOps()) {
      // The kernel still refers to its memory: try again next turn.
      closing_.PushBack(handle);
      continue;
    }
    handle->FinishClose();
  }
}

void Loop::QueueClosing(Handle* handle) { closing_.PushBack(handle); }

void Loop::SetImmediateHook(base::UniqueFunction<void()> hook) { immediate_hook_ = std::move(hook); }
void Loop::SetIdleHook(base::UniqueFunction<void()> hook) { idle_hook_ = std::move(hook); }
void Loop::SetPrepareHook(base::UniqueFunction<void()> hook) { prepare_hook_ = std::move(hook); }
void Loop::SetCheckHook(base::UniqueFunction<void()> hook) { check_hook_ = std::move(hook); }

void Loop::SetJsTimerHook(base::UniqueFunction<void()> hook) {
  js_timer_hook_ = std::move(hook);
  if (js_timer_ == nullptr) {
    js_timer_ = TimerHandle::Create(*this, [this] {
      if (js_timer_hook_) js_timer_hook_();
    });
  }
}

void Loop::ScheduleJsTimer(uint64_t delay_ms) {
  CHECK(js_timer_ != nullptr);
  js_timer_->Start(delay_ms);
}

void Loop::StopJsTimer() {
  if (js_timer_ != nullptr) js_timer_->Stop();
}

void Loop::RefJsTimer() {
  if (js_timer_ != nullptr) js_timer_->Ref();
}

void Loop::UnrefJsTimer() {
  if (js_timer_ != nullptr) js_timer_->Unref();
}

void Loop::Post(base::UniqueFunction<void()> fn) { remote_->Post(std::move(fn)); }

LoopMetrics Loop::metrics() const { return metrics_; }

const char* Loop::backend_name() const {
  if (kind_ == BackendKind::kAuto && files_ != nullptr) return "epoll+uring";
  return backend_->name();
}

int Loop::backend_fd() const { return backend_->fd(); }

void Loop::ForEachHandle(base::UniqueFunction<void(Handle&)> visit) {
  for (Handle* handle = handles_.Front(); handle != nullptr; handle = handles_.Next(handle)) visit(*handle);
}

std::span<uint8_t> Loop::SharedReadBuffer() {
  // Not touched until read into: untouched pages cost nothing.
  if (read_buffer_ == nullptr) read_buffer_ = std::make_unique_for_overwrite<uint8_t[]>(kReadBufferSize);
  return {read_buffer_.get(), kReadBufferSize};
}

std::unique_ptr<uint8_t[]> Loop::TakeSharedReadBuffer(std::span<const uint8_t> data) {
  if (data.data() != read_buffer_.get()) return nullptr;
  return std::move(read_buffer_);
}

UringFiles* Loop::files() {
  if (!files_probed_) {
    files_probed_ = true;
    if (kind_ == BackendKind::kUring || kind_ == BackendKind::kAuto) files_ = UringFiles::Create(*this);
  }
  return files_.get();
}

}  // namespace gyre::loop
