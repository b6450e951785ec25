#include "loop/fs_changes.h"

#include <sys/stat.h>

#include "base/check.h"

namespace gyre::loop {

bool FileChanges::MayAffect(int fd) const { return trees_ > 0 || Of(fd); }

bool FileChanges::Of(int fd) const {
  if (files_ == 0) return false;
  struct stat info;
  return ::fstat(fd, &info) == 0 && slots_[SlotOf(info.st_dev, info.st_ino)] > 0;
}

FileChanges::Mark FileChanges::MarkOf(ChangeExtent extent, int fd) {
  if (extent != ChangeExtent::kFile) return {.extent = extent};
  struct stat info;
  if (::fstat(fd, &info) == -1) return {};
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !S_ISBLK(info.st_mode)) return {};
  return {.extent = extent, .slot = SlotOf(info.st_dev, info.st_ino)};
}

void FileChanges::Begin(Mark mark) {
  if (mark.extent == ChangeExtent::kTree) {
    ++trees_;
  } else if (mark.extent == ChangeExtent::kFile) {
    ++files_;
    ++slots_[mark.slot];
  }
}

void FileChanges::End(Mark mark) {
  if (mark.extent == ChangeExtent::kTree) {
    DCHECK(trees_ > 0);
    --trees_;
  } else if (mark.extent == ChangeExtent::kFile) {
    DCHECK(files_ > 0 && slots_[mark.slot] > 0);
    --files_;
    --slots_[mark.slot];
  }
}

}  // namespace gyre::loop
