#include "loop/handle.h"

#include "base/check.h"
#include "loop/loop.h"

namespace gyre::loop {

Handle::Handle(Loop& loop) : loop_(&loop) { loop.handles_.PushBack(this); }

Handle::~Handle() { DCHECK(state_ == State::kClosed); }

void Handle::Ref() {
  if (ref_) return;
  ref_ = true;
  if (active_) ++loop_->active_handles_;
}

void Handle::Unref() {
  if (!ref_) return;
  ref_ = false;
  if (active_) --loop_->active_handles_;
}

void Handle::SetActive(bool active) {
  if (active_ == active) return;
  active_ = active;
  if (!ref_) return;
  if (active) {
    ++loop_->active_handles_;
  } else {
    --loop_->active_handles_;
  }
}

void Handle::Close(CloseCallback callback) {
  if (state_ != State::kOpen) return;
  state_ = State::kClosing;
  close_callback_ = std::move(callback);
  OnClose();
  SetActive(false);
  loop_->QueueClosing(this);
}

void Handle::Orphan() {
  if (state_ == State::kClosed) {
    delete this;
    return;
  }
  orphan_ = true;
  Close();
}

void Handle::FinishClose() {
  OnClosed();
  if (close_callback_) {
    CloseCallback callback = std::move(close_callback_);
    callback();
  }
  state_ = State::kClosed;
  if (orphan_) delete this;
}

}  // namespace gyre::loop
