// FsEventHandle: changes of a file or directory, by inotify. One inotify descriptor a loop.
// Thread: the loop's. Not recursive.
#ifndef GYRE_LOOP_FS_EVENT_H_
#define GYRE_LOOP_FS_EVENT_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/handle.h"

namespace gyre::loop {

// Bits: a rename may come together with a change.
inline constexpr uint32_t kFsRename = 1;
inline constexpr uint32_t kFsChange = 2;

class FsEventHandle final : public Handle {
 public:
  // `name`: the entry of a watched directory, or the base name of a watched file.
  using EventCallback = base::UniqueFunction<void(uint32_t events, std::string_view name)>;
  static HandlePtr<FsEventHandle> Create(Loop& loop, EventCallback callback);

  Result<void> Start(const std::string& path);
  void Stop();
  const std::string& path() const { return path_; }
  HandleFacts Describe() const override { return {.type = "fs_event", .path = path_}; }

 private:
  friend class InotifyHub;
  FsEventHandle(Loop& loop, EventCallback callback);
  ~FsEventHandle() override;
  void OnClose() override;

  EventCallback callback_;
  std::string path_;
  int watch_ = -1;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_FS_EVENT_H_
