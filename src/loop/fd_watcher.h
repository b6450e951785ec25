// FdWatcher: readiness of one descriptor, the primitive under streams, sockets and watchers. Interest changes are
// gathered and reach the kernel once, before the next poll.
// Thread: the loop's. Owner: the handle that embeds it. Invariant: Stop() precedes closing the descriptor.
#ifndef GYRE_LOOP_FD_WATCHER_H_
#define GYRE_LOOP_FD_WATCHER_H_

#include <cstdint>

#include "base/intrusive_list.h"

namespace gyre::loop {

class Backend;

// Same values as EPOLLIN and friends. kError and kHangUp are always reported.
inline constexpr uint32_t kReadable = 0x001;
inline constexpr uint32_t kPriority = 0x002;
inline constexpr uint32_t kWritable = 0x004;
inline constexpr uint32_t kError = 0x008;
inline constexpr uint32_t kHangUp = 0x010;
inline constexpr uint32_t kPeerHangUp = 0x2000;

class FdWatcher : public base::ListNode<FdWatcher> {
 public:
  using ReadyFunction = void (*)(void* owner, uint32_t events);
  FdWatcher(Backend& backend, void* owner, ReadyFunction ready) : backend_(backend), owner_(owner), ready_(ready) {}
  ~FdWatcher() { Stop(); }

  int fd() const { return fd_; }
  void SetFd(int fd) { fd_ = fd; }
  uint32_t wanted() const { return wanted_; }

  // Level-triggered interest; 0 ends it.
  void Want(uint32_t events);
  void Add(uint32_t events) { Want(wanted_ | events); }
  void Remove(uint32_t events) { Want(wanted_ & ~events); }
  // Ends watching now: no further call, the descriptor may be closed.
  void Stop();

  // For backends.
  void Dispatch(uint32_t events) { ready_(owner_, events); }
  uint32_t armed() const { return armed_; }
  void set_armed(uint32_t events) { armed_ = events; }
  // It waits for other threads, processes or signals: sim then waits in real time.
  bool waits_for_outside() const { return waits_for_outside_; }
  void set_waits_for_outside() { waits_for_outside_ = true; }
  void* backend_data() const { return backend_data_; }
  void set_backend_data(void* data) { backend_data_ = data; }

 private:
  Backend& backend_;
  void* owner_;
  ReadyFunction ready_;
  int fd_ = -1;
  bool waits_for_outside_ = false;
  uint32_t wanted_ = 0;
  uint32_t armed_ = 0;            // what the kernel was told
  void* backend_data_ = nullptr;  // the backend's operation in flight
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_FD_WATCHER_H_
