// StreamHandle::AcceptGuard: keeps a listener going when descriptors run out (docs/loop.md 4.5).
// Thread: the loop's. Owner: the listening StreamHandle.
#ifndef GYRE_LOOP_STREAM_ACCEPT_H_
#define GYRE_LOOP_STREAM_ACCEPT_H_

#include "base/owned_fd.h"
#include "loop/stream.h"
#include "loop/timer.h"

namespace gyre::loop {

struct StreamHandle::AcceptGuard {
  // Given up for a moment so that a waiting peer can be accepted and turned away.
  base::OwnedFd reserve;
  HandlePtr<TimerHandle> pause;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_STREAM_ACCEPT_H_
