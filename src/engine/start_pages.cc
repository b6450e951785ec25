#include "engine/start_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>

namespace gyre::engine {

namespace {

constexpr size_t kChunk = 256 << 10;     // V8's heap chunks are aligned to their size
constexpr size_t kHugePage = 2 << 20;
constexpr size_t kMapped = 2 * kHugePage;  // what an empty program needs is a little less

class StartPageAllocator : public v8::PageAllocator {
 public:
  explicit StartPageAllocator(v8::PageAllocator* base) : base_(base) {}

  void* AllocatePages(void* hint, size_t length, size_t alignment, Permission permission) override {
    if (length == kChunk && alignment == kChunk && permission == kReadWrite) {
      if (void* chunk = TakeChunk()) return chunk;
    }
    return base_->AllocatePages(hint, length, alignment, permission);
  }

  size_t AllocatePageSize() override { return base_->AllocatePageSize(); }
  size_t CommitPageSize() override { return base_->CommitPageSize(); }
  void SetRandomMmapSeed(int64_t seed) override { base_->SetRandomMmapSeed(seed); }
  void* GetRandomMmapAddr() override { return base_->GetRandomMmapAddr(); }
  bool FreePages(void* address, size_t length) override { return base_->FreePages(address, length); }
  bool ReleasePages(void* address, size_t length, size_t new_length) override {
    return base_->ReleasePages(address, length, new_length);
  }
  bool SetPermissions(void* address, size_t length, Permission permission) override {
    return base_->SetPermissions(address, length, permission);
  }
  bool RecommitPages(void* address, size_t length, Permission permission) override {
    return base_->RecommitPages(address, length, permission);
  }
  bool DiscardSystemPages(void* address, size_t size) override { return base_->DiscardSystemPages(address, size); }
  bool DecommitPages(void* address, size_t size) override { return base_->DecommitPages(address, size); }
  bool SealPages(void* address, size_t length) override { return base_->SealPages(address, length); }

 private:
  void* TakeChunk() {
    std::lock_guard lock(mutex_);
    if (!mapped_) Map();
    if (next_ == end_) return nullptr;
    char* chunk = next_;
    next_ += kChunk;
    return chunk;
  }

  void Map() {
    mapped_ = true;
    size_t size = kMapped + kHugePage;
    void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return;
    auto address = reinterpret_cast<uintptr_t>(start);
    uintptr_t aligned = (address + kHugePage - 1) & ~(kHugePage - 1);
    next_ = reinterpret_cast<char*>(aligned);
    end_ = next_ + kMapped;
    if (aligned > address) munmap(start, aligned - address);
    if (size_t rest = address + size - aligned - kMapped; rest > 0) munmap(end_, rest);
    madvise(next_, kMapped, MADV_HUGEPAGE);  // where the kernel gives none, small ones do
  }

  v8::PageAllocator* base_;
  std::mutex mutex_;
  bool mapped_ = false;
  char* next_ = nullptr;  // the next chunk to give
  char* end_ = nullptr;
};

}  // namespace

std::unique_ptr<v8::PageAllocator> NewStartPageAllocator(v8::PageAllocator* base) {
  return std::make_unique<StartPageAllocator>(base);
}

}  // namespace gyre::engine
