// FileChanges: what the file operations in flight change, so that what a program submits later does not overtake them
// (docs/loop.md 5.6). Files are told apart by a hash: two that share one only wait for each other without need.
// Thread: the loop's. Owner: the Loop.
#ifndef GYRE_LOOP_FS_CHANGES_H_
#define GYRE_LOOP_FS_CHANGES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace gyre::loop {

// What an operation changes.
enum class ChangeExtent : uint8_t {
  kNothing,
  kFile,  // the file behind its descriptor
  kTree,  // names, or files that it finds by name
};

class FileChanges {
 public:
  // One change in flight.
  struct Mark {
    ChangeExtent extent = ChangeExtent::kNothing;
    uint8_t slot = 0;
  };

  // Whether nothing that is in flight changes anything.
  bool None() const { return trees_ == 0 && files_ == 0; }
  // Whether names may change, or files that are found by them.
  bool Tree() const { return trees_ > 0; }
  // Whether the file with these numbers, or behind this descriptor, may change.
  bool MayAffect(uint64_t device, uint64_t inode) const { return trees_ > 0 || slots_[SlotOf(device, inode)] > 0; }
  bool MayAffect(int fd) const;
  // Whether it must not begin before what is in flight.
  bool MayAffect(Mark later) const {
    if (later.extent == ChangeExtent::kTree) return !None();
    return later.extent == ChangeExtent::kFile && (trees_ > 0 || slots_[later.slot] > 0);
  }
  // The same as for a descriptor, but for what is found by name: whether operations on this very file are under way.
  bool Of(int fd) const;

  // Of a change of `fd` (for kFile). Pipes and their like do not count: who reads from the one end may have to go
  // first.
  static Mark MarkOf(ChangeExtent extent, int fd);
  void Begin(Mark mark);
  void End(Mark mark);

 private:
  static constexpr size_t kSlots = 256;
  static uint8_t SlotOf(uint64_t device, uint64_t inode) {
    return static_cast<uint8_t>(((inode ^ (device << 32)) * 0x9e3779b97f4a7c15u) >> 56);
  }

  uint32_t trees_ = 0;
  uint32_t files_ = 0;
  std::array<uint32_t, kSlots> slots_ = {};
};

// The changes of a loop: all, and those that threads of the fs lane make.
struct ChangesInFlight {
  FileChanges all;
  FileChanges on_lane;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_FS_CHANGES_H_
