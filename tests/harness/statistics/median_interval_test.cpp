#include "harness/statistics/median_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/statistics/descriptive.hpp"

namespace bench::statistics {
namespace {

TEST(MedianRanks, AreThoseOfTheBinomialTables) {
  struct Row {
    std::int64_t n, low, high;
    double coverage;
  };
  // scipy.stats.binom 1.17; rows 6 to 30 also stand in printed tables of intervals for the median.
  const std::vector<Row> rows = {{6, 1, 6, 0.96875},
                                 {7, 1, 7, 0.984375},
                                 {8, 1, 8, 0.9921875},
                                 {9, 2, 8, 0.9609375},
                                 {10, 2, 9, 0.978515625},
                                 {15, 4, 12, 0.96484375},
                                 {17, 5, 13, 0.950958251953125},
                                 {25, 8, 18, 0.9567147493362427},
                                 {30, 10, 21, 0.9572260547429323},
                                 {99, 40, 60, 0.9561247064129847},
                                 {100, 40, 61, 0.9647997997822951},
                                 {1000, 469, 532, 0.9537088026395019},
                                 {99999, 49690, 50310, 0.9500774028502271},
                                 {100000, 49690, 50311, 0.9504442853304776},
                                 {1000000, 499020, 500981, 0.9501210313476314}};
  for (const Row& row : rows) {
    EXPECT_EQ(median_ranks(row.n), (MedianRanks{row.low, row.high, false})) << row.n;
    EXPECT_NEAR(coverage_of_ranks(row.n, row.low), row.coverage, row.n < 10000 ? 1e-12 : 2e-8) << row.n;
  }
}

TEST(MedianRanks, CoverAtLeast95PercentAndOneRankFurtherInWouldNot) {
  for (std::int64_t n = 6; n <= 2000; ++n) {
    const MedianRanks ranks = *median_ranks(n);
    EXPECT_EQ(ranks.low + ranks.high, n + 1);
    EXPECT_GE(coverage_of_ranks(n, ranks.low), 0.95) << n;
    EXPECT_LT(coverage_of_ranks(n, ranks.low + 1), 0.95) << n;
  }
}

TEST(MedianRanks, DoNotExistBelowSixValues) {
  for (std::int64_t n : {0, 1, 2, 5}) EXPECT_FALSE(median_ranks(n).has_value()) << n;
}

TEST(MedianRanks, MoveOutwardsByTheSquareRootOfTheLostInformation) {
  // r = 0.6: factor 2. n = 30: 15.5 - 2 * 5.5 = 4.5, outwards to 4. n = 99: 50 - 2 * 10 = 30, already whole.
  EXPECT_EQ(median_ranks(30, 0.6), (MedianRanks{4, 27, false}));
  EXPECT_EQ(median_ranks(99, 0.6), (MedianRanks{30, 70, false}));
  // r = 0.8: factor 3, in floating point a little more; 50 - 3 * 10 is 20 all the same.
  EXPECT_EQ(median_ranks(99, 0.8), (MedianRanks{20, 80, false}));
}

TEST(MedianRanks, AreNotNarrowedByANegativeAutocorrelation) {
  EXPECT_EQ(median_ranks(30, -0.9), (MedianRanks{10, 21, false}));
}

TEST(MedianRanks, StopAtTheExtremesAndSaySo) {
  EXPECT_EQ(median_ranks(10, 0.7), (MedianRanks{1, 10, true}));
  EXPECT_EQ(median_ranks(6, 0.01), (MedianRanks{1, 6, true}));
  EXPECT_EQ(median_ranks(100, 1.0), (MedianRanks{1, 100, true}));
}

TEST(MedianRanks, ReachingTheExtremesWithoutNeedingMoreIsNotCapped) {
  // n = 10: the distance 3.5 may grow to 4.5, that is by 9/7: r = (81 - 49) / (81 + 49).
  EXPECT_EQ(median_ranks(10, 32.0 / 130.0), (MedianRanks{1, 10, false}));
  EXPECT_EQ(median_ranks(10, 32.1 / 130.0), (MedianRanks{1, 10, true}));
}

TEST(CoverageOfRanks, OfTheWholeRangeMissesTwoHalvesToTheN) {
  EXPECT_DOUBLE_EQ(coverage_of_ranks(2, 1), 0.5);
  EXPECT_DOUBLE_EQ(coverage_of_ranks(5, 1), 0.9375);
  EXPECT_EQ(coverage_of_ranks(5, 3), 0);  // the middle value alone
}

TEST(CoverageOfRanks, RanksOutsideTheHalfAreABugOfTheCaller) {
  EXPECT_THROW(coverage_of_ranks(10, 0), Error);
  EXPECT_THROW(coverage_of_ranks(10, 6), Error);
}

TEST(MedianInterval, OfSixValuesIsTheirRange) {
  // r = -0.55, so nothing is widened.
  EXPECT_EQ(median_interval(std::vector<double>{5, 9, 4, 8, 3, 7}), (MedianInterval{3, 9, false}));
}

TEST(MedianInterval, OfTenValuesIsTheSecondAndTheNinth) {
  const std::vector<double> values = {41.2, 40.9, 43.7, 40.8, 41.0,
                                      58.3, 41.1, 40.7, 42.2, 41.4};  // r = -0.18
  EXPECT_EQ(median_interval(values), (MedianInterval{40.8, 43.7, false}));
}

TEST(MedianInterval, DoesNotExistBelowSixValues) {
  EXPECT_FALSE(median_interval(std::vector<double>{}).has_value());
  EXPECT_FALSE(median_interval(std::vector<double>{1}).has_value());
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2}).has_value());
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}).has_value());
}

