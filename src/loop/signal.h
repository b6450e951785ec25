// SignalHandle: runs a function in the poll phase when the process gets a signal. Several handles, on several loops,
// may watch the same one; all are called. The last handle to stop restores the default action.
// Thread: the loop's.
#ifndef GYRE_LOOP_SIGNAL_H_
#define GYRE_LOOP_SIGNAL_H_

#include "base/result.h"
#include "loop/handle.h"

namespace gyre::loop {

class SignalWatch;

class SignalHandle final : public Handle {
 public:
  using SignalCallback = base::UniqueFunction<void(int signum)>;
  static HandlePtr<SignalHandle> Create(Loop& loop, SignalCallback callback);

  // EINVAL for signals that cannot be caught (SIGKILL, SIGSTOP) or do not exist.
  Result<void> Start(int signum);
  // The handle stops after one delivery.
  Result<void> StartOneShot(int signum);
  void Stop();
  int signum() const { return signum_; }
  HandleFacts Describe() const override { return {.type = "signal", .number = signum_}; }

 private:
  friend class SignalWatch;
  SignalHandle(Loop& loop, SignalCallback callback);
  ~SignalHandle() override;
  void OnClose() override;
  Result<void> StartImpl(int signum, bool one_shot);  // NOLINT
  void Deliver();

  SignalCallback callback_;
  int signum_ = 0;
  bool one_shot_ = false;
};

// Sets SIGPIPE to be ignored, as every program here wants writes to fail with EPIPE. Called at process start.
void IgnoreSigpipe();

}  // namespace gyre::loop

#endif  // GYRE_LOOP_SIGNAL_H_
