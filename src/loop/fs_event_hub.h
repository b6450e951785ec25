// InotifyHub: the inotify descriptor of a loop and the FsEventHandles that share it. Handles on the same inode share a
// watch. Thread: the loop's. Owner: the Loop.
#ifndef GYRE_LOOP_FS_EVENT_HUB_H_
#define GYRE_LOOP_FS_EVENT_HUB_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fd_watcher.h"

namespace gyre::loop {

class FsEventHandle;
class Loop;

class InotifyHub {
 public:
  static Result<InotifyHub*> Of(Loop& loop);
  ~InotifyHub();

  Result<int> Add(FsEventHandle* handle, const std::string& path);
  void Remove(FsEventHandle* handle, int watch);

 private:
  InotifyHub(Loop& loop, base::OwnedFd fd);
  void OnReady();
  void Deliver(int watch, uint32_t mask, const char* name);

  base::OwnedFd fd_;
  FdWatcher watcher_;
  std::unordered_map<int, std::vector<FsEventHandle*>> watches_;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_FS_EVENT_HUB_H_
