#include "modules/child_process/spawn_sync.h"

#include <cerrno>
#include <csignal>
#include <cmath>
#include <memory>
#include <optional>

#include "loop/loop.h"
#include "loop/pipe.h"
#include "loop/process.h"
#include "loop/timer.h"
#include "modules/child_process/spawn_options.h"

namespace gyre::modules {

namespace {

struct Limits {
  double timeout_ms = 0;
  double max_buffer = 0;  // 0: none
  int kill_signal = SIGTERM;
};

class SyncRun;

/// This process's end of one of the child's pipes.
class SyncPipe final : public loop::StreamObserver {
 public:
  SyncPipe(SyncRun& run, loop::Loop& loop) : run_(run), pipe_(loop::PipeHandle::Create(loop)) {}

  /// Feeds `input` and closes that half; reads what comes.
  void Start(base::OwnedFd fd, std::optional<PinnedBuffer> input, bool reads);
  void Close() {
    if (pipe_ != nullptr && !pipe_->IsClosing()) pipe_->Close();
  }
  const std::vector<uint8_t>& output() const { return output_; }
  bool reads() const { return reads_; }

 private:
  class Input;
  void OnData(loop::StreamHandle& stream, std::span<const uint8_t> data) override;
  void OnEnd(loop::StreamHandle&) override { OnReadEnded(); }
  void OnReadError(loop::StreamHandle&, const Error&) override { OnReadEnded(); }
  /// Input under way is to fail by itself, so that its failure is told.
  void OnReadEnded() {
    read_ended_ = true;
    if (!writing_) Close();
  }

  SyncRun& run_;
  loop::HandlePtr<loop::PipeHandle> pipe_;
  std::vector<uint8_t> output_;
  bool reads_ = false;
  bool writing_ = false;
  bool read_ended_ = false;
};

/// One child from its start to its end.
class SyncRun {
 public:
  SyncRun(loop::Loop& loop, const Limits& limits) : loop_(loop), limits_(limits) {}

  int Start(const loop::SpawnOptions& options, std::vector<std::optional<PinnedBuffer>> inputs);
  void Wait() { loop_.Run(); }

  void Fail(int error) {
    if (error_ == 0) error_ = error;
    Kill();
  }
  /// A failure that does not end the child; the first one counts.
  void Note(int error) {
    if (error_ == 0) error_ = error;
  }
  const Limits& limits() const { return limits_; }
  int error() const { return error_; }
  pid_t pid() const { return pid_; }
  const std::optional<loop::ProcessExit>& exit() const { return exit_; }
  const std::vector<std::unique_ptr<SyncPipe>>& pipes() const { return pipes_; }

 private:
  void OnExit(loop::ProcessExit exit);
  /// Ends the child; nobody waits for pipes that its own children may hold open.
  void Kill();

  loop::Loop& loop_;
  Limits limits_;
  int error_ = 0;
  bool killed_ = false;
  pid_t pid_ = 0;
  std::optional<loop::ProcessExit> exit_;
  loop::HandlePtr<loop::ProcessHandle> process_;
  loop::HandlePtr<loop::TimerHandle> timer_;
  std::vector<std::unique_ptr<SyncPipe>> pipes_;
};

class SyncPipe::Input final : public loop::WriteOp {
 public:
  Input(SyncPipe& pipe, PinnedBuffer bytes) : pipe_(pipe), bytes_(std::move(bytes)) {
    AddBuffer(bytes_.data(), bytes_.size());
  }
  void OnDone(Result<void> result) override {
    // The child did not read it all.
    if (!result.has_value() && result.error().err != ECANCELED) pipe_.run_.Note(-result.error().err);
    pipe_.writing_ = false;
    if (pipe_.read_ended_ || !result.has_value()) return pipe_.Close();
    loop::PipeHandle* pipe = pipe_.pipe_.get();
    if (pipe != nullptr && !pipe->IsClosing()) pipe->Shutdown([](Result<void>) {});
  }

