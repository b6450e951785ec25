#include "base/clamp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gyre::base {
namespace {

TEST(ClampTo, StaysInRange) {
  EXPECT_EQ(ClampTo<int>(-1.9), -1);
  EXPECT_EQ(ClampTo<int>(-INFINITY), std::numeric_limits<int>::min());
  EXPECT_EQ(ClampTo<int>(1e300), std::numeric_limits<int>::max());
  EXPECT_EQ(ClampTo<int>(NAN), 0);
  EXPECT_EQ(ClampTo<unsigned>(-1), 0u);
  EXPECT_EQ(ClampTo<size_t>(18446744073709551616.0), std::numeric_limits<size_t>::max());
}

}  // namespace
}  // namespace gyre::base
