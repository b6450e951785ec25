// Handle: the base of what owns a kernel resource and lives on a loop: sockets, timers, watchers, ...
// Thread: the loop's thread only.
// Owner: a HandlePtr<T> (a unique_ptr). Dropping it closes the handle; the memory stays until the loop's closing
// phase, so a handle may be dropped from inside any of its own callbacks.
// Invariants: after Close() no callback runs but the close callback; operations in flight end with ECANCELED
// in the closing phase, before the close callback.
#ifndef GYRE_LOOP_HANDLE_H_
#define GYRE_LOOP_HANDLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/intrusive_list.h"
#include "base/unique_function.h"

namespace gyre::loop {

class Loop;

using CloseCallback = base::UniqueFunction<void()>;

// What a handle is, for diagnostic reports. Only the fields that `type` calls for are set.
struct HandleFacts {
  const char* type = "unknown";  // libuv's names: "tcp", "pipe", "timer", ...
  int fd = -1;
  int number = 0;    // the process's id, the signal's number
  std::string path;  // what is watched
  uint64_t due_ms = 0;
  uint64_t repeat_ms = 0;
  size_t queued_bytes = 0;
  size_t queued_count = 0;
  bool readable = false;
  bool writable = false;
};

class Handle : public base::ListNode<Handle> {
 public:
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Valid while the loop lives. A handle outliving its loop is closed and only waits to be deleted.
  Loop& loop() const { return *loop_; }

  // Active: it waits for something (a started timer, a reading stream). Only handles that are active and
  // referenced keep the loop alive.
  bool IsActive() const { return active_; }
  bool HasRef() const { return ref_; }
  void Ref();
  void Unref();

  // Closing or closed.
  bool IsClosing() const { return state_ != State::kOpen; }
  bool IsClosed() const { return state_ == State::kClosed; }

  // Releases the kernel resource now; `callback` runs in the loop's closing phase. Closing twice drops the
  // second callback. Dropping the HandlePtr afterwards keeps the callback, which then must not refer to the
  // dropping owner.
  void Close(CloseCallback callback = {});

  virtual HandleFacts Describe() const = 0;

  // For HandlePtr: the owner gives the handle up. Closes it if open; the loop deletes it.
  void Orphan();

 protected:
  explicit Handle(Loop& loop);
  virtual ~Handle();

  // Closing, first half: stop watching, release descriptors. Runs inside Close().
  virtual void OnClose() = 0;
  // Closing, second half, in the closing phase: end operations in flight with ECANCELED.
  virtual void OnClosed() {}

  // True while the kernel refers to memory of this handle (ring operations): closing waits for it.
  virtual bool HasKernelOps() const { return false; }

  void SetActive(bool active);  // NOLINT: a property setter, not a mode

 private:
  friend class Loop;
  enum class State : unsigned char { kOpen, kClosing, kClosed };
  void FinishClose();

  Loop* loop_;
  State state_ = State::kOpen;
  bool active_ = false;
  bool ref_ = true;
  bool orphan_ = false;
  CloseCallback close_callback_;
};

struct HandleDeleter {
  void operator()(Handle* handle) const { handle->Orphan(); }
};

// The owner of a handle.
template <class T>
using HandlePtr = std::unique_ptr<T, HandleDeleter>;

}  // namespace gyre::loop

#endif  // GYRE_LOOP_HANDLE_H_
