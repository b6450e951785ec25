#include <array>

#include "codec/url.h"

namespace gyre::codec {

namespace {

constexpr uint8_t Bit(PercentSet set) { return static_cast<uint8_t>(set); }

/// For each byte the sets that it is in (URL Standard, "Percent-encoded bytes").
constexpr std::array<uint8_t, 256> MakeSets() {
  std::array<uint8_t, 256> sets{};
  constexpr uint8_t kAll = 0x3f;
  for (int i = 0; i < 256; i++) {
    if (i < 0x20 || i > 0x7e) sets[i] = kAll;
  }
  auto add = [&](std::string_view characters, uint8_t bits) {
    for (char c : characters) sets[static_cast<uint8_t>(c)] |= bits;
  };
  constexpr uint8_t kFromQuery =
      Bit(PercentSet::kQuery) | Bit(PercentSet::kSpecialQuery) | Bit(PercentSet::kPath) | Bit(PercentSet::kUserinfo);
  constexpr uint8_t kFromPath = Bit(PercentSet::kPath) | Bit(PercentSet::kUserinfo);
  add(" \"<>`", Bit(PercentSet::kFragment));
  add(" \"#<>", kFromQuery);
  add("'", Bit(PercentSet::kSpecialQuery));
  add("?^`{}", kFromPath);
  add("/:;=@[\\]|", Bit(PercentSet::kUserinfo));
  return sets;
}
constexpr std::array<uint8_t, 256> kSets = MakeSets();

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void AppendPercentEncoded(std::string_view text, PercentSet set, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  uint8_t bit = Bit(set);
  size_t clean = 0;  // where what needs no encoding begins
  for (size_t i = 0; i < text.size(); i++) {
    uint8_t byte = static_cast<uint8_t>(text[i]);
    if ((kSets[byte] & bit) == 0) continue;
    out->append(text, clean, i - clean);
    out->push_back('%');
    out->push_back(kDigits[byte >> 4]);
    out->push_back(kDigits[byte & 15]);
    clean = i + 1;
  }
  out->append(text, clean);
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '%' && i + 2 < text.size()) {
      int high = HexValue(text[i + 1]);
      int low = HexValue(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out.push_back(static_cast<char>(high << 4 | low));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

}  // namespace gyre::codec
