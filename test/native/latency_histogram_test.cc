#include "native/core/latency_histogram.h"

#include <gtest/gtest.h>

#include <limits>

namespace isobox {
namespace {

TEST(LatencyHistogram, IsZeroWhenEmpty) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.Percentile(0.5), 0U);
  EXPECT_EQ(histogram.Percentile(1.0), 0U);
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  for (uint64_t us = 0; us < 16; ++us) {
    LatencyHistogram histogram;
    histogram.Record(us);
    EXPECT_EQ(histogram.Percentile(0.5), us);
  }
}

TEST(LatencyHistogram, LargeValuesAreWithinOneBucketAbove) {
  for (uint64_t us = 16; us < (uint64_t{1} << 60U); us = us * 5 / 4 + 1) {
    LatencyHistogram histogram;
    histogram.Record(us);
    const uint64_t bound = histogram.Percentile(0.5);
    EXPECT_GE(bound, us);
    EXPECT_LE(static_cast<double>(bound), static_cast<double>(us) * 1.0626);
  }
}

TEST(LatencyHistogram, BucketBordersDoNotOverlap) {
  // The upper bound of each value's bucket is a value of that same bucket, and the next is not.
  for (uint64_t us = 1; us < 100000; us += 7) {
    LatencyHistogram histogram;
    histogram.Record(us);
    const uint64_t bound = histogram.Percentile(1.0);
    LatencyHistogram of_bound;
    of_bound.Record(bound);
    EXPECT_EQ(of_bound.Percentile(1.0), bound);
    LatencyHistogram of_next;
    of_next.Record(bound + 1);
    EXPECT_GT(of_next.Percentile(1.0), bound);
  }
}

TEST(LatencyHistogram, TakesTheLargestValue) {
  LatencyHistogram histogram;
  histogram.Record(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(histogram.Percentile(0.99), std::numeric_limits<uint64_t>::max());
}

TEST(LatencyHistogram, PercentilesFollowTheRanks) {
  LatencyHistogram histogram;
  for (uint64_t us = 1; us <= 1000; ++us)
    histogram.Record(us);
  EXPECT_EQ(histogram.count(), 1000U);
  const auto expect_near = [&](double fraction, uint64_t us) {
    EXPECT_GE(histogram.Percentile(fraction), us);
    EXPECT_LE(static_cast<double>(histogram.Percentile(fraction)),
              static_cast<double>(us) * 1.0626);
  };
  expect_near(0.50, 500);
  expect_near(0.95, 950);
  expect_near(0.99, 990);
  expect_near(1.00, 1000);
  EXPECT_EQ(histogram.Percentile(0), 1U);
}

TEST(LatencyHistogram, OneOutlierShowsOnlyInTheTail) {
  LatencyHistogram histogram;
  for (int i = 0; i < 99; ++i)
    histogram.Record(10);
  histogram.Record(1000000);
  EXPECT_EQ(histogram.Percentile(0.50), 10U);
  EXPECT_EQ(histogram.Percentile(0.99), 10U);
  EXPECT_GE(histogram.Percentile(1.00), 1000000U);
}

}  // namespace
}  // namespace isobox
