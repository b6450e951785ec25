#include "loop/async.h"

#include <atomic>
#include <mutex>

#include "loop/loop.h"

namespace gyre::loop {

class AsyncHandle::SenderImpl final : public AsyncSender, public std::enable_shared_from_this<AsyncHandle::SenderImpl> {
 public:
  SenderImpl(AsyncHandle* handle, std::shared_ptr<LoopRemote> remote) : handle_(handle), remote_(std::move(remote)) {}

  void Send() override {
    if (sent_.exchange(true, std::memory_order_acq_rel)) return;
    remote_->Post([self = shared_from_this()] { self->Receive(); });
  }

  // Thread: the loop's.
  void Disconnect() { handle_ = nullptr; }

 private:
  void Receive() {
    sent_.store(false, std::memory_order_release);
    if (handle_ != nullptr) handle_->callback_();
  }

  std::atomic<bool> sent_{false};
  AsyncHandle* handle_;  // only the loop's thread reads it
  std::shared_ptr<LoopRemote> remote_;
};

HandlePtr<AsyncHandle> AsyncHandle::Create(Loop& loop, base::UniqueFunction<void()> callback) {
  return HandlePtr<AsyncHandle>(new AsyncHandle(loop, std::move(callback)));
}

AsyncHandle::AsyncHandle(Loop& loop, base::UniqueFunction<void()> callback)
    : Handle(loop), callback_(std::move(callback)), sender_(std::make_shared<SenderImpl>(this, loop.remote())) {
  SetActive(true);
}

AsyncHandle::~AsyncHandle() = default;

void AsyncHandle::OnClose() { static_cast<SenderImpl*>(sender_.get())->Disconnect(); }

}  // namespace gyre::loop
