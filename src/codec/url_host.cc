// The host parser (URL Standard, clause 3.5): domains, IPv4 and IPv6 addresses, opaque hosts.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "codec/url.h"

namespace gyre::codec {

namespace {

constexpr std::string_view kForbiddenHost = "\t\n\r #/:<>?@[\\]^|";

bool IsForbiddenHost(char c) { return c == '\0' || kForbiddenHost.find(c) != std::string_view::npos; }

bool IsForbiddenDomain(char c) {
  return IsForbiddenHost(c) || static_cast<uint8_t>(c) <= 0x1f || c == '%' || c == 0x7f;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

int HexValue(char c) { return IsDigit(c) ? c - '0' : Lower(c) - 'a' + 10; }

// --- IPv4 ---

/// One part: decimal, octal after 0, hexadecimal after 0x. Values beyond 32 bits come back as 2^32.
std::optional<uint64_t> ParseIpv4Number(std::string_view part) {
  if (part.empty()) return std::nullopt;
  int base = 10;
  if (part.size() >= 2 && part[0] == '0' && (part[1] == 'x' || part[1] == 'X')) {
    part.remove_prefix(2);
    base = 16;
  } else if (part.size() >= 2 && part[0] == '0') {
    part.remove_prefix(1);
    base = 8;
  }
  uint64_t value = 0;
  for (char c : part) {
    if (!IsHexDigit(c) || HexValue(c) >= base) return std::nullopt;
    value = std::min<uint64_t>(value * static_cast<uint64_t>(base) + static_cast<uint64_t>(HexValue(c)), 1ull << 32);
  }
  return value;
}

bool EndsInNumber(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  size_t dot = host.rfind('.');
  std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.empty()) return false;
  if (std::ranges::all_of(last, IsDigit)) return true;
  return last.size() >= 2 && last[0] == '0' && (last[1] == 'x' || last[1] == 'X') && ParseIpv4Number(last).has_value();
}

bool ParseIpv4(std::string_view host, std::string* out) {
  if (host.ends_with('.')) host.remove_suffix(1);
  uint64_t numbers[4];
  int count = 0;
  while (true) {
    size_t dot = host.find('.');
    std::optional<uint64_t> number = ParseIpv4Number(host.substr(0, dot));
    if (!number || count == 4) return false;
    numbers[count++] = *number;
    if (dot == std::string_view::npos) break;
    host.remove_prefix(dot + 1);
  }
  uint64_t address = numbers[count - 1];
  if (address >= 1ull << (8 * (5 - count))) return false;
  for (int i = 0; i < count - 1; i++) {
    if (numbers[i] > 255) return false;
    address += numbers[i] << (8 * (3 - i));
  }
  out->clear();
  for (int shift = 24; shift >= 0; shift -= 8) {
    out->append(std::to_string(address >> shift & 255));
    if (shift > 0) out->push_back('.');
  }
  return true;
}

// --- IPv6 ---

/// The dotted tail of an IPv6 address fills two pieces.
bool ParseIpv4InIpv6(std::string_view text, std::array<uint16_t, 8>& pieces, int& at) {
  if (at > 6) return false;
  int seen = 0;
  size_t i = 0;
  while (i < text.size()) {
    if (seen > 0) {
      if (text[i] != '.' || seen >= 4) return false;
      i++;
    }
    if (i >= text.size() || !IsDigit(text[i])) return false;
    int value = -1;
    for (; i < text.size() && IsDigit(text[i]); i++) {
      if (value == 0) return false;
      value = (value < 0 ? 0 : value * 10) + (text[i] - '0');
      if (value > 255) return false;
    }
    pieces[at] = static_cast<uint16_t>(pieces[at] << 8 | value);
    seen++;
    if (seen == 2 || seen == 4) at++;
  }
  return seen == 4;
}

bool ParseIpv6Pieces(std::string_view text, std::array<uint16_t, 8>& pieces) {
  int at = 0;
  int compress = -1;
  size_t i = 0;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return false;
    i = 2;
    compress = ++at;
  }
  while (i < text.size()) {
    if (at == 8) return false;
    if (text[i] == ':') {
      if (compress >= 0) return false;
      i++;
      compress = ++at;
      continue;
    }
    uint32_t value = 0;
    size_t start = i;
    for (; i < text.size() && i - start < 4 && IsHexDigit(text[i]); i++) {
      value = value * 16 + static_cast<uint32_t>(HexValue(text[i]));
    }
    if (i < text.size() && text[i] == '.') {
      if (i == start) return false;
      if (!ParseIpv4InIpv6(text.substr(start), pieces, at)) return false;
      break;
    }
    if (i < text.size() && text[i] == ':') {
      if (++i >= text.size()) return false;
    } else if (i < text.size()) {
      return false;
    }
    pieces[at++] = static_cast<uint16_t>(value);
  }
  if (compress >= 0) {
    int swaps = at - compress;
    for (int to = 7; to != 0 && swaps > 0; to--, swaps--) std::swap(pieces[to], pieces[compress + swaps - 1]);
    return true;
  }
  return at == 8;
}

bool ParseIpv6(std::string_view text, std::string* out) {
  std::array<uint16_t, 8> pieces{};
  if (!ParseIpv6Pieces(text, pieces)) return false;
  // The first longest run of more than one zero is written as "::".
  int best = -1;
  int best_size = 1;
  for (int i = 0; i < 8;) {
    int end = i;
    while (end < 8 && pieces[end] == 0) end++;
    if (end - i > best_size) {
      best = i;
      best_size = end - i;
    }
    i = end + 1;
  }
  *out = "[";
  for (int i = 0; i < 8; i++) {
    if (i == best) {
      out->append(i == 0 ? "::" : ":");
      i += best_size - 1;
      continue;
    }
    char digits[4];
    char* end = std::to_chars(digits, digits + sizeof(digits), pieces[i], 16).ptr;
    out->append(digits, end);
    if (i < 7) out->push_back(':');
  }
  out->push_back(']');
  return true;
}

bool ParseOpaqueHost(std::string_view input, std::string* out) {
  if (std::ranges::any_of(input, IsForbiddenHost)) return false;
  out->clear();
  AppendPercentEncoded(input, PercentSet::kC0Control, out);
  return true;
}

// --- domains ---

/// Whether lower-casing is all that ToASCII would do: ASCII without labels that claim to be punycode.
bool IsPlainAscii(std::string_view domain) {
  for (size_t i = 0; i < domain.size(); i++) {
    if (static_cast<uint8_t>(domain[i]) >= 0x80) return false;
    bool label_start = i == 0 || domain[i - 1] == '.';
    if (label_start && domain.size() - i >= 4 && Lower(domain[i]) == 'x' && Lower(domain[i + 1]) == 'n' &&
        domain[i + 2] == '-' && domain[i + 3] == '-') {
      return false;
    }
  }
  return true;
}

bool ParseDomain(std::string_view domain, DomainToAscii to_ascii, std::string* out) {
  if (IsPlainAscii(domain)) {
    out->resize(domain.size());
    std::ranges::transform(domain, out->begin(), Lower);
  } else if (to_ascii == nullptr || !to_ascii(domain, out)) {
    return false;
  }
  if (out->empty() || std::ranges::any_of(*out, IsForbiddenDomain)) return false;
  if (!EndsInNumber(*out)) return true;
  std::string ascii = *out;
  return ParseIpv4(ascii, out);
}

}  // namespace

bool ParseHost(std::string_view input, bool is_special, DomainToAscii to_ascii, std::string* out) {
  if (input.starts_with('[')) {
    if (!input.ends_with(']') || input.size() < 2) return false;
    return ParseIpv6(input.substr(1, input.size() - 2), out);
  }
  if (!is_special) return ParseOpaqueHost(input, out);
  if (input.find('%') == std::string_view::npos) return ParseDomain(input, to_ascii, out);
  return ParseDomain(PercentDecode(input), to_ascii, out);
}

}  // namespace gyre::codec