TEST(MedianInterval, OfASlowWaveIsWiderThanOfTheSameValuesShuffled) {
  const std::vector<double> wave = {10,   10.1, 10.3, 10.2, 10,  9.8, 9.7, 9.9,  10,   10.1,
                                    10.4, 10.3, 10.1, 9.9,  9.6, 9.7, 9.9, 10.2, 10.1, 10.0,
                                    10.2, 10.3, 10.1, 9.9,  9.8, 9.7, 9.8, 10,   10.1, 10.2};
  EXPECT_NEAR(*lag1_autocorrelation(wave), 0.6375449964002877, 1e-12);  // NumPy
  // Factor 2.1255: 15.5 - 11.69 = 3.81, so the 3rd and the 28th instead of the 10th and the 21st.
  EXPECT_EQ(median_interval(wave), (MedianInterval{9.7, 10.3, false}));
  EXPECT_EQ(median_interval_of_sorted(sorted(wave), 0), (MedianInterval{9.9, 10.1, false}));
}

TEST(MedianInterval, OfADriftIsCappedAtTheExtremes) {
  EXPECT_EQ(median_interval(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
            (MedianInterval{1, 10, true}));
}

TEST(MedianInterval, OfEqualValuesIsAPointThatIsNotCapped) {
  EXPECT_EQ(median_interval(std::vector<double>(20, 0.1)), (MedianInterval{0.1, 0.1, false}));
}

TEST(MedianInterval, ValuesThatAreNotFiniteAreABugOfTheCaller) {
  std::vector<double> values(10, 1.0);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(median_interval(values), Error);
}

TEST(MedianInterval, OfAMillionValuesLiesCloseAroundTheMedian) {
  std::vector<double> values(1000000);
  // Every value of 0..999999 once, in an order that jumps: i * 618033 mod 10^6 (coprime), r far from 1.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 618033 % 1000000);
  const auto interval = median_interval(values);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low, 499019);  // rank 499,020 counted from 1
  EXPECT_EQ(interval->high, 500980);
}

// The share of 20,000 seeded trials whose interval holds the true median.
template <typename MakeSeries>
double simulated_coverage(MakeSeries make_series, double true_median) {
  std::mt19937_64 generator(20240607);
  constexpr int kTrials = 20000;
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> values = make_series(generator);
    const auto interval = median_interval(values);
    covered += interval->low <= true_median && true_median <= interval->high;
  }
  return static_cast<double>(covered) / kTrials;
}

// Not std::normal_distribution and its like: their algorithms differ between standard libraries.
double uniform(std::mt19937_64& generator) {
  return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
}

TEST(MedianInterval, HoldsTheMedianOfIndependentSkewedSamplesAtLeast95TimesInAHundred) {
  const auto exponential = [](std::mt19937_64& generator) {
    std::vector<double> values(15);
    for (double& value : values) value = -std::log(uniform(generator));
    return values;
  };
  // 96.5% by rank; a little more, because r > 0 by chance widens some.
  const double coverage = simulated_coverage(exponential, std::log(2.0));
  EXPECT_GE(coverage, 0.95);
  EXPECT_LE(coverage, 0.995);
}

TEST(MedianInterval, HoldsTheMedianOfAutocorrelatedSamplesWhereTheUnwidenedOneDoesNot) {
  const auto autoregressive = [](std::mt19937_64& generator) {
    std::vector<double> values(60);
    double state = 0;
    for (int burn_in = 0; burn_in < 20; ++burn_in) state = 0.6 * state + uniform(generator) - 0.5;
    for (double& value : values) value = state = 0.6 * state + uniform(generator) - 0.5;
    return values;
  };
  EXPECT_GE(simulated_coverage(autoregressive, 0.0), 0.95);

  std::mt19937_64 generator(20240607);
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto plain = *median_interval_of_sorted(sorted(autoregressive(generator)), 0);
    covered += plain.low <= 0 && 0 <= plain.high;
  }
  EXPECT_LT(covered / 2000.0, 0.85);
}

}  // namespace
}  // namespace bench::statistics
