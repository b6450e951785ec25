#include "loop/fd_watcher.h"

#include "base/check.h"
#include "loop/backend.h"

namespace gyre::loop {

void FdWatcher::Want(uint32_t events) {
  if (wanted_ == events) return;
  DCHECK(fd_ >= 0);
  wanted_ = events;
  backend_.QueueChange(*this);
}

void FdWatcher::Stop() {
  wanted_ = 0;
  Unlink();
  // Unarmed ones are unknown to the backend, which may be gone when a closed handle is deleted late.
  if (armed_ != 0) backend_.Forget(*this);
}

}  // namespace gyre::loop
