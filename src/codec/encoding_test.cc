#include "codec/encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gyre::codec {
namespace {

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Decode64(std::string_view text, size_t room = 100) {
  std::vector<uint8_t> out(room);
  size_t size = Base64Decode(Bytes(text), std::span<uint8_t>(out));
  return std::string(out.begin(), out.begin() + static_cast<long>(size));
}

TEST(Encoding, HexRoundTrip) {
  std::string all;
  for (int i = 0; i < 256; i++) all.push_back(static_cast<char>(i));
  std::string text = HexEncode(Bytes(all));
  EXPECT_EQ(text.substr(0, 8), "00010203");
  EXPECT_EQ(text.substr(506), "fdfeff");
  std::vector<uint8_t> out(256);
  EXPECT_EQ(HexDecode(Bytes(text), std::span<uint8_t>(out)), 256u);
  EXPECT_EQ(std::string(out.begin(), out.end()), all);
}

TEST(Encoding, HexStopsAtTheFirstBadPair) {
  std::vector<uint8_t> out(8);
  EXPECT_EQ(HexDecode(Bytes("abxxcd"), std::span<uint8_t>(out)), 1u);
  EXPECT_EQ(HexDecode(Bytes("abc"), std::span<uint8_t>(out)), 1u);
  const uint16_t wide[] = {'a', 'b', 0x161, 'c'};
  EXPECT_EQ(HexDecode(std::span<const uint16_t>(wide), std::span<uint8_t>(out)), 1u);
}

TEST(Encoding, Base64Padding) {
  EXPECT_EQ(Base64Encode(Bytes("a"), Base64Alphabet::kStandard), "YQ==");
  EXPECT_EQ(Base64Encode(Bytes("ab"), Base64Alphabet::kStandard), "YWI=");
  EXPECT_EQ(Base64Encode(Bytes("abc"), Base64Alphabet::kStandard), "YWJj");
  EXPECT_EQ(Base64Encode(Bytes("a\xff\xfe"), Base64Alphabet::kUrl), "Yf_-");
  EXPECT_EQ(Base64Encode(Bytes("a"), Base64Alphabet::kUrl), "YQ");
}

TEST(Encoding, Base64DecodesLeniently) {
  EXPECT_EQ(Decode64("YQ==YQ=="), "a");
  EXPECT_EQ(Decode64("YW=Jj"), "a");
  EXPECT_EQ(Decode64("=YWJj"), "");
  EXPECT_EQ(Decode64("YW\nJj*"), "abc");
  EXPECT_EQ(Decode64("Y"), "");
  EXPECT_EQ(Decode64("YWJjZ==="), "abc");
  EXPECT_EQ(Decode64("Y-_/+w"), "c\xef\xff\xfb");
  EXPECT_EQ(Decode64("YWJj", 2), "ab");
}

TEST(Encoding, Base64OfUtf16CountsLowBytes) {
  std::vector<uint8_t> out(6);
  const uint16_t wide[] = {'Y', 'W', 'J', 'j', 0x4141, 'Z', 'G', 'V'};
  EXPECT_EQ(Base64Decode(std::span<const uint16_t>(wide), std::span<uint8_t>(out)), 6u);
  EXPECT_EQ(out[3], 0x01);
}

TEST(Encoding, Base64DecodedBound) {
  EXPECT_EQ(Base64DecodedBound(Bytes("")), 0u);
  EXPECT_EQ(Base64DecodedBound(Bytes("Y")), 0u);
  EXPECT_EQ(Base64DecodedBound(Bytes("YQ==")), 1u);
  EXPECT_EQ(Base64DecodedBound(Bytes("YWJ")), 2u);
  EXPECT_EQ(Base64DecodedBound(Bytes("YQ==YQ==")), 4u);
}

}  // namespace
}  // namespace gyre::codec
