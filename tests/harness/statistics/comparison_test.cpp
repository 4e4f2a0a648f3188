// The small functions that only a comparison needs: geometric mean, noise between processes, verdict.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/statistics/geometric_mean.hpp"
#include "harness/statistics/process_noise.hpp"
#include "harness/statistics/verdict.hpp"

namespace bench::statistics {
namespace {

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

TEST(LogMean, IsTheGeometricMeanWithStudentsInterval) {
  const LogMean mean = log_mean(logarithms({0.9, 1.2, 1.05, 0.97, 1.4}));
  // scipy.stats 1.10: gmean, and t.interval(0.95, 4, mean, sem) of the logarithms.
  EXPECT_NEAR(std::exp(mean.mean), 1.0901909309259725, 1e-12);
  EXPECT_NEAR(std::exp(mean.interval->low), 0.8764340106013208, 1e-9);
  EXPECT_NEAR(std::exp(mean.interval->high), 1.3560818628776799, 1e-8);
}

TEST(LogMean, OfASingleCaseHasNoInterval) {
  EXPECT_FALSE(log_mean(std::vector{0.5}).interval.has_value());
}

TEST(ProcessNoise, IsPooledOverCases) {
  const std::vector groups{logarithms({10, 10.2, 9.9}), logarithms({5, 5.3}), logarithms({7})};
  const auto noise = process_noise(groups);
  ASSERT_TRUE(noise.has_value());
  EXPECT_EQ(noise->degrees_of_freedom, 3);
  // NumPy: sqrt of the summed squares over 3; times scipy.stats.t.ppf(0.975, 3) sqrt(1/5 + 1/2).
  EXPECT_NEAR(noise->standard_deviation, 0.026827123895118363, 1e-12);
  EXPECT_NEAR(difference_bound(*noise, 5, 2), 0.07143058713175152, 1e-9);
}

TEST(ProcessNoise, IsNotKnownFromSingleProcesses) {
  EXPECT_FALSE(process_noise(std::vector{logarithms({10}), logarithms({5})}).has_value());
}

TEST(Verdict, NeedsTheWholeIntervalOnOneSideOfTheBand) {
  const auto judged = [](double low, double high) {
    return verdict_on({std::log(low), std::log(high)}, 0.01);
  };
  EXPECT_EQ(judged(1.011, 1.2), Verdict::slower);
  EXPECT_EQ(judged(1.009, 1.2), Verdict::undecided);
  EXPECT_EQ(judged(0.8, 0.99), Verdict::faster);  // 1/1.01 is 0.9901
  EXPECT_EQ(judged(0.8, 0.991), Verdict::undecided);
  EXPECT_EQ(judged(0.991, 1.009), Verdict::same);
  EXPECT_EQ(judged(0.98, 1.02), Verdict::undecided);
}

}  // namespace
}  // namespace bench::statistics
