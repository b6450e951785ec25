// Fuzzes the URL parser. What must hold for any input: no memory error, and what was serialised parses to itself again,
// also after every setter. The input is "base\ninput\nvalue"; the base may be empty.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/url.h"

namespace {

using gyre::codec::Url;
using gyre::codec::UrlOffsets;

std::string Serialize(const Url& url) {
  std::string href;
  UrlOffsets offsets;
  url.Serialize(&href, &offsets);
  bool in_order = offsets.protocol_end <= offsets.username_end && offsets.username_end <= offsets.host_start &&
                  offsets.host_start <= offsets.host_end && offsets.host_end <= offsets.pathname_start &&
                  offsets.pathname_start <= href.size();
  if (!in_order) std::abort();
  return href;
}

void CheckStable(const Url& url) {
  std::string href = Serialize(url);
  Url again;
  if (!again.Parse(href, nullptr, nullptr) || Serialize(again) != href) std::abort();
}

std::string_view TakeLine(std::string_view* text) {
  size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view base_text = TakeLine(&text);
  std::string_view input = TakeLine(&text);
  Url base;
  bool has_base = base.Parse(base_text, nullptr, nullptr);
  Url url;
  if (!url.Parse(input, has_base ? &base : nullptr, nullptr)) return 0;
  CheckStable(url);
  void (Url::* const setters[])(std::string_view) = {&Url::SetProtocol, &Url::SetUsername, &Url::SetPassword,
                                                     &Url::SetPort,     &Url::SetPathname, &Url::SetSearch,
                                                     &Url::SetHash};
  for (auto setter : setters) {
    Url changed = url;
    (changed.*setter)(text);
    // What becomes a file: URL keeps a host `localhost` and a path that begins with `C|`, which the parser would change
    // (URL Standard, "file host state" and "path state").
    if (changed.file() != url.file()) continue;
    CheckStable(changed);
  }
  for (auto setter : {&Url::SetHost, &Url::SetHostname}) {
    Url changed = url;
    (changed.*setter)(text, nullptr);
    CheckStable(changed);
  }
  return 0;
}
