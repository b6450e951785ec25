#include "codec/url.h"

#include <algorithm>
#include <charconv>

namespace gyre::codec {

namespace {

constexpr size_t kNone = std::string_view::npos;

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSchemeChar(char c) { return IsAlpha(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; }
bool IsTabOrNewline(char c) { return c == '\t' || c == '\n' || c == '\r'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

SchemeType TypeOf(std::string_view scheme) {
  if (scheme == "https") return SchemeType::kHttps;
  if (scheme == "http") return SchemeType::kHttp;
  if (scheme == "file") return SchemeType::kFile;
  if (scheme == "ws") return SchemeType::kWs;
  if (scheme == "wss") return SchemeType::kWss;
  if (scheme == "ftp") return SchemeType::kFtp;
  return SchemeType::kNotSpecial;
}

int DefaultPort(SchemeType type) {
  switch (type) {
    case SchemeType::kHttp:
    case SchemeType::kWs:
      return 80;
    case SchemeType::kHttps:
    case SchemeType::kWss:
      return 443;
    case SchemeType::kFtp:
      return 21;
    default:
      return Url::kNoPort;
  }
}

/// The scheme at the start of the input, without its colon; empty if there is none.
std::string_view SchemeOf(std::string_view input) {
  if (input.empty() || !IsAlpha(input[0])) return {};
  size_t end = 1;
  while (end < input.size() && IsSchemeChar(input[end])) end++;
  if (end == input.size() || input[end] != ':') return {};
  return input.substr(0, end);
}

bool IsDriveLetter(std::string_view text) {
  return text.size() == 2 && IsAlpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool StartsWithDriveLetter(std::string_view text) {
  if (text.size() < 2 || !IsDriveLetter(text.substr(0, 2))) return false;
  return text.size() == 2 || text[2] == '/' || text[2] == '\\' || text[2] == '?' || text[2] == '#';
}

/// "." or its encoded form, which this takes off the front of the text.
bool TakeDot(std::string_view* text) {
  if (text->starts_with('.')) {
    text->remove_prefix(1);
    return true;
  }
  if (text->size() >= 3 && (*text)[0] == '%' && (*text)[1] == '2' && Lower((*text)[2]) == 'e') {
    text->remove_prefix(3);
    return true;
  }
  return false;
}

bool IsSingleDot(std::string_view segment) { return TakeDot(&segment) && segment.empty(); }
bool IsDoubleDot(std::string_view segment) { return TakeDot(&segment) && TakeDot(&segment) && segment.empty(); }

std::string WithoutTabsAndNewlines(std::string_view text) {
  std::string out(text);
  std::erase_if(out, IsTabOrNewline);
  return out;
}

}  // namespace

void Url::Clear() {
  scheme.clear();
  type = SchemeType::kNotSpecial;
  username.clear();
  password.clear();
  has_host = false;
  host.clear();
  port = kNoPort;
  opaque_path = false;
  path.clear();
  has_query = false;
  query.clear();
  has_fragment = false;
  fragment.clear();
}

void Url::SetScheme(std::string_view text) {
  scheme.resize(text.size());
  std::ranges::transform(text, scheme.begin(), Lower);
  type = TypeOf(scheme);
}

size_t Url::FindSlash(std::string_view text, size_t from) const {
  return special() ? text.find_first_of("/\\", from) : text.find('/', from);
}

void Url::SetQuery(std::string_view text) {
  has_query = true;
  query.clear();
  AppendPercentEncoded(text, special() ? PercentSet::kSpecialQuery : PercentSet::kQuery, &query);
}

void Url::SetFragment(std::string_view text) {
  has_fragment = true;
  fragment.clear();
  AppendPercentEncoded(text, PercentSet::kFragment, &fragment);
}

void Url::CopyAuthority(const Url& base) {
  username = base.username;
  password = base.password;
  has_host = base.has_host;
  host = base.host;
  port = base.port;
}

// --- the basic URL parser (clause 4.4) ---

bool Url::Parse(std::string_view input, const Url* base, DomainToAscii to_ascii) {
  Clear();
  auto is_trimmed = [](char c) { return static_cast<uint8_t>(c) <= 0x20; };
  while (!input.empty() && is_trimmed(input.front())) input.remove_prefix(1);
  while (!input.empty() && is_trimmed(input.back())) input.remove_suffix(1);
  std::string cleaned;
  if (std::ranges::any_of(input, IsTabOrNewline)) {
    cleaned = WithoutTabsAndNewlines(input);
    input = cleaned;
  }
  size_t hash = input.find('#');
  std::string_view before_hash = input.substr(0, hash);
  std::string_view scheme_text = SchemeOf(before_hash);
  if (!scheme_text.empty()) {
    SetScheme(scheme_text);
    std::string_view rest = before_hash.substr(scheme_text.size() + 1);
    bool opaque = !special() && !rest.starts_with('/');
    if (opaque)
      ParseOpaquePath(rest, hash != kNone);
    else if (!ParseAfterScheme(rest, base, to_ascii))
      return false;
  } else {
    if (base == nullptr) return false;
    SetScheme(base->scheme);
    if (base->opaque_path) {
      if (hash == kNone || !before_hash.empty()) return false;
      opaque_path = true;
      path = base->path;
      has_query = base->has_query;
      query = base->query;
    } else if (file()) {
      if (!ParseFile(before_hash, base, to_ascii)) return false;
    } else if (!ParseRelative(before_hash, *base, to_ascii)) {
      return false;
    }
  }
  if (hash != kNone) SetFragment(input.substr(hash + 1));
  return true;
}

bool Url::ParseAfterScheme(std::string_view rest, const Url* base, DomainToAscii to_ascii) {
  if (file()) return ParseFile(rest, base != nullptr && base->file() ? base : nullptr, to_ascii);
  if (special()) {
    bool same_scheme = base != nullptr && base->type == type;
    if (same_scheme && !rest.starts_with("//")) return ParseRelative(rest, *base, to_ascii);
    while (!rest.empty() && IsSlash(rest[0])) rest.remove_prefix(1);
    return ParseAuthority(rest, to_ascii);
  }
  if (rest.starts_with("//")) return ParseAuthority(rest.substr(2), to_ascii);
  ParsePath(rest.substr(1));
  return true;
}

bool Url::ParseRelative(std::string_view rest, const Url& base, DomainToAscii to_ascii) {
  if (!rest.empty() && IsSlash(rest[0])) {
    if (rest.size() > 1 && IsSlash(rest[1])) {
      rest.remove_prefix(2);
      while (special() && !rest.empty() && IsSlash(rest[0])) rest.remove_prefix(1);
      return ParseAuthority(rest, to_ascii);
    }
    CopyAuthority(base);
    ParsePath(rest.substr(1));
    return true;
  }
  CopyAuthority(base);
  path = base.path;
  if (rest.empty()) {
    has_query = base.has_query;
    query = base.query;
  } else if (rest[0] == '?') {
    SetQuery(rest.substr(1));
  } else {
    ShortenPath();
    ParsePath(rest);
  }
  return true;
}

/// `base` is null unless it has the scheme file.
bool Url::ParseFile(std::string_view rest, const Url* base, DomainToAscii to_ascii) {
  has_host = true;
  if (!rest.empty() && IsSlash(rest[0])) {
    if (rest.size() > 1 && IsSlash(rest[1])) return ParseFileHost(rest.substr(2), to_ascii);
    rest.remove_prefix(1);
    if (base != nullptr) {
      host = base->host;
      if (!StartsWithDriveLetter(rest)) {
        std::string_view first = std::string_view(base->path).substr(0, 3);
        bool drive = first.size() == 3 && first[0] == '/' && IsAlpha(first[1]) && first[2] == ':' &&
                     (base->path.size() == 3 || base->path[3] == '/');
        if (drive) path = first;
      }
    }
    ParsePath(rest);
    return true;
  }
  if (base == nullptr) {
    ParsePath(rest);
    return true;
  }
  host = base->host;
  path = base->path;
  if (rest.empty()) {
    has_query = base->has_query;
    query = base->query;
  } else if (rest[0] == '?') {
    SetQuery(rest.substr(1));
  } else {
    if (StartsWithDriveLetter(rest))
      path.clear();
    else
      ShortenPath();
    ParsePath(rest);
  }
  return true;
}

bool Url::ParseFileHost(std::string_view rest, DomainToAscii to_ascii) {
  size_t end = std::min(rest.find_first_of("/\\?"), rest.size());
  std::string_view text = rest.substr(0, end);
  if (IsDriveLetter(text)) {
    ParsePath(rest);
    return true;
  }
  if (!text.empty()) {
    if (!ParseHost(text, true, to_ascii, &host)) return false;
    if (host == "localhost") host.clear();
  }
  ParsePathStart(rest.substr(end));
  return true;
}

bool Url::ParseAuthority(std::string_view rest, DomainToAscii to_ascii) {
  size_t end = std::min(special() ? rest.find_first_of("/\\?") : rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  size_t at = authority.rfind('@');
  if (at != kNone) {
    ParseCredentials(authority.substr(0, at));
    authority.remove_prefix(at + 1);
    if (authority.empty()) return false;
  }
  if (!ParseHostAndPort(authority, to_ascii)) return false;
  ParsePathStart(rest.substr(end));
  return true;
}

void Url::ParseCredentials(std::string_view text) {
  size_t colon = text.find(':');
  AppendPercentEncoded(text.substr(0, colon), PercentSet::kUserinfo, &username);
  if (colon != kNone) AppendPercentEncoded(text.substr(colon + 1), PercentSet::kUserinfo, &password);
}

bool Url::ParseHostAndPort(std::string_view text, DomainToAscii to_ascii) {
  bool in_brackets = false;
  size_t colon = kNone;
  for (size_t i = 0; i < text.size() && colon == kNone; i++) {
    if (text[i] == '[')
      in_brackets = true;
    else if (text[i] == ']')
      in_brackets = false;
    else if (text[i] == ':' && !in_brackets)
      colon = i;
  }
  std::string_view host_text = text.substr(0, colon);
  if (host_text.empty() && (special() || colon != kNone)) return false;
  has_host = true;
  if (host_text.empty()) return true;
  if (!ParseHost(host_text, special(), to_ascii, &host)) return false;
  return colon == kNone || ParsePort(text.substr(colon + 1));
}

bool Url::ParsePort(std::string_view digits) {
  if (digits.empty()) return true;
  uint32_t value = 0;
  for (char c : digits) {
    if (!IsDigit(c)) return false;
    value = value * 10 + static_cast<uint32_t>(c - '0');
    if (value > 0xffff) return false;
  }
  port = static_cast<int>(value) == DefaultPort(type) ? kNoPort : static_cast<int>(value);
  return true;
}

/// The path that follows a host: what is there is empty or begins with a slash or '?'.
void Url::ParsePathStart(std::string_view rest) {
  if (!rest.empty() && IsSlash(rest[0])) return ParsePath(rest.substr(1));
  if (special()) return ParsePath(rest);
  if (rest.starts_with('?')) SetQuery(rest.substr(1));
}

/// Path and query: `rest` begins after the slash of the path's first new segment.
void Url::ParsePath(std::string_view rest) {
  size_t question = rest.find('?');
  AppendSegments(rest.substr(0, question));
  if (question != kNone) SetQuery(rest.substr(question + 1));
}

void Url::AppendSegments(std::string_view text) {
  size_t at = 0;
  while (true) {
    size_t end = std::min(FindSlash(text, at), text.size());
    std::string_view segment = text.substr(at, end - at);
    bool last = end == text.size();
    if (IsDoubleDot(segment)) {
      ShortenPath();
      if (last) path.push_back('/');
    } else if (IsSingleDot(segment)) {
      if (last) path.push_back('/');
    } else if (file() && path.empty() && IsDriveLetter(segment)) {
      path.push_back('/');
      path.push_back(segment[0]);
      path.push_back(':');
    } else {
      path.push_back('/');
      AppendPercentEncoded(segment, PercentSet::kPath, &path);
    }
    if (last) return;
    at = end + 1;
  }
}

/// A last space before a query or fragment is encoded, lest it be lost when what follows is taken away.
void Url::ParseOpaquePath(std::string_view rest, bool fragment_follows) {
  opaque_path = true;
  size_t question = rest.find('?');
  std::string_view text = rest.substr(0, question);
  bool encode_space = text.ends_with(' ') && (question != kNone || fragment_follows);
  if (encode_space) text.remove_suffix(1);
  path.clear();
  AppendPercentEncoded(text, PercentSet::kC0Control, &path);
  if (encode_space) path.append("%20");
  if (question != kNone) SetQuery(rest.substr(question + 1));
}

void Url::ShortenPath() {
  bool lone_drive = file() && path.size() == 3 && IsAlpha(path[1]) && path[2] == ':';
  if (lone_drive || path.empty()) return;
  path.resize(path.rfind('/'));
}

// --- serialising (clause 4.5) ---

void Url::Serialize(std::string* href, UrlOffsets* offsets) const {
  auto at = [&] { return static_cast<uint32_t>(href->size()); };
  href->assign(scheme);
  href->push_back(':');
  offsets->scheme_type = static_cast<uint32_t>(type);
  offsets->protocol_end = at();
  if (has_host) href->append("//");
  href->append(username);
  offsets->username_end = at();
  if (!password.empty()) {
    href->push_back(':');
    href->append(password);
  }
  offsets->host_start = at();
  if (has_host) {
    if (!username.empty() || !password.empty()) href->push_back('@');
    href->append(host);
  }
  offsets->host_end = at();
  offsets->port = UrlOffsets::kOmitted;
  if (port != kNoPort) {
    offsets->port = static_cast<uint32_t>(port);
    char digits[8];
    char* end = std::to_chars(digits, digits + sizeof(digits), port).ptr;
    href->push_back(':');
    href->append(digits, end);
  }
  if (!has_host && !opaque_path && path.starts_with("//")) href->append("/.");
  offsets->pathname_start = at();
  href->append(path);
  offsets->search_start = UrlOffsets::kOmitted;
  if (has_query) {
    offsets->search_start = at();
    href->push_back('?');
    href->append(query);
  }
  offsets->hash_start = UrlOffsets::kOmitted;
  if (has_fragment) {
    offsets->hash_start = at();
    href->push_back('#');
    href->append(fragment);
  }
}

// --- the setters (clause 6.1), each the parser with a state override ---

void Url::SetProtocol(std::string_view value) {
  std::string text = WithoutTabsAndNewlines(value) + ":";
  std::string_view name = SchemeOf(text);
  if (name.empty()) return;
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), Lower);
  SchemeType new_type = TypeOf(lower);
  if ((new_type != SchemeType::kNotSpecial) != special()) return;
  bool has_credentials = !username.empty() || !password.empty();
  if (new_type == SchemeType::kFile && (has_credentials || port != kNoPort)) return;
  if (file() && host.empty()) return;
  scheme = lower;
  type = new_type;
  if (port == DefaultPort(type)) port = kNoPort;
}

void Url::SetUsername(std::string_view value) {
  if (CannotHaveCredentials()) return;
  username.clear();
  AppendPercentEncoded(value, PercentSet::kUserinfo, &username);
}

void Url::SetPassword(std::string_view value) {
  if (CannotHaveCredentials()) return;
  password.clear();
  AppendPercentEncoded(value, PercentSet::kUserinfo, &password);
}

namespace {

/// The text that a host setter looks at, and the colon that ends the host within it.
struct HostText {
  std::string_view host;
  bool has_colon = false;
  std::string_view port;
};

HostText SplitHost(std::string_view text, bool special) {
  text = text.substr(0, special ? text.find_first_of("/\\?#") : text.find_first_of("/?#"));
  bool in_brackets = false;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '[')
      in_brackets = true;
    else if (text[i] == ']')
      in_brackets = false;
    else if (text[i] == ':' && !in_brackets)
      return {text.substr(0, i), true, text.substr(i + 1)};
  }
  return {text, false, {}};
}

}  // namespace

void Url::SetHost(std::string_view value, DomainToAscii to_ascii) {
  if (opaque_path) return;
  std::string text = WithoutTabsAndNewlines(value);
  std::string parsed;
  if (file()) {
    std::string_view host_text = std::string_view(text).substr(0, text.find_first_of("/\\?#"));
    if (!host_text.empty() && !ParseHost(host_text, true, to_ascii, &parsed)) return;
    host = parsed == "localhost" ? std::string() : parsed;
    return;
  }
  HostText split = SplitHost(text, special());
  if (split.host.empty() && (special() || split.has_colon)) return;
  bool has_credentials = !username.empty() || !password.empty();
  if (split.host.empty() && (has_credentials || port != kNoPort)) return;
  if (!split.host.empty() && !ParseHost(split.host, special(), to_ascii, &parsed)) return;
  has_host = true;
  host = parsed;
  // A port that starts with digits is taken as far as they go.
  if (split.has_colon && !split.port.empty() && IsDigit(split.port[0])) SetPort(split.port);
}

void Url::SetHostname(std::string_view value, DomainToAscii to_ascii) {
  if (opaque_path) return;
  if (file()) return SetHost(value, to_ascii);
  std::string text = WithoutTabsAndNewlines(value);
  std::string parsed;
  HostText split = SplitHost(text, special());
  if (split.has_colon) return;
  if (split.host.empty() && (special() || !username.empty() || !password.empty() || port != kNoPort)) return;
  if (!split.host.empty() && !ParseHost(split.host, special(), to_ascii, &parsed)) return;
  has_host = true;
  host = parsed;
}

void Url::SetPort(std::string_view value) {
  if (CannotHaveCredentials()) return;
  if (value.empty()) {
    port = kNoPort;
    return;
  }
  std::string text = WithoutTabsAndNewlines(value);
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) digits++;
  if (digits > 0) ParsePort(std::string_view(text).substr(0, digits));
}

