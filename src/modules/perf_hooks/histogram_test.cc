#include "modules/perf_hooks/histogram.h"

#include <gtest/gtest.h>

#include <vector>

namespace gyre::modules {
namespace {

TEST(Histogram, IsEmptyAtFirst) {
  Histogram histogram(1, INT64_MAX / 2, 3);
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.Min(), INT64_MAX);
  EXPECT_EQ(histogram.Max(), 0);
  EXPECT_NE(histogram.Mean(), histogram.Mean());  // NaN
}

TEST(Histogram, KeepsTheFiguresAskedFor) {
  Histogram histogram(1, 1'000'000'000, 3);
  for (int64_t value : {1, 1000, 1'234'567}) ASSERT_TRUE(histogram.Record(value));
  EXPECT_EQ(histogram.Min(), 1);
  EXPECT_NEAR(static_cast<double>(histogram.Max()), 1'234'567, 1'234'567 / 1000.0);
  EXPECT_EQ(histogram.Percentile(50), 1000);
}

TEST(Histogram, CountsWhatIsOutOfRange) {
  Histogram histogram(1, 10, 1);
  EXPECT_TRUE(histogram.Record(5));
  EXPECT_FALSE(histogram.Record(1'000'000));
  EXPECT_FALSE(histogram.Record(-1));
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.exceeds(), 2u);
}

TEST(Histogram, PercentilesHalveTheDistanceToTheTop) {
  Histogram histogram(1, 1'000'000, 3);
  for (int value = 1; value <= 4; value++) histogram.Record(value);
  std::vector<std::pair<double, int64_t>> seen;
  histogram.ForEachPercentile([&](double percentile, int64_t value) { seen.emplace_back(percentile, value); });
  std::vector<std::pair<double, int64_t>> expected = {{0, 1}, {50, 2}, {75, 3}, {87.5, 4}, {100, 4}};
  EXPECT_EQ(seen, expected);
}

TEST(Histogram, TheFirstDeltaOnlyStartsTheClock) {
  Histogram histogram(1, 1'000'000, 3);
  EXPECT_EQ(histogram.RecordDelta(1000), 0u);
  EXPECT_EQ(histogram.RecordDelta(1500), 500u);
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.Max(), 500);
}

TEST(Histogram, AddMergesAndResetForgets) {
  Histogram one(1, 1'000'000, 3);
  Histogram other(1, 1'000'000, 3);
  one.Record(1);
  other.Record(7);
  one.Add(other);
  EXPECT_EQ(one.count(), 2u);
  EXPECT_EQ(one.Max(), 7);
  one.Reset();
  EXPECT_EQ(one.count(), 0u);
}

}  // namespace
}  // namespace gyre::modules
