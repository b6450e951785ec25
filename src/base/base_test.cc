// The foundations: lists, errors and their names, owned descriptors and blocks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/errno_table.h"
#include "base/intrusive_list.h"
#include "base/json.h"
#include "base/owned_fd.h"
#include "base/result.h"

namespace gyre::base {
namespace {

struct Item : ListNode<Item> {
  explicit Item(int number) : value(number) {}
  int value;
};

std::vector<int> Values(const IntrusiveList<Item>& list) {
  std::vector<int> values;
  for (Item* item = list.Front(); item != nullptr; item = list.Next(item)) values.push_back(item->value);
  return values;
}

TEST(IntrusiveListTest, KeepsOrderAndUnlinksAnywhere) {
  IntrusiveList<Item> list;
  Item a(1), b(2), c(3), d(0);
  list.PushBack(&a);
  list.PushBack(&b);
  list.PushBack(&c);
  list.PushFront(&d);
  EXPECT_EQ(Values(list), (std::vector<int>{0, 1, 2, 3}));
  b.Unlink();
  EXPECT_FALSE(b.IsLinked());
  EXPECT_EQ(Values(list), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(list.PopFront(), &d);
  EXPECT_EQ(list.Back(), &c);
  EXPECT_EQ(list.CountSlow(), 2u);
}

TEST(IntrusiveListTest, PushingMovesFromAnotherList) {
  IntrusiveList<Item> first, second;
  Item a(1), b(2);
  first.PushBack(&a);
  first.PushBack(&b);
  second.PushBack(&a);
  EXPECT_EQ(Values(first), std::vector<int>{2});
  EXPECT_EQ(Values(second), std::vector<int>{1});
  second.Append(first);
  EXPECT_TRUE(first.IsEmpty());
  EXPECT_EQ(Values(second), (std::vector<int>{1, 2}));
  second.Append(first);
  EXPECT_EQ(second.CountSlow(), 2u);
}

TEST(IntrusiveListTest, DestroyedElementsAndListsLeaveNoTrace) {
  Item outliving(1);
  {
    IntrusiveList<Item> list;
    list.PushBack(&outliving);
    auto dying = std::make_unique<Item>(2);
    list.PushBack(dying.get());
    dying.reset();
    EXPECT_EQ(Values(list), std::vector<int>{1});
  }
  EXPECT_FALSE(outliving.IsLinked());
}

TEST(ErrnoTableTest, NamesAndTextsAreThoseOfLibuv) {
  EXPECT_STREQ(ErrnoName(ENOENT), "ENOENT");
  EXPECT_STREQ(ErrnoMessage(ENOENT), "no such file or directory");
  EXPECT_STREQ(ErrnoName(EOPNOTSUPP), "ENOTSUP");
  EXPECT_STREQ(ErrnoName(kErrEof), "EOF");
  EXPECT_STREQ(ErrnoMessage(kErrAiNoName), "unknown node or service");
  EXPECT_EQ(ErrnoName(12'345), nullptr);
  std::set<int> numbers;
  for (const ErrnoEntry& entry : ErrnoTable()) EXPECT_TRUE(numbers.insert(entry.err).second) << entry.name;
}

TEST(ErrnoTableTest, MapsAddressLookUp) {
  EXPECT_EQ(ErrFromEai(0), 0);
  EXPECT_EQ(ErrFromEai(EAI_NONAME), kErrAiNoName);
  EXPECT_EQ(ErrFromEai(EAI_AGAIN), kErrAiAgain);
  errno = EMFILE;
  EXPECT_EQ(ErrFromEai(EAI_SYSTEM), EMFILE);
}

TEST(ResultTest, CarriesErrorsAcrossTypes) {
  const auto fail = []() -> Result<int> { return Err(ENOENT, "open", "/a", "/b"); };
  Result<int> failed = fail();
  ASSERT_FALSE(failed);
  const Result<std::string> other = Err(std::move(failed.error().WithSyscall("stat")));
  EXPECT_EQ(other.error().err, ENOENT);
  EXPECT_STREQ(other.error().syscall, "stat");
  EXPECT_EQ(other.error().path, "/a");
  EXPECT_EQ(other.error().dest, "/b");
}

TEST(OwnedFdTest, ClosesOnceAndKeepsErrno) {
  OwnedFd fd(::open("/dev/null", O_RDONLY));
  const int number = fd.get();
  OwnedFd moved = std::move(fd);
  EXPECT_FALSE(fd);  // NOLINT: moved-from is empty by contract
  errno = EXDEV;
  moved.Reset();
  EXPECT_EQ(errno, EXDEV);
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(BytesTest, GrowsShrinksAndGivesUp) {
  Bytes bytes = Bytes::Allocate(3);
  bytes.data()[0] = 'a';
  ASSERT_TRUE(bytes.Resize(100'000));
  EXPECT_EQ(bytes.data()[0], 'a');
  ASSERT_TRUE(bytes.Resize(1));
  EXPECT_EQ(bytes.view(), "a");
  Bytes moved = std::move(bytes);
  EXPECT_EQ(bytes.size(), 0u);  // NOLINT: moved-from is empty by contract
  uint8_t* raw = moved.Release();
  EXPECT_EQ(moved.size(), 0u);
  std::free(raw);
  EXPECT_EQ(Bytes::Allocate(0).size(), 0u);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  // The sanitizers' malloc stops the process instead.
  EXPECT_EQ(Bytes::Allocate(SIZE_MAX / 2).data(), nullptr) << "no memory is no crash";
#endif
}

TEST(ClockTest, MonotonicTimePasses) {
  const uint64_t first = MonotonicNanos();
  EXPECT_GE(MonotonicNanos(), first);
  EXPECT_GT(WallNanos(), 1'600'000'000'000'000'000u);
}

TEST(CheckDeathTest, SaysWhereAndWhat) {
  EXPECT_DEATH(CHECK(1 + 1 == 3), "base_test.cc:[0-9]+: Check failed: 1 \\+ 1 == 3");
}

TEST(JsonTest, QuotesWhatHasToBe) {
  std::string text;
  AppendJsonString(text, std::string_view("a\"\\\n\0\xc3\xa9", 7));
  EXPECT_EQ(text, "\"a\\\"\\\\\\u000a\\u0000\xc3\xa9\"");
}

}  // namespace
}  // namespace gyre::base
