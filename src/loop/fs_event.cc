#include "loop/fs_event.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "loop/backend.h"
#include "loop/fs_event_hub.h"
#include "loop/loop.h"

namespace gyre::loop {
namespace {

constexpr uint32_t kMask =
    IN_ATTRIB | IN_CREATE | IN_MODIFY | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_MOVED_FROM | IN_MOVED_TO;

constexpr int kMaxReads = 16;

uint32_t ToEvents(uint32_t mask) {
  uint32_t events = 0;
  if ((mask & (IN_ATTRIB | IN_MODIFY)) != 0) events |= kFsChange;
  if ((mask & ~static_cast<uint32_t>(IN_ATTRIB | IN_MODIFY)) != 0) events |= kFsRename;
  return events;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

// --- InotifyHub ---

Result<InotifyHub*> InotifyHub::Of(Loop& loop) {
  if (loop.inotify() != nullptr) return loop.inotify().get();
  base::OwnedFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return base::ErrFromErrno("watch");
  loop.inotify().reset(new InotifyHub(loop, std::move(fd)));
  return loop.inotify().get();
}

InotifyHub::InotifyHub(Loop& loop, base::OwnedFd fd)
    : fd_(std::move(fd)),
      watcher_(loop.backend(), this, [](void* self, uint32_t) { static_cast<InotifyHub*>(self)->OnReady(); }) {
  watcher_.SetFd(fd_.get());
}

InotifyHub::~InotifyHub() { watcher_.Stop(); }

Result<int> InotifyHub::Add(FsEventHandle* handle, const std::string& path) {
  const int watch = ::inotify_add_watch(fd_.get(), path.c_str(), kMask);
  if (watch == -1) return base::ErrFromErrno("watch", path);
  watches_[watch].push_back(handle);
  watcher_.Want(kReadable);
  return watch;
}

void InotifyHub::Remove(FsEventHandle* handle, int watch) {
  auto found = watches_.find(watch);
  if (found == watches_.end()) return;
  std::erase(found->second, handle);
  if (!found->second.empty()) return;
  watches_.erase(found);
  ::inotify_rm_watch(fd_.get(), watch);
  if (watches_.empty()) watcher_.Want(0);
}

void InotifyHub::OnReady() {
  alignas(inotify_event) char buffer[8192];
  // Not without end: a callback that writes to what it watches makes the next event.
  for (int round = 0; round < kMaxReads; ++round) {
    const ssize_t size = ::read(fd_.get(), buffer, sizeof(buffer));
    if (size <= 0) return;
    for (const char* at = buffer; at < buffer + size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      // IN_Q_OVERFLOW belongs to no watch. IN_IGNORED, the end of one, is a rename like its cause, as in libuv.
      if (event->wd >= 0) {
        Deliver(event->wd, event->mask, event->len > 0 ? event->name : nullptr);
      }
    }
  }
}

void InotifyHub::Deliver(int watch, uint32_t mask, const char* name) {
  auto found = watches_.find(watch);
  if (found == watches_.end()) return;
  // A callback may stop any of the handles, so each is looked up again before its call.
  const std::vector<FsEventHandle*> batch = found->second;
  const uint32_t events = ToEvents(mask & (kMask | IN_IGNORED));
  for (FsEventHandle* handle : batch) {
    found = watches_.find(watch);
    if (found == watches_.end()) return;
    if (std::ranges::find(found->second, handle) == found->second.end()) continue;
    handle->callback_(events, name != nullptr ? std::string_view(name) : BaseName(handle->path_));
  }
}

// --- FsEventHandle ---

HandlePtr<FsEventHandle> FsEventHandle::Create(Loop& loop, EventCallback callback) {
  return HandlePtr<FsEventHandle>(new FsEventHandle(loop, std::move(callback)));
}

FsEventHandle::FsEventHandle(Loop& loop, EventCallback callback) : Handle(loop), callback_(std::move(callback)) {}

FsEventHandle::~FsEventHandle() = default;

Result<void> FsEventHandle::Start(const std::string& path) {
  if (IsClosing() || watch_ != -1) return Err(EINVAL, "watch", path);
  Result<InotifyHub*> hub = InotifyHub::Of(loop());
  if (!hub) return Err(std::move(hub.error().WithPath(path)));
  Result<int> watch = (*hub)->Add(this, path);
  if (!watch) return Err(std::move(watch.error()));
  watch_ = *watch;
  path_ = path;
  SetActive(true);
  return {};
}

void FsEventHandle::Stop() {
  if (watch_ == -1) return;
  loop().inotify()->Remove(this, watch_);
  watch_ = -1;
  SetActive(false);
}

void FsEventHandle::OnClose() { Stop(); }

}  // namespace gyre::loop
