// The URL Standard (WHATWG): parsing, the setters of class URL, serialising. Every step follows a clause of the
// standard, but bytes of UTF-8 are scanned by parts instead of code points by states.
//
// Thread: any; no shared state. Owner: a Url owns its strings and can be parsed into again, which reuses their memory.
// Invariant: input is well-formed UTF-8 (lone surrogates already replaced), as USVString demands.
#ifndef GYRE_CODEC_URL_H_
#define GYRE_CODEC_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::codec {

/// Unicode's ToASCII as the standard wants it (no STD3 rules, non-transitional); false if the domain is not valid.
/// Given from outside, since it needs ICU's tables.
using DomainToAscii = bool (*)(std::string_view domain, std::string* ascii);

enum class SchemeType : uint8_t { kNotSpecial, kHttp, kHttps, kWs, kWss, kFtp, kFile };

/// Where the parts of a serialised URL lie:
///
///   https://user:pass@example.com:1234/foo/bar?baz#quux
///         |     |    |          | ^^^^|       |   |
///         |     |    |          | |   |       |   `-- hash_start
///         |     |    |          | |   |       `------ search_start
///         |     |    |          | |   `-------------- pathname_start
///         |     |    |          | `------------------ port
///         |     |    |          `-------------------- host_end
///         |     |    `------------------------------- host_start (at the @, if there is one)
///         |     `------------------------------------ username_end
///         `------------------------------------------ protocol_end (after the colon)
struct UrlOffsets {
  static constexpr uint32_t kOmitted = 0xffffffff;
  uint32_t protocol_end;
  uint32_t username_end;
  uint32_t host_start;
  uint32_t host_end;
  uint32_t port;  // kOmitted: none, or the scheme's default
  uint32_t pathname_start;
  uint32_t search_start;  // kOmitted: no query
  uint32_t hash_start;    // kOmitted: no fragment
  uint32_t scheme_type;
};

class Url {
 public:
  static constexpr int kNoPort = -1;

  /// Parses `input` against `base` (which may be null). False if it is no URL; then this holds nothing of use.
  bool Parse(std::string_view input, const Url* base, DomainToAscii to_ascii);

  void Serialize(std::string* href, UrlOffsets* offsets) const;

  // The setters of class URL: they change what can be changed and leave this as it is otherwise.
  void SetProtocol(std::string_view value);
  void SetUsername(std::string_view value);
  void SetPassword(std::string_view value);
  void SetHost(std::string_view value, DomainToAscii to_ascii);
  void SetHostname(std::string_view value, DomainToAscii to_ascii);
  void SetPort(std::string_view value);
  void SetPathname(std::string_view value);
  void SetSearch(std::string_view value);
  void SetHash(std::string_view value);

  bool special() const { return type != SchemeType::kNotSpecial; }
  bool file() const { return type == SchemeType::kFile; }

  std::string scheme;  // without the colon
  SchemeType type = SchemeType::kNotSpecial;
  std::string username;
  std::string password;
  bool has_host = false;
  std::string host;
  int port = kNoPort;
  bool opaque_path = false;
  std::string path;  // a list's segments, each after a slash
  bool has_query = false;
  std::string query;
  bool has_fragment = false;
  std::string fragment;

 private:
  void Clear();
  void SetScheme(std::string_view text);
  bool ParseAfterScheme(std::string_view rest, const Url* base, DomainToAscii to_ascii);
  bool ParseRelative(std::string_view rest, const Url& base, DomainToAscii to_ascii);
  bool ParseFile(std::string_view rest, const Url* base, DomainToAscii to_ascii);
  bool ParseFileHost(std::string_view rest, DomainToAscii to_ascii);
  bool ParseAuthority(std::string_view rest, DomainToAscii to_ascii);
  void ParseCredentials(std::string_view text);
  bool ParseHostAndPort(std::string_view text, DomainToAscii to_ascii);
  bool ParsePort(std::string_view digits);
  void ParsePathStart(std::string_view rest);
  void ParsePath(std::string_view rest);
  void AppendSegments(std::string_view text);
  void ParseOpaquePath(std::string_view rest, bool fragment_follows);
  void SetQuery(std::string_view text);
  void SetFragment(std::string_view text);
  void CopyAuthority(const Url& base);
  void ShortenPath();
  void StripOpaqueTrailingSpaces();
  bool CannotHaveCredentials() const { return !has_host || host.empty() || file(); }
  bool IsSlash(char c) const { return c == '/' || (c == '\\' && special()); }
  size_t FindSlash(std::string_view text, size_t from) const;
};

/// The host parser. Writes the serialised host; false if it is none.
bool ParseHost(std::string_view input, bool is_special, DomainToAscii to_ascii, std::string* out);

// --- percent-encoding ---

enum class PercentSet : uint8_t {
  kC0Control = 1 << 0,
  kFragment = 1 << 1,
  kQuery = 1 << 2,
  kSpecialQuery = 1 << 3,
  kPath = 1 << 4,
  kUserinfo = 1 << 5,
};

void AppendPercentEncoded(std::string_view text, PercentSet set, std::string* out);
std::string PercentDecode(std::string_view text);

}  // namespace gyre::codec

#endif  // GYRE_CODEC_URL_H_
