// PollHandle: readiness of a descriptor that somebody else owns (libuv's uv_poll; c-ares, inspector sockets).
// Thread: the loop's. Close() or Stop() before closing the descriptor.
#ifndef GYRE_LOOP_POLL_H_
#define GYRE_LOOP_POLL_H_

#include "base/result.h"
#include "loop/fd_watcher.h"
#include "loop/handle.h"

namespace gyre::loop {

class PollHandle final : public Handle {
 public:
  // `callback` gets the events that are ready (kReadable, kWritable, kPriority, kPeerHangUp, kError, kHangUp).
  using ReadyCallback = base::UniqueFunction<void(uint32_t events)>;
  static HandlePtr<PollHandle> Create(Loop& loop, int fd, ReadyCallback callback);

  // EPERM for a descriptor that cannot be polled (a regular file).
  Result<void> Start(uint32_t events);
  void Stop();
  HandleFacts Describe() const override { return {.type = "poll", .fd = watcher_.fd()}; }

 private:
  PollHandle(Loop& loop, int fd, ReadyCallback callback);
  ~PollHandle() override;
  void OnClose() override;
  FdWatcher watcher_;
  ReadyCallback callback_;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_POLL_H_
