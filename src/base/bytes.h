// Bytes: an owned block from malloc, so that it can become an ArrayBuffer's backing store without a copy.
// Thread: any, one at a time.
#ifndef GYRE_BASE_BYTES_H_
#define GYRE_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

namespace gyre::base {

class Bytes {
 public:
  Bytes() = default;
  Bytes(Bytes&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    if (this == &other) return *this;
    std::free(data_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { std::free(data_); }

  // Null data() on a non-zero size means that memory ran out; the caller reports ENOMEM.
  static Bytes Allocate(size_t size) {
    Bytes bytes;
    if (size == 0) return bytes;
    bytes.data_ = static_cast<uint8_t*>(std::malloc(size));
    if (bytes.data_ != nullptr) bytes.size_ = size;
    return bytes;
  }
  // Grows or shrinks; false (unchanged) when memory ran out.
  [[nodiscard]] bool Resize(size_t size) {
    if (size == 0) {
      *this = Bytes();
      return true;
    }
    void* data = std::realloc(data_, size);
    if (data == nullptr) return false;
    data_ = static_cast<uint8_t*>(data);
    size_ = size;
    return true;
  }

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<uint8_t> span() { return {data_, size_}; }
  std::span<const uint8_t> span() const { return {data_, size_}; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Gives the block up; the taker frees it with std::free.
  [[nodiscard]] uint8_t* Release() {
    size_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gyre::base

#endif  // GYRE_BASE_BYTES_H_
