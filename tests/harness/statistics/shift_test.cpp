#include "harness/statistics/shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/error.hpp"

namespace bench::statistics {
namespace {

const std::vector<double> kFrom{10.35, 10.82, 10.33, 8.7, 10.91, 10.45, 9.46, 10.58, 10.36, 10.29};
const std::vector<double> kTo{10.83, 11.46, 9.92, 10.6,  10.22, 11.52,
                              10.85, 10.45, 9.86, 10.49, 10.81, 10.47};

TEST(RankSumRank, IsThatOfTheExactDistribution) {
  struct Row {
    std::int64_t m, n, rank;
  };
  // The null distribution of scipy.stats.mannwhitneyu 1.10.
  for (const Row& row : std::vector<Row>{{3, 3, 0},
                                         {3, 5, 1},
                                         {4, 4, 1},
                                         {5, 5, 3},
                                         {5, 7, 6},
                                         {10, 10, 24},
                                         {8, 15, 30},
                                         {25, 25, 212},
                                         {1, 38, 0},
                                         {1, 39, 1}}) {
    EXPECT_EQ(rank_sum_rank(row.m, row.n), row.rank) << row.m << " and " << row.n;
    EXPECT_EQ(rank_sum_rank(row.n, row.m), row.rank) << row.n << " and " << row.m;
  }
}

TEST(RankSumRank, BeyondFiftyValuesIsTheNormalApproximationRoundedOutwards) {
  EXPECT_EQ(rank_sum_rank(30, 30), 317);    // exact: 318
  EXPECT_EQ(rank_sum_rank(100, 50), 2008);  // exact: 2009
}

TEST(HodgesLehmann, IsTheMedianOfAllDifferences) {
  EXPECT_DOUBLE_EQ(hodges_lehmann_shift(kFrom, kTo), 0.245);  // numpy.median of the 120 differences
  EXPECT_DOUBLE_EQ(hodges_lehmann_shift(kTo, kFrom), -0.245);
  EXPECT_EQ(hodges_lehmann_shift(std::vector{1.0, 2.0}, std::vector{11.0, 12.0, 20.0}), 10.5);
  EXPECT_EQ(hodges_lehmann_shift(std::vector{7.0}, std::vector{-5.0}), -12);
  EXPECT_EQ(hodges_lehmann_shift(kFrom, kFrom), 0);
}

TEST(RankSumInterval, HoldsTheShiftsThatTheTestDoesNotReject) {
  // scipy.stats.mannwhitneyu(x + s, y, method="exact") 1.10: p is 0.043 below the low end and 0.059 above it,
  // 0.050 below the high end and 0.036 above it.
  const Interval interval = *rank_sum_interval(kFrom, kTo);
  EXPECT_NEAR(interval.low, -0.13, 1e-12);
  EXPECT_NEAR(interval.high, 1.01, 1e-12);
}

TEST(RankSumInterval, OfFourAgainstFourIsTheWholeRange) {
  const std::vector<double> from{1, 2, 3, 4}, to{11, 12, 13, 14};
  EXPECT_EQ(rank_sum_interval(from, to), (Interval{7, 13}));
}

TEST(RankSumInterval, DoesNotExistForThreeAgainstThree) {
  const std::vector<double> three{1, 2, 3};
  EXPECT_FALSE(rank_sum_interval(three, three).has_value());
}

TEST(RankSumInterval, OfManyValuesNeedsNoMemoryForTheirDifferences) {
  std::vector<double> from(20'000), to(20'000);  // 400 million differences
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<double>(i);
    to[i] = static_cast<double>(i) + 100'000;
  }
  const Interval interval = *rank_sum_interval(from, to);
  EXPECT_LT(interval.low, 100'000);
  EXPECT_GT(interval.high, 100'000);
  EXPECT_EQ(hodges_lehmann_shift(from, to), 100'000);
}

TEST(RankSumInterval, RefusesNothingAndWhatIsNotFinite) {
  const std::vector<double> none, infinite{std::numeric_limits<double>::infinity()};
  EXPECT_THROW(hodges_lehmann_shift(none, kTo), Error);
  EXPECT_THROW(rank_sum_interval(kFrom, infinite), Error);
}

}  // namespace
}  // namespace bench::statistics
