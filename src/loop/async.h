// AsyncHandle: wakes a loop from any thread. Sends before the callback ran coalesce into one call. Active from the
// start: it keeps the loop alive until closed or Unref()'d.
// Thread: the loop's; Send() and Sender from any thread.
#ifndef GYRE_LOOP_ASYNC_H_
#define GYRE_LOOP_ASYNC_H_

#include <memory>

#include "loop/handle.h"

namespace gyre::loop {

// The sending half; outlives the handle, after which Send() does nothing.
class AsyncSender {
 public:
  virtual ~AsyncSender() = default;
  virtual void Send() = 0;
};

class AsyncHandle final : public Handle {
 public:
  static HandlePtr<AsyncHandle> Create(Loop& loop, base::UniqueFunction<void()> callback);
  void Send() { sender_->Send(); }
  std::shared_ptr<AsyncSender> sender() const { return sender_; }
  HandleFacts Describe() const override { return {.type = "async"}; }

 private:
  class SenderImpl;
  AsyncHandle(Loop& loop, base::UniqueFunction<void()> callback);
  ~AsyncHandle() override;
  void OnClose() override;

  base::UniqueFunction<void()> callback_;
  std::shared_ptr<AsyncSender> sender_;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_ASYNC_H_
