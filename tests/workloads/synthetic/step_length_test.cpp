#include "workloads/synthetic/step_length.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace bench::synthetic {
namespace {

TEST(SyntheticStepLength, IsTheDurationWithoutNoiseAndDrift) {
  const StepLength length{.duration_ns = 1e6, .seed = 42};
  for (int step = 1; step < 100; ++step) EXPECT_EQ(length.of_step_ns(step), 1e6);
}

TEST(SyntheticStepLength, DriftsByOnePercentAStepFromTheFirst) {
  const StepLength length{.duration_ns = 1e6, .drift = 0.01};
  EXPECT_EQ(length.of_step_ns(1), 1e6);
  EXPECT_DOUBLE_EQ(length.of_step_ns(2), 1.01e6);
  EXPECT_DOUBLE_EQ(length.of_step_ns(3), 1.0201e6);
}

TEST(SyntheticStepLength, NoiseFillsItsRangeAndNoMore) {
  const StepLength length{.duration_ns = 1000, .noise = 0.2, .seed = 42};
  double least = 1e9, most = 0, sum = 0;
  for (int step = 1; step <= 1000; ++step) {
    const double ns = length.of_step_ns(step);
    least = std::min(least, ns);
    most = std::max(most, ns);
    sum += ns;
  }
  EXPECT_GE(least, 800);
  EXPECT_LE(least, 805);
  EXPECT_LE(most, 1200);
  EXPECT_GE(most, 1195);
  EXPECT_NEAR(sum / 1000, 1000, 15);  // 4 standard errors: 4 * 200 / sqrt(3 * 1000)
}

TEST(SyntheticStepLength, NoiseIsTheSeedsOwn) {
  const StepLength one{.duration_ns = 1000, .noise = 0.2, .seed = 1};
  const StepLength again = one;
  const StepLength other{.duration_ns = 1000, .noise = 0.2, .seed = 2};
  EXPECT_EQ(one.of_step_ns(7), again.of_step_ns(7));
  EXPECT_NE(one.of_step_ns(7), other.of_step_ns(7));
  EXPECT_NE(one.of_step_ns(7), one.of_step_ns(8));
}

}  // namespace
}  // namespace bench::synthetic
