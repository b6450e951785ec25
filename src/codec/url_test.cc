#include "codec/url.h"

#include <gtest/gtest.h>

#include <string>

namespace gyre::codec {
namespace {

/// The serialised URL, or "failure".
std::string Parse(std::string_view input, const char* base_text = nullptr) {
  Url base;
  if (base_text != nullptr && !base.Parse(base_text, nullptr, nullptr)) return "bad base";
  Url url;
  if (!url.Parse(input, base_text != nullptr ? &base : nullptr, nullptr)) return "failure";
  std::string href;
  UrlOffsets offsets;
  url.Serialize(&href, &offsets);
  return href;
}

TEST(Url, Absolute) {
  EXPECT_EQ(Parse("HTTP://User:Pa:ss@EXAMPLE.com:80/a/./b/../c?q='#f`"),
            "http://User:Pa%3Ass@example.com/a/c?q=%27#f%60");
  EXPECT_EQ(Parse(" \thttps:\\\\h\\p\n "), "https://h/p");
  EXPECT_EQ(Parse("http://h"), "http://h/");
  EXPECT_EQ(Parse("foo://h"), "foo://h");
  EXPECT_EQ(Parse("mailto:a b@c?d"), "mailto:a b@c?d");
  EXPECT_EQ(Parse("data:text  #x"), "data:text %20#x");
  EXPECT_EQ(Parse("foo:/.//p"), "foo:/.//p");
  EXPECT_EQ(Parse("http://a/%2e%2E/b/.%2e"), "http://a/");
}

TEST(Url, Failures) {
  for (const char* input :
       {"", "/a", "http://", "http://a:b@/", "http://h:65536", "http://h:x", "http://a b/", "http://[1::2::3]",
        "http://1.2.3.256", "http://0x100000000", "http://[::1", "http://%00", "foo://a|b"}) {
    EXPECT_EQ(Parse(input), "failure") << input;
  }
  EXPECT_EQ(Parse("x", "mailto:a"), "failure");
}

TEST(Url, Relative) {
  const char* base = "http://u:p@h:81/a/b?q#f";
  EXPECT_EQ(Parse("", base), "http://u:p@h:81/a/b?q");
  EXPECT_EQ(Parse("c/../d", base), "http://u:p@h:81/a/d");
  EXPECT_EQ(Parse("/e", base), "http://u:p@h:81/e");
  EXPECT_EQ(Parse("//i/e", base), "http://i/e");
  EXPECT_EQ(Parse("?x", base), "http://u:p@h:81/a/b?x");
  EXPECT_EQ(Parse("#y", base), "http://u:p@h:81/a/b?q#y");
  EXPECT_EQ(Parse("http:z", base), "http://u:p@h:81/a/z");
  EXPECT_EQ(Parse("#z", "mailto:a"), "mailto:a#z");
}

TEST(Url, Files) {
  EXPECT_EQ(Parse("file:///C|/x/../.."), "file:///C:/");
  EXPECT_EQ(Parse("file://localhost/a"), "file:///a");
  EXPECT_EQ(Parse("file:a", "file:///C:/b/c"), "file:///C:/b/a");
  EXPECT_EQ(Parse("/a", "file:///C:/b/c"), "file:///C:/a");
  EXPECT_EQ(Parse("//h/a", "file:///b"), "file://h/a");
  EXPECT_EQ(Parse("file:"), "file:///");
}

TEST(Url, Addresses) {
  EXPECT_EQ(Parse("http://0x7f.1"), "http://127.0.0.1/");
  EXPECT_EQ(Parse("http://017700000001"), "http://127.0.0.1/");
  EXPECT_EQ(Parse("http://[1:0:0:2::3]"), "http://[1:0:0:2::3]/");
  EXPECT_EQ(Parse("http://[::ffff:1.2.3.4]"), "http://[::ffff:102:304]/");
  EXPECT_EQ(Parse("http://[1:2:3:4:5:6:7:0]"), "http://[1:2:3:4:5:6:7:0]/");
  EXPECT_EQ(Parse("foo://[::1]:9/"), "foo://[::1]:9/");
}

TEST(Url, Offsets) {
  Url url;
  ASSERT_TRUE(url.Parse("https://user:pass@example.com:1234/foo/bar?baz#quux", nullptr, nullptr));
  std::string href;
  UrlOffsets offsets;
  url.Serialize(&href, &offsets);
  EXPECT_EQ(href.substr(0, offsets.protocol_end), "https:");
  EXPECT_EQ(href.substr(offsets.username_end, offsets.host_start - offsets.username_end), ":pass");
  EXPECT_EQ(href.substr(offsets.host_start, offsets.host_end - offsets.host_start), "@example.com");
  EXPECT_EQ(offsets.port, 1234u);
  EXPECT_EQ(href.substr(offsets.pathname_start, offsets.search_start - offsets.pathname_start), "/foo/bar");
  EXPECT_EQ(href.substr(offsets.hash_start), "#quux");
}

std::string Set(std::string_view input, void (Url::*setter)(std::string_view), std::string_view value) {
  Url url;
  if (!url.Parse(input, nullptr, nullptr)) return "failure";
  (url.*setter)(value);
  std::string href;
  UrlOffsets offsets;
  url.Serialize(&href, &offsets);
  return href;
}

TEST(Url, Setters) {
  EXPECT_EQ(Set("http://h:443/", &Url::SetProtocol, "https:x"), "https://h/");
  EXPECT_EQ(Set("http://h/", &Url::SetProtocol, "foo"), "http://h/");
  EXPECT_EQ(Set("http://h/", &Url::SetPort, "90x"), "http://h:90/");
  EXPECT_EQ(Set("http://h:90/", &Url::SetPort, ""), "http://h/");
  EXPECT_EQ(Set("http://h/?a", &Url::SetPathname, "b?#c"), "http://h/b%3F%23c?a");
  EXPECT_EQ(Set("http://h/?a", &Url::SetSearch, ""), "http://h/");
  EXPECT_EQ(Set("http://h/", &Url::SetHash, "#x y"), "http://h/#x%20y");
  EXPECT_EQ(Set("http://h/", &Url::SetHash, "\n#x"), "http://h/##x");
  EXPECT_EQ(Set("http://h/", &Url::SetUsername, "a@b"), "http://a%40b@h/");
  EXPECT_EQ(Set("mailto:a", &Url::SetPathname, "b"), "mailto:a");
}

}  // namespace
}  // namespace gyre::codec
