// UringFiles: carries file operations through io_uring. One a loop, made when the first operation needs it.
// Thread: the loop's. Owner: the Loop. Invariant: a job in the ring is owned by it until its completion arrived.
#ifndef GYRE_LOOP_URING_FILES_H_
#define GYRE_LOOP_URING_FILES_H_

#include <memory>

#include "loop/fs_job.h"
#include "loop/loop.h"

namespace gyre::loop {

class UringFiles {
 public:
  // Null where io_uring is refused or lacks the file operations.
  static std::unique_ptr<UringFiles> Create(Loop& loop);
  virtual ~UringFiles() = default;
  // kQueued: not before the kernel's threads get to it, behind what they got before.
  enum class Start : uint8_t { kAtOnce, kQueued };
  // Takes a job and hands it to the kernel. One that the ring does not know goes on to the lane when its turn has come.
  virtual void Submit(std::unique_ptr<fs::FileJob> job, Start start) = 0;
  // Asks the kernel to cancel; true if the job was found.
  virtual bool Cancel(fs::OpId id) = 0;
  virtual void CancelAll() = 0;
  // Hands what is still to be told to the kernel (where the ring is not the backend's own). Before each wait.
  virtual void Flush() = 0;
  // Takes completions without reporting them (teardown).
  virtual void Drain() = 0;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_URING_FILES_H_
