#include "codec/encoding.h"

#include <algorithm>
#include <array>

namespace gyre::codec {

namespace {

constexpr char kStandardDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> MakeHexValues() {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (int i = 0; i < 10; i++) values['0' + i] = static_cast<uint8_t>(i);
  for (int i = 0; i < 6; i++) values['a' + i] = values['A' + i] = static_cast<uint8_t>(10 + i);
  return values;
}
constexpr std::array<uint8_t, 256> kHexValues = MakeHexValues();

constexpr std::array<uint8_t, 256> MakeBase64Values() {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (uint8_t i = 0; i < 64; i++) {
    values[static_cast<uint8_t>(kStandardDigits[i])] = i;
    values[static_cast<uint8_t>(kUrlDigits[i])] = i;
  }
  return values;
}
constexpr std::array<uint8_t, 256> kBase64Values = MakeBase64Values();

constexpr uint8_t HexDigit(uint8_t nibble) {
  return static_cast<uint8_t>(nibble + '0' + (nibble > 9 ? 'a' - '0' - 10 : 0));
}

template <typename Unit>
uint8_t HexValue(Unit unit) {
  return unit > 0xff ? kNoDigit : kHexValues[static_cast<uint8_t>(unit)];
}

/// Decodes whole groups of four digits while nothing else comes between them; advances both positions.
template <typename Unit>
void DecodeGroups(std::span<const Unit> text, std::span<uint8_t> out, size_t& in_at, size_t& out_at) {
  while (in_at + 4 <= text.size() && out_at + 3 <= out.size()) {
    uint32_t a = kBase64Values[static_cast<uint8_t>(text[in_at])];
    uint32_t b = kBase64Values[static_cast<uint8_t>(text[in_at + 1])];
    uint32_t c = kBase64Values[static_cast<uint8_t>(text[in_at + 2])];
    uint32_t d = kBase64Values[static_cast<uint8_t>(text[in_at + 3])];
    if (((a | b | c | d) & 0xc0) != 0) return;
    uint32_t group = a << 18 | b << 12 | c << 6 | d;
    out[out_at] = static_cast<uint8_t>(group >> 16);
    out[out_at + 1] = static_cast<uint8_t>(group >> 8);
    out[out_at + 2] = static_cast<uint8_t>(group);
    in_at += 4;
    out_at += 3;
  }
}

}  // namespace

void HexEncode(std::span<const uint8_t> bytes, char* out) {
  // Written without a table so that the compiler vectorises it.
  const uint8_t* in = bytes.data();
  for (size_t i = 0; i < bytes.size(); i++) {
    out[2 * i] = static_cast<char>(HexDigit(in[i] >> 4));
    out[2 * i + 1] = static_cast<char>(HexDigit(in[i] & 15));
  }
}

std::string HexEncode(std::span<const uint8_t> bytes) {
  std::string text(bytes.size() * 2, '\0');
  HexEncode(bytes, text.data());
  return text;
}

template <typename Unit>
size_t HexDecode(std::span<const Unit> text, std::span<uint8_t> out) {
  size_t count = std::min(text.size() / 2, out.size());
  for (size_t i = 0; i < count; i++) {
    uint8_t high = HexValue(text[2 * i]);
    uint8_t low = HexValue(text[2 * i + 1]);
    if ((high | low) > 15) return i;
    out[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return count;
}

size_t Base64EncodedSize(size_t size, Base64Alphabet alphabet) {
  if (alphabet == Base64Alphabet::kStandard) return (size + 2) / 3 * 4;
  return size / 3 * 4 + (size % 3 == 0 ? 0 : size % 3 + 1);
}

void Base64Encode(std::span<const uint8_t> bytes, Base64Alphabet alphabet, char* out) {
  const char* digits = alphabet == Base64Alphabet::kStandard ? kStandardDigits : kUrlDigits;
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    uint32_t group = static_cast<uint32_t>(bytes[i]) << 16 | static_cast<uint32_t>(bytes[i + 1]) << 8 | bytes[i + 2];
    *out++ = digits[group >> 18];
    *out++ = digits[group >> 12 & 63];
    *out++ = digits[group >> 6 & 63];
    *out++ = digits[group & 63];
  }
  size_t left = bytes.size() - i;
  if (left == 0) return;
  uint32_t group = static_cast<uint32_t>(bytes[i]) << 16;
  if (left == 2) group |= static_cast<uint32_t>(bytes[i + 1]) << 8;
  *out++ = digits[group >> 18];
  *out++ = digits[group >> 12 & 63];
  if (left == 2) *out++ = digits[group >> 6 & 63];
  if (alphabet == Base64Alphabet::kUrl) return;
  if (left == 1) *out++ = '=';
  *out++ = '=';
}

std::string Base64Encode(std::span<const uint8_t> bytes, Base64Alphabet alphabet) {
  std::string text(Base64EncodedSize(bytes.size(), alphabet), '\0');
  Base64Encode(bytes, alphabet, text.data());
  return text;
}

template <typename Unit>
size_t Base64DecodedBound(std::span<const Unit> text) {
  size_t size = text.size();
  if (size == 0) return 0;
  if (text[size - 1] == '=') size--;
  if (size > 1 && text[size - 1] == '=') size--;
  return size / 4 * 3 + size % 4 * 3 / 4;
}

template <typename Unit>
size_t Base64Decode(std::span<const Unit> text, std::span<uint8_t> out) {
  size_t in_at = 0;
  size_t out_at = 0;
  while (out_at < out.size()) {
    DecodeGroups(text, out, in_at, out_at);
    // One group by hand: across other characters, at the end, or into the last free bytes.
    uint32_t group = 0;
    int digits = 0;
    while (digits < 4 && in_at < text.size()) {
      uint8_t unit = static_cast<uint8_t>(text[in_at++]);
      if (unit == '=') {
        in_at = text.size();
        break;
      }
      uint8_t value = kBase64Values[unit];
      if (value == kNoDigit) continue;
      group = group << 6 | value;
      digits++;
    }
    if (digits < 2) return out_at;
    group <<= 6 * (4 - digits);
    for (int i = 0; i < digits - 1 && out_at < out.size(); i++)
      out[out_at++] = static_cast<uint8_t>(group >> (16 - 8 * i));
    if (digits < 4) return out_at;
  }
  return out_at;
}

template size_t HexDecode(std::span<const uint8_t>, std::span<uint8_t>);
template size_t HexDecode(std::span<const uint16_t>, std::span<uint8_t>);
template size_t Base64DecodedBound(std::span<const uint8_t>);
template size_t Base64DecodedBound(std::span<const uint16_t>);
template size_t Base64Decode(std::span<const uint8_t>, std::span<uint8_t>);
template size_t Base64Decode(std::span<const uint16_t>, std::span<uint8_t>);

}  // namespace gyre::codec
