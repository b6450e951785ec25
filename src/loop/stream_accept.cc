#include "loop/stream_accept.h"

#include <fcntl.h>

#include <cerrno>

#include "loop/backend.h"
#include "loop/loop.h"
#include "loop/uring_streams.h"
#include "sys/sockets.h"

namespace gyre::loop {
namespace {

constexpr int kAcceptBatch = 64;
constexpr uint64_t kPauseMs = 100;

base::OwnedFd OpenReserve() { return base::OwnedFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// accept(2): errors that concern only the connection that was lost.
bool IsPeersFault(int error) {
  switch (error) {
    case ECONNABORTED:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EPERM:
    case ECONNRESET:
      return true;
    default:
      return false;
  }
}

bool IsExhaustion(int error) { return error == EMFILE || error == ENFILE; }

}  // namespace

Result<void> StreamHandle::Listen(int backlog, ListenObserver* observer) {
  if (IsClosing() || watcher_.fd() < 0) return Err(EINVAL, "listen");
  if (Result<void> listening = sys::Listen(watcher_.fd(), backlog); !listening) return listening;
  listen_observer_ = observer;
  listening_ = true;
  if (accept_guard_ == nullptr) {
    accept_guard_ = std::make_unique<AcceptGuard>();
    accept_guard_->reserve = OpenReserve();
  }
  UpdateActive();
  StartAccepting();
  return {};
}

void StreamHandle::StartAccepting() {
  if (UringStreams* streams = loop().backend().streams()) {
    streams->StartAccept(*this);
  } else {
    watcher_.Want(kReadable);
  }
}

bool StreamHandle::IsAcceptingPaused() const {
  return accept_guard_->pause != nullptr && accept_guard_->pause->IsActive();
}

void StreamHandle::OnAcceptReady() {
  for (int i = 0; i < kAcceptBatch && listening_; ++i) {
    Result<base::OwnedFd> accepted = sys::Accept(watcher_.fd());
    const int error = accepted ? 0 : accepted.error().err;
    if (error == EAGAIN || error == EWOULDBLOCK) return;
    OnAccepted(accepted ? std::move(*accepted) : base::OwnedFd(), error);
    if (error != 0 && !IsPeersFault(error)) return;
  }
}

void StreamHandle::OnAccepted(base::OwnedFd fd, int error) {
  if (error == 0) {
    accept_error_reported_ = false;
    listen_observer_->OnConnection(*this, std::move(fd));
    return;
  }
  if (IsPeersFault(error) || error == EAGAIN || error == EINTR || error == ECANCELED) return;
  HandleAcceptError(Error{.err = error, .syscall = "accept"});
}

void StreamHandle::HandleAcceptError(const Error& error) {
  if (IsExhaustion(error.err)) {
    TurnAwayPeers();
  } else {
    PauseAccepting();
  }
  if (accept_error_reported_) return;
  accept_error_reported_ = true;
  listen_observer_->OnAcceptError(*this, error);
}

void StreamHandle::TurnAwayPeers() {
  AcceptGuard& guard = *accept_guard_;
  if (!guard.reserve) {
    PauseAccepting();
    return;
  }
  guard.reserve.Reset();
  int error = 0;
  // A flood of peers gets no more than its share of a turn.
  for (int i = 0; error == 0 && i < 16 * kAcceptBatch; ++i) {
    // Accepted and closed at once: the peer sees the end instead of waiting.
    Result<base::OwnedFd> accepted = sys::Accept(watcher_.fd());
    if (!accepted && !IsPeersFault(accepted.error().err)) error = accepted.error().err;
  }
  guard.reserve = OpenReserve();
  // Another thread took the reserve, or the system's table is full. And the ring takes a descriptor before it looks for
  // a peer: its accept would fail again at once, with nobody there.
  if (!guard.reserve || IsExhaustion(error) || loop().backend().streams() != nullptr) PauseAccepting();
}

void StreamHandle::PauseAccepting() {
  watcher_.Want(0);
  if (uring_ != nullptr) loop().backend().streams()->StopAccept(*this);
  AcceptGuard& guard = *accept_guard_;
  if (guard.pause == nullptr) {
    guard.pause = TimerHandle::Create(loop(), [this] { ResumeAccepting(); });
    guard.pause->Unref();
  }
  guard.pause->Start(kPauseMs);
}

void StreamHandle::ResumeAccepting() {
  if (!listening_) return;
  if (!accept_guard_->reserve) accept_guard_->reserve = OpenReserve();
  StartAccepting();
}

}  // namespace gyre::loop
