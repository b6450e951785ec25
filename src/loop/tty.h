// TtyHandle: terminals as streams, with raw mode and window size. GuessHandle tells what a descriptor is.
// Thread: the loop's; ResetTtyMode from any, also from a signal handler.
#ifndef GYRE_LOOP_TTY_H_
#define GYRE_LOOP_TTY_H_

#include "loop/stream.h"

namespace gyre::loop {

enum class HandleGuess : uint8_t { kUnknown, kFile, kPipe, kTcp, kUdp, kTty };
HandleGuess GuessHandle(int fd);

class TtyHandle final : public StreamHandle {
 public:
  static HandlePtr<TtyHandle> Create(Loop& loop);
  // Borrows `fd` (0, 1, 2, ...): the terminal is reopened where possible, so that non-blocking mode does not leak to
  // programs sharing it. ENOTTY-like EINVAL if it is no terminal.
  Result<void> Open(int fd);

  enum class Mode : uint8_t { kNormal, kRaw, kIo };
  Result<void> SetMode(Mode mode);
  struct Size {
    int columns = 0;
    int rows = 0;
  };
  Result<Size> GetWindowSize() const;

 private:
  explicit TtyHandle(Loop& loop);
  ~TtyHandle() override;
  Mode mode_ = Mode::kNormal;
};

// Restores the mode that the terminal had before the first SetMode(). Call it at process exit.
void ResetTtyMode();

}  // namespace gyre::loop

#endif  // GYRE_LOOP_TTY_H_
