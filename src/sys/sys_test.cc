// Addresses, socket calls and the fault seam.
#include <gtest/gtest.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "sys/fault.h"
#include "sys/socket_address.h"
#include "sys/sockets.h"

namespace gyre::sys {
namespace {

TEST(SocketAddressTest, ParsesAndPrintsIp) {
  const auto v4 = SocketAddress::FromIp("127.0.0.1", 80);
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->family(), AF_INET);
  EXPECT_EQ(v4->port(), 80);
  EXPECT_EQ(v4->ToString(), "127.0.0.1");
  const auto v6 = SocketAddress::FromIp("2001:db8::1", 65535);
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->ToString(), "2001:db8::1");
  EXPECT_EQ(v6->port(), 65535);
  EXPECT_EQ(SocketAddress::FromIp("fe80::1%lo", 1)->ToString(), "fe80::1%lo");
  for (const char* bad : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "localhost", ":::", "1.2.3.4 ", "0x7f.1"}) {
    EXPECT_FALSE(SocketAddress::FromIp(bad, 1)) << bad;
  }
  // Fault F67: what follows a NUL must not be overlooked.
  EXPECT_FALSE(SocketAddress::FromIp(std::string_view("127.0.0.1\0.evil", 15), 1));
}

TEST(SocketAddressTest, LocalPathsHaveLimits) {
  EXPECT_EQ(SocketAddress::FromPath("/tmp/x")->ToString(), "/tmp/x");
  EXPECT_EQ(SocketAddress::FromPath("").error().err, EINVAL);
  EXPECT_TRUE(SocketAddress::FromPath(std::string(sizeof(sockaddr_un::sun_path) - 1, 'p')));
  EXPECT_EQ(SocketAddress::FromPath(std::string(sizeof(sockaddr_un::sun_path), 'p')).error().err, ENAMETOOLONG);
  const std::string abstract = std::string("\0name", 5);
  EXPECT_EQ(SocketAddress::FromPath(abstract)->ToString(), abstract);
}

TEST(SocketsTest, ReportErrorsWithTheirCall) {
  EXPECT_STREQ(Listen(-1, 1).error().syscall, "listen");
  EXPECT_EQ(Listen(-1, 1).error().err, EBADF);
  EXPECT_STREQ(LocalAddress(-1).error().syscall, "getsockname");
  EXPECT_EQ(Socket(AF_INET, 99).error().err, EINVAL);
}

TEST(SocketsTest, SendsAtMostWhatTheFaultAllows) {
  class Short : public FaultPlan {
   public:
    int Fail(Call, int) override { return 0; }
    size_t Limit(Call, int, size_t) override { return 4; }
  } plan;
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  base::OwnedFd a(fds[0]), b(fds[1]);
  char one[] = "abc", two[] = "defg";
  const iovec vectors[] = {{one, 3}, {two, 4}};
  ScopedFaultPlan faults(&plan);
  EXPECT_EQ(*Send(a.get(), vectors), 4u);
  uint8_t buffer[16];
  EXPECT_EQ(*Read(b.get(), buffer), 4u);
  EXPECT_EQ(std::string(buffer, buffer + 4), "abcd");
}

TEST(FaultTest, PlansNestAndEnd) {
  class Always : public FaultPlan {
   public:
    explicit Always(int err) : err_(err) {}
    int Fail(Call, int) override { return err_; }
    int err_;
  } outer(EIO), inner(ENOSPC);
  EXPECT_EQ(InjectedError(Call::kRead), 0);
  {
    ScopedFaultPlan first(&outer, FaultScope::kProcess);
    EXPECT_EQ(InjectedError(Call::kRead), EIO);
    {
      ScopedFaultPlan second(&inner);
      EXPECT_EQ(InjectedError(Call::kRead), ENOSPC);
      EXPECT_EQ(ThreadFaultPlan(), &inner);
    }
    EXPECT_EQ(InjectedError(Call::kRead), EIO);
  }
  EXPECT_EQ(InjectedError(Call::kRead), 0);
}

}  // namespace
}  // namespace gyre::sys
