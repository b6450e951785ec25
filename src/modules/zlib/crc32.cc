#include "modules/zlib/crc32.h"

#include <immintrin.h>
#include <zlib.h>

#include <algorithm>
#include <climits>

extern "C" {
uLong __real_crc32(uLong crc, const Bytef* bytes, uInt size);
uLong __wrap_crc32(uLong crc, const Bytef* bytes, uInt size);
}

namespace gyre::zlib {
namespace {

#define GYRE_CLMUL [[gnu::target("pclmul,sse4.1")]]

constexpr size_t kLane = 16;
constexpr size_t kLeast = 4 * kLane;

GYRE_CLMUL __m128i Load(const uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

// `sum` moved on by as many bits as the constants say, and `next` added.
GYRE_CLMUL __m128i Fold(__m128i sum, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(sum, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(sum, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), with the
// reflected constants of CRC-32. `size` is a multiple of kLane, at least kLeast; `state` and the result are not
// inverted.
GYRE_CLMUL uint32_t FoldAll(uint32_t state, const uint8_t* bytes, size_t size) {
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by_64 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i halves = _mm_setr_epi32(-1, 0, -1, 0);

  __m128i sums[4];
  for (int i = 0; i < 4; i++) sums[i] = Load(bytes + i * kLane);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  for (bytes += kLeast, size -= kLeast; size >= kLeast; bytes += kLeast, size -= kLeast) {
    for (int i = 0; i < 4; i++) sums[i] = Fold(sums[i], by_512, Load(bytes + i * kLane));
  }
  __m128i sum = sums[0];
  for (int i = 1; i < 4; i++) sum = Fold(sum, by_128, sums[i]);
  for (; size >= kLane; bytes += kLane, size -= kLane) sum = Fold(sum, by_128, Load(bytes));

  // 128 bits to 64, and those to 32 by Barrett's reduction.
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by_128, 0x10));
  sum = _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(_mm_and_si128(sum, halves), by_64, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(sum, halves), polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, halves), polynomial, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, quotient), 1));
}

bool HasCarrylessMultiplication() {
  static const bool has = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return has;
}

}  // namespace

uint32_t Crc32(uint32_t crc, std::span<const uint8_t> bytes) {
  if (bytes.size() >= kLeast && HasCarrylessMultiplication()) {
    const size_t size = bytes.size() / kLane * kLane;
    crc = ~FoldAll(~crc, bytes.data(), size);
    bytes = bytes.subspan(size);
  }
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), UINT_MAX);
    crc = static_cast<uint32_t>(__real_crc32(crc, bytes.data(), static_cast<uInt>(size)));
    bytes = bytes.subspan(size);
  }
  return crc;
}

}  // namespace gyre::zlib

uLong __wrap_crc32(uLong crc, const Bytef* bytes, uInt size) {
  // Without bytes zlib asks for the value to begin with.
  return bytes == nullptr ? 0 : gyre::zlib::Crc32(static_cast<uint32_t>(crc), {bytes, size});
}
