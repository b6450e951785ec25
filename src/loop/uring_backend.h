// UringBackend: see backend.h. Its ring also carries file operations (uring_files.cc).
// Thread: the loop's, except Wake().
#ifndef GYRE_LOOP_URING_BACKEND_H_
#define GYRE_LOOP_URING_BACKEND_H_

#include <memory>
#include <vector>

#include "base/owned_fd.h"
#include "loop/backend.h"
#include "loop/uring_ring.h"

namespace gyre::loop {

class UringBackend final : public Backend {
 public:
  UringBackend(Loop& loop, std::unique_ptr<UringRing> ring, base::OwnedFd wake);
  ~UringBackend() override;

  const char* name() const override { return "uring"; }
  int fd() const override { return ring_->fd(); }
  uint64_t Now() const override;
  size_t Wait(int64_t timeout_ms) override;
  bool Dispatch() override;
  void Wake() override;
  void Forget(FdWatcher& watcher) override;
  Result<void> CheckPollable(int fd) override;
  UringStreams* streams() override;
  UringRing* ring() override { return ring_.get(); }

 private:
  class PollOp;
  void Apply(FdWatcher& watcher);
  void Detach(FdWatcher& watcher);
  void DrainWake();
  PollOp* TakePollOp();

  Loop& loop_;
  std::unique_ptr<UringRing> ring_;
  base::OwnedFd wake_;
  std::vector<std::unique_ptr<PollOp>> all_polls_;
  std::vector<PollOp*> free_polls_;
  FdWatcher wake_watcher_;
  bool streams_probed_ = false;
  std::unique_ptr<UringStreams> streams_;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_URING_BACKEND_H_
