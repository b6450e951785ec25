// Hexadecimal and base64, in the lenient form that Buffer decodes.
//
// Thread: any; no state. Owner: the caller owns all memory; nothing is allocated.
#ifndef GYRE_CODEC_ENCODING_H_
#define GYRE_CODEC_ENCODING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gyre::codec {

enum class Base64Alphabet { kStandard, kUrl };  // kUrl writes no padding

/// Writes 2 * bytes.size() lower-case digits.
void HexEncode(std::span<const uint8_t> bytes, char* out);
std::string HexEncode(std::span<const uint8_t> bytes);

/// Decodes pairs of digits until one is not a pair of digits, the text ends, or `out` is full. Returns the bytes
/// written.
template <typename Unit>
size_t HexDecode(std::span<const Unit> text, std::span<uint8_t> out);

/// The length of what Base64Encode writes.
size_t Base64EncodedSize(size_t size, Base64Alphabet alphabet);
void Base64Encode(std::span<const uint8_t> bytes, Base64Alphabet alphabet, char* out);
std::string Base64Encode(std::span<const uint8_t> bytes, Base64Alphabet alphabet);

/// The bytes that base64 text of this length can hold at most: padding counted off, everything else counted in.
template <typename Unit>
size_t Base64DecodedBound(std::span<const Unit> text);

/// Decodes both alphabets at once, skips what is no digit, and stops at padding, the end or a full `out`. A unit of
/// UTF-16 counts by its low byte, as Buffer does. Returns the bytes written.
template <typename Unit>
size_t Base64Decode(std::span<const Unit> text, std::span<uint8_t> out);

extern template size_t HexDecode(std::span<const uint8_t>, std::span<uint8_t>);
extern template size_t HexDecode(std::span<const uint16_t>, std::span<uint8_t>);
extern template size_t Base64DecodedBound(std::span<const uint8_t>);
extern template size_t Base64DecodedBound(std::span<const uint16_t>);
extern template size_t Base64Decode(std::span<const uint8_t>, std::span<uint8_t>);
extern template size_t Base64Decode(std::span<const uint16_t>, std::span<uint8_t>);

}  // namespace gyre::codec

#endif  // GYRE_CODEC_ENCODING_H_
