#include "loop/signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "base/check.h"
#include "loop/backend.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

std::atomic<SignalMailbox*> g_mailboxes{nullptr};

// Guards the number of watchers of each signal in the process and the installed actions.
std::mutex& RegistryMutex() {
  static auto* mutex = new std::mutex();
  return *mutex;
}
std::array<int, kSignalLimit> g_watchers{};
std::array<struct sigaction, kSignalLimit> g_old_actions{};

// Async-signal-safe: atomics and write(2) only.
void OnSignal(int signum) {
  const int saved = errno;
  for (SignalMailbox* box = g_mailboxes.load(std::memory_order_acquire); box != nullptr; box = box->next) {
    if (box->wanted[signum].load(std::memory_order_acquire) == 0) continue;
    box->counts[signum].fetch_add(1, std::memory_order_acq_rel);
    const int fd = box->wake_fd.load(std::memory_order_acquire);
    const uint64_t one = 1;
    if (fd >= 0) [[maybe_unused]]
      const ssize_t written = ::write(fd, &one, sizeof(one));
  }
  errno = saved;
}

Result<void> Install(int signum) {
  std::lock_guard lock(RegistryMutex());
  if (g_watchers[signum]++ > 0) return {};
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  if (::sigaction(signum, &action, &g_old_actions[signum]) == -1) {
    --g_watchers[signum];
    return base::ErrFromErrno("uv_signal_start");
  }
  return {};
}

void Uninstall(int signum) {
  std::lock_guard lock(RegistryMutex());
  if (--g_watchers[signum] > 0) return;
  // Ignored at start (SIGPIPE) stays ignored; everything else gets the default action, as on libuv.
  struct sigaction action = {};
  action.sa_handler = g_old_actions[signum].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL;
  ::sigaction(signum, &action, nullptr);
}

SignalMailbox* TakeMailbox() {
  std::lock_guard lock(RegistryMutex());
  for (SignalMailbox* box = g_mailboxes.load(std::memory_order_relaxed); box != nullptr; box = box->next) {
    if (!box->in_use.exchange(true)) return box;
  }
  auto* box = new SignalMailbox();  // never freed: a signal handler may be looking at it
  box->in_use = true;
  box->next = g_mailboxes.load(std::memory_order_relaxed);
  g_mailboxes.store(box, std::memory_order_release);
  return box;
}

}  // namespace

// --- SignalWatch ---

Result<SignalWatch*> SignalWatch::Of(Loop& loop) {
  if (loop.signal_watch() != nullptr) return loop.signal_watch().get();
  if (int err = sys::InjectedError(sys::Call::kEventFd)) return Err(err, "eventfd");
  base::OwnedFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return base::ErrFromErrno("eventfd");
  loop.signal_watch().reset(new SignalWatch(loop, std::move(wake)));
  return loop.signal_watch().get();
}

SignalWatch::SignalWatch(Loop& loop, base::OwnedFd wake)
    : wake_(std::move(wake)),
      watcher_(loop.backend(), this, [](void* self, uint32_t) { static_cast<SignalWatch*>(self)->OnReady(); }),
      mailbox_(TakeMailbox()) {
  mailbox_->wake_fd = wake_.get();
  watcher_.SetFd(wake_.get());
  watcher_.set_waits_for_outside();
}

SignalWatch::~SignalWatch() {
  DCHECK(std::ranges::all_of(handles_, [](SignalHandle* handle) { return handle == nullptr; }));
  watcher_.Stop();
  mailbox_->wake_fd = -1;
  for (auto& count : mailbox_->counts) count = 0;
  mailbox_->in_use = false;
}

Result<void> SignalWatch::Add(SignalHandle* handle, int signum) {
  // First the mailbox, so that a signal arriving with the action is not lost.
  mailbox_->wanted[signum].fetch_add(1);
  if (Result<void> installed = Install(signum); !installed) {
    mailbox_->wanted[signum].fetch_sub(1);
    return installed;
  }
  handles_.push_back(handle);
  watcher_.Want(kReadable);
  return {};
}

void SignalWatch::Remove(SignalHandle* handle, int signum) {
  Uninstall(signum);
  if (mailbox_->wanted[signum].fetch_sub(1) == 1) mailbox_->counts[signum] = 0;
  auto found = std::ranges::find(handles_, handle);
  CHECK(found != handles_.end());
  if (delivering_) {
    *found = nullptr;
  } else {
    handles_.erase(found);
  }
  if (std::ranges::all_of(handles_, [](SignalHandle* other) { return other == nullptr; })) watcher_.Want(0);
}

void SignalWatch::OnReady() {
  uint64_t ignored;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &ignored, sizeof(ignored));
  delivering_ = true;
  for (int signum = 1; signum < kSignalLimit; ++signum) {
    uint32_t count = mailbox_->counts[signum].exchange(0, std::memory_order_acq_rel);
    for (; count > 0; --count) {
      // Those added by a callback wait for the next signal.
      const size_t size = handles_.size();
      for (size_t i = 0; i < size; ++i) {
        if (handles_[i] != nullptr && handles_[i]->signum() == signum) handles_[i]->Deliver();
      }
    }
  }
  delivering_ = false;
  std::erase(handles_, nullptr);
}

// --- SignalHandle ---

HandlePtr<SignalHandle> SignalHandle::Create(Loop& loop, SignalCallback callback) {
  return HandlePtr<SignalHandle>(new SignalHandle(loop, std::move(callback)));
}

SignalHandle::SignalHandle(Loop& loop, SignalCallback callback) : Handle(loop), callback_(std::move(callback)) {}

SignalHandle::~SignalHandle() = default;

Result<void> SignalHandle::Start(int signum) { return StartImpl(signum, false); }

Result<void> SignalHandle::StartOneShot(int signum) { return StartImpl(signum, true); }

Result<void> SignalHandle::StartImpl(int signum, bool one_shot) {
  if (IsClosing() || signum <= 0 || signum >= kSignalLimit) return Err(EINVAL, "uv_signal_start");
  one_shot_ = one_shot;
  if (signum_ == signum) return {};
  Stop();
  Result<SignalWatch*> watch = SignalWatch::Of(loop());
  if (!watch) return Err(std::move(watch.error()));
  if (Result<void> added = (*watch)->Add(this, signum); !added) return added;
  signum_ = signum;
  SetActive(true);
  return {};
}

void SignalHandle::Stop() {
  if (signum_ == 0) return;
  const int signum = signum_;
  signum_ = 0;
  loop().signal_watch()->Remove(this, signum);
  SetActive(false);
}

void SignalHandle::Deliver() {
  const int signum = signum_;
  if (one_shot_) Stop();
  callback_(signum);
}

void SignalHandle::OnClose() { Stop(); }

void IgnoreSigpipe() {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace gyre::loop
