#include "loop/poll.h"

#include "loop/backend.h"

namespace gyre::loop {

HandlePtr<PollHandle> PollHandle::Create(Loop& loop, int fd, ReadyCallback callback) {
  return HandlePtr<PollHandle>(new PollHandle(loop, fd, std::move(callback)));
}

PollHandle::PollHandle(Loop& loop, int fd, ReadyCallback callback)
    : Handle(loop),
      watcher_(loop.backend(), this,
               [](void* self, uint32_t events) { static_cast<PollHandle*>(self)->callback_(events); }),
      callback_(std::move(callback)) {
  watcher_.SetFd(fd);
}

PollHandle::~PollHandle() = default;

Result<void> PollHandle::Start(uint32_t events) {
  if (IsClosing()) return Err(EINVAL, "poll");
  if (watcher_.wanted() == 0) {
    if (Result<void> can = loop().backend().CheckPollable(watcher_.fd()); !can) return can;
  }
  watcher_.Want(events);
  SetActive(events != 0);
  return {};
}

void PollHandle::Stop() {
  watcher_.Stop();
  SetActive(false);
}

void PollHandle::OnClose() { watcher_.Stop(); }

}  // namespace gyre::loop
