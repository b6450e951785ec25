// CRC-32 with carry-less multiplication. zlib itself computes gzip's check with it too: the linker sends its calls of
// crc32() here (--wrap in CMakeLists.txt). docs/decisions.md has the figures. Thread: any; no state.
#ifndef GYRE_MODULES_ZLIB_CRC32_H_
#define GYRE_MODULES_ZLIB_CRC32_H_

#include <cstdint>
#include <span>

namespace gyre::zlib {

// The check of what `crc` is the check of followed by `bytes`; 0 for nothing.
uint32_t Crc32(uint32_t crc, std::span<const uint8_t> bytes);

}  // namespace gyre::zlib

#endif  // GYRE_MODULES_ZLIB_CRC32_H_