 private:
  SyncPipe& pipe_;
  PinnedBuffer bytes_;
};

void SyncPipe::Start(base::OwnedFd fd, std::optional<PinnedBuffer> input, bool reads) {
  reads_ = reads;
  if (!pipe_->Open(std::move(fd)).has_value()) return Close();
  if (input.has_value()) {
    writing_ = true;
    pipe_->Write(std::make_unique<Input>(*this, std::move(*input)));
  } else {
    pipe_->Shutdown([](Result<void>) {});
  }
  // Also the input's end is read, so that its closing by the child is seen.
  (void)pipe_->ReadStart(this);
}

void SyncPipe::OnData(loop::StreamHandle&, std::span<const uint8_t> data) {
  if (!reads_) return;
  // What came with the byte that was too much is kept, as Node does.
  output_.insert(output_.end(), data.begin(), data.end());
  double limit = run_.limits().max_buffer;
  if (limit > 0 && static_cast<double>(output_.size()) > limit) run_.Fail(-ENOBUFS);
}

int SyncRun::Start(const loop::SpawnOptions& options, std::vector<std::optional<PinnedBuffer>> inputs) {
  auto spawned = loop::ProcessHandle::Spawn(loop_, options, [this](loop::ProcessExit exit) { OnExit(exit); });
  pipes_.resize(options.stdio.size());
  if (!spawned.has_value()) return -spawned.error().err;
  process_ = std::move(spawned->process);
  pid_ = process_->pid();
  for (size_t i = 0; i < pipes_.size(); i++) {
    if (i >= spawned->pipes.size() || !spawned->pipes[i].IsValid()) continue;
    pipes_[i] = std::make_unique<SyncPipe>(*this, loop_);
    pipes_[i]->Start(std::move(spawned->pipes[i]), std::move(inputs[i]), i > 0);
  }
  if (limits_.timeout_ms > 0) {
    timer_ = loop::TimerHandle::Create(loop_, [this] { Fail(-ETIMEDOUT); });
    timer_->Start(static_cast<uint64_t>(limits_.timeout_ms));
    timer_->Unref();
  }
  return 0;
}

void SyncRun::Kill() {
  if (killed_) return;
  killed_ = true;
  if (process_ != nullptr && !exit_.has_value() && !process_->Kill(limits_.kill_signal).has_value()) {
    (void)process_->Kill(SIGKILL);
  }
  for (auto& pipe : pipes_) {
    if (pipe != nullptr) pipe->Close();
  }
}

void SyncRun::OnExit(loop::ProcessExit exit) {
  exit_ = exit;
  process_->Close();
}

// --- in and out of JavaScript -----------------------------------------------------------------------------------

bool ReadNumber(Js& js, v8::Local<v8::Object> options, const char* key, double& out) {
  v8::Local<v8::Value> value;
  if (!js.Get(options, key).ToLocal(&value)) return false;
  if (value->IsNumber()) out = value.As<v8::Number>()->Value();
  return true;
}

bool ReadLimits(Js& js, v8::Local<v8::Object> options, Limits& limits) {
  double signal = SIGTERM;
  if (!ReadNumber(js, options, "timeout", limits.timeout_ms) ||
      !ReadNumber(js, options, "maxBuffer", limits.max_buffer) || !ReadNumber(js, options, "killSignal", signal)) {
    return false;
  }
  limits.kill_signal = signal == 0 ? SIGTERM : static_cast<int>(signal);
  return true;
}

bool ReadInputs(Js& js, v8::Local<v8::Object> options, size_t count,
                std::vector<std::optional<PinnedBuffer>>& inputs) {
  for (uint32_t i = 0; i < count; i++) {
    v8::Local<v8::Object> entry;
    v8::Local<v8::Value> input;
    if (!StdioEntry(js, options, i).ToLocal(&entry) || !js.Get(entry, "input").ToLocal(&input)) return false;
    inputs.push_back(PinnedBuffer::From(input));
  }
  return true;
}

v8::Local<v8::Value> OutputOf(Js& js, const SyncRun& run) {
  v8::Local<v8::Array> output = v8::Array::New(js.isolate, static_cast<int>(run.pipes().size()));
  for (uint32_t i = 0; i < run.pipes().size(); i++) {
    const auto& pipe = run.pipes()[i];
    v8::Local<v8::Value> value = js.Null();
    v8::Local<v8::Object> buffer;
    if (pipe != nullptr && pipe->reads() && MakeBuffer(js, pipe->output()).ToLocal(&buffer)) value = buffer;
    if (!js.Set(output, i, value)) break;
  }
  return output;
}

v8::Local<v8::Value> ResultOf(Js& js, const SyncRun& run, int error) {
  v8::Local<v8::Object> result = js.Object();
  const auto& exit = run.exit();
  bool signalled = exit.has_value() && exit->signal != 0;
  js.Set(result, "pid", js.Int(run.pid()));
  js.Set(result, "status",
         exit.has_value() && !signalled ? v8::Local<v8::Value>(js.Num(static_cast<double>(exit->status))) : js.Null());
  js.Set(result, "signal", signalled ? v8::Local<v8::Value>(js.Str(SignalName(exit->signal))) : js.Null());
  js.Set(result, "output", run.pid() != 0 ? OutputOf(js, run) : js.Null());
  if (error != 0) js.Set(result, "error", js.Int(error));
  return result;
}

v8::Local<v8::Value> NotBegun(Js& js, int error) {
  v8::Local<v8::Object> result = js.Object();
  js.Set(result, "pid", js.Int(0));
  for (const char* name : {"status", "signal", "output"}) js.Set(result, name, js.Null());
  js.Set(result, "error", js.Int(error));
  return result;
}

}  // namespace

void SpawnSync(const Info& info) {
  Js js(info);
  if (!info[0]->IsObject()) return js.ThrowTypeError("spawnSync takes an object");
  v8::Local<v8::Object> object = info[0].As<v8::Object>();
  std::optional<loop::SpawnOptions> options = ReadSpawnOptions(js, object);
  Limits limits;
  std::vector<std::optional<PinnedBuffer>> inputs;
  if (!options.has_value() || !ReadLimits(js, object, limits) ||
      !ReadInputs(js, object, options->stdio.size(), inputs)) {
    return;
  }
  Result<std::unique_ptr<loop::Loop>> loop = loop::Loop::Create({.backend = loop::BackendKind::kEpoll});
  if (!loop.has_value()) return info.GetReturnValue().Set(NotBegun(js, -loop.error().err));
  // The run's handles close before their loop does.
  auto run = std::make_unique<SyncRun>(**loop, limits);
  int error = run->Start(*options, std::move(inputs));
  if (error == 0) {
    run->Wait();
    error = run->error();
  }
  info.GetReturnValue().Set(ResultOf(js, *run, error));
  run.reset();
}

}  // namespace gyre::modules