void Url::SetPathname(std::string_view value) {
  if (opaque_path) return;
  std::string text = WithoutTabsAndNewlines(value);
  std::string_view rest = text;
  path.clear();
  // Here '?' and '#' are characters of the path; AppendSegments encodes the former, and the latter as well.
  if (!rest.empty() && IsSlash(rest[0]))
    rest.remove_prefix(1);
  else if (rest.empty() && !special() && has_host)
    return;
  AppendSegments(rest);
}

void Url::SetSearch(std::string_view value) {
  if (value.empty()) {
    has_query = false;
    query.clear();
    StripOpaqueTrailingSpaces();
    return;
  }
  if (value.starts_with('?')) value.remove_prefix(1);
  SetQuery(WithoutTabsAndNewlines(value));
}

void Url::SetHash(std::string_view value) {
  if (value.empty()) {
    has_fragment = false;
    fragment.clear();
    StripOpaqueTrailingSpaces();
    return;
  }
  if (value.starts_with('#')) value.remove_prefix(1);
  SetFragment(WithoutTabsAndNewlines(value));
}

void Url::StripOpaqueTrailingSpaces() {
  if (!opaque_path || has_fragment || has_query) return;
  while (path.ends_with(' ')) path.pop_back();
}

}  // namespace gyre::codec
