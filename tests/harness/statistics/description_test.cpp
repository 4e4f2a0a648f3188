#include "harness/statistics/description.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/error.hpp"

namespace bench::statistics {
namespace {

TEST(Describe, GivesWhatNumPyGivesForTenValues) {
  const std::vector<double> values = {41.2, 40.9, 43.7, 40.8, 41.0, 58.3, 41.1, 40.7, 42.2, 41.4};
  const Description description = describe(values);
  EXPECT_EQ(description.n, 10);
  EXPECT_DOUBLE_EQ(description.median, 41.15);
  EXPECT_EQ(description.interval, (MedianInterval{40.8, 43.7, false}));
  EXPECT_DOUBLE_EQ(description.mean, 43.13);
  EXPECT_NEAR(*description.standard_deviation, 5.4057685238394475, 1e-12);
  EXPECT_EQ(description.minimum, 40.7);
  EXPECT_EQ(description.maximum, 58.3);
  EXPECT_DOUBLE_EQ(description.p10, 40.79);
  EXPECT_DOUBLE_EQ(description.p90, 45.16);
}

TEST(Describe, ASingleValueHasNeitherAnIntervalNorASpread) {
  const Description description = describe(std::vector<double>{3.5});
  EXPECT_EQ(description.n, 1);
  EXPECT_EQ(description.median, 3.5);
  EXPECT_EQ(description.mean, 3.5);
  EXPECT_EQ(description.p90, 3.5);
  EXPECT_FALSE(description.interval.has_value());
  EXPECT_FALSE(description.standard_deviation.has_value());
}

TEST(Describe, FiveValuesHaveASpreadButNoInterval) {
  const Description description = describe(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_TRUE(description.standard_deviation.has_value());
  EXPECT_FALSE(description.interval.has_value());
}

TEST(Describe, EqualValuesHaveNoSpreadAtAll) {
  const Description description = describe(std::vector<double>(12, 0.1));
  EXPECT_EQ(description.mean, 0.1);
  EXPECT_EQ(description.standard_deviation, 0.0);
  EXPECT_EQ(description.interval, (MedianInterval{0.1, 0.1, false}));
}

TEST(Describe, ADriftCarriesTheCappedFlag) {
  EXPECT_TRUE(describe(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).interval->capped);
}

TEST(Describe, NoValuesAreABugOfTheCaller) {
  EXPECT_THROW(describe(std::vector<double>{}), Error);
}

Description with_interval(double median, double low, double high, bool capped = false) {
  Description description;
  description.n = 20;
  description.median = median;
  description.interval = MedianInterval{low, high, capped};
  return description;
}

TEST(IntervalWithin, AsksForBothEndsWithinTheShareOfTheMedian) {
  EXPECT_TRUE(interval_within(with_interval(100, 99, 101), 0.01));
  EXPECT_FALSE(interval_within(with_interval(100, 98.9, 101), 0.01));
  EXPECT_FALSE(interval_within(with_interval(100, 99, 101.1), 0.01));
  EXPECT_FALSE(interval_within(with_interval(100, 99.9, 101.5), 0.01));  // half its width is 0.8%
}

TEST(IntervalWithin, IsNeverTrueWithoutAnInterval) {
  EXPECT_FALSE(interval_within(describe(std::vector<double>{1, 1, 1, 1, 1}), 0.01));
  EXPECT_TRUE(interval_within(describe(std::vector<double>{1, 1, 1, 1, 1, 1}), 0.01));
}

TEST(IntervalWithin, IsNeverTrueForACappedInterval) {
  EXPECT_FALSE(interval_within(with_interval(100, 99.9, 100.1, true), 0.01));
}

TEST(IntervalWithin, WorksForNegativeAndZeroMedians) {
  EXPECT_TRUE(interval_within(with_interval(-100, -101, -99), 0.01));
  EXPECT_TRUE(interval_within(with_interval(0, 0, 0), 0.01));
  EXPECT_FALSE(interval_within(with_interval(0, 0, 0.001), 0.01));
}

}  // namespace
}  // namespace bench::statistics
