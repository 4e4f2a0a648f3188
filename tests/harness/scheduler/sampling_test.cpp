#include "harness/scheduler/sampling.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bench::scheduler {
namespace {

TEST(Sampling, BlockingIsAlwaysOneStepASample) {
  EXPECT_EQ(steps_per_sample(Timing::blocking, CacheState::hot, 100), 1);
}

TEST(Sampling, BackToBackTakesTheFewestStepsFromFiveThatFillTenMilliseconds) {
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 10e6), 5);
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 2e6), 5);
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 1.9e6), 6);
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 1e3), 10'000);
}

TEST(Sampling, ReplaysOfAGraphAreCountedAsStepsBackToBack) {
  for (const double step_ns : {1e3, 1e6, 3e9})
    EXPECT_EQ(steps_per_sample(Timing::graph, CacheState::hot, step_ns),
              steps_per_sample(Timing::back_to_back, CacheState::hot, step_ns));
}

TEST(Sampling, BackToBackGivesUpWhenFiveStepsTakeMoreThanTenSeconds) {
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 2e9), 5);
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::hot, 2.1e9), 1);
}

TEST(Sampling, AColdCacheStaysColdForOneStepOnly) {
  EXPECT_EQ(steps_per_sample(Timing::back_to_back, CacheState::cold, 1e3), 1);
}

TEST(Sampling, AutoLooksAtItsIntervalEachTimeThatTheSamplesHaveDoubled) {
  const Policy policy{.steps = std::nullopt};
  EXPECT_EQ(samples_wanted(policy, 0), 10);
  EXPECT_EQ(samples_wanted(policy, 4), 6);
  EXPECT_EQ(samples_wanted(policy, 40), 40);
  EXPECT_EQ(samples_wanted(policy, 70'000), 30'000);
  EXPECT_EQ(samples_wanted({.steps = 12}, 10), 2);
}

TEST(Sampling, ReasonsSayWhatASampleIsAndTheBudgetAsItWasGiven) {
  const std::vector<double> four(4, 1e9);
  EXPECT_EQ(should_stop({.steps = 4}, 34, four, 0)->text, "4 samples of 34 steps done");
  EXPECT_EQ(should_stop({.steps = 9, .time_budget_s = 0.4}, 1, four, 4)->text,
            "time budget of 0.4 s used: 4 steps, 9 asked for");
}

TEST(Sampling, ChunksLastAboutAQuarterOfASecond) {
  EXPECT_EQ(chunk_size(1e6, 1000), 250);
  EXPECT_EQ(chunk_size(1e6, 10), 10);
  EXPECT_EQ(chunk_size(5e9, 10), 1);
  EXPECT_EQ(chunk_size(0, 3), 3);
}

TEST(Sampling, StopsAtTheStepsAskedFor) {
  const std::vector<double> three(3, 1e6);
  EXPECT_FALSE(should_stop({.steps = 4}, 1, three, 0));
  EXPECT_TRUE(should_stop({.steps = 3}, 1, three, 0));
  EXPECT_EQ(should_stop({.steps = 1}, 1, std::vector<double>{1e6}, 0)->text, "1 step done");
}

TEST(Sampling, StopsBeforeASampleThatWouldPassTheTimeBudget) {
  const std::vector<double> samples(3, 10e9);
  EXPECT_FALSE(should_stop({.steps = 10, .time_budget_s = 60}, 1, samples, 50));
  EXPECT_TRUE(should_stop({.steps = 10, .time_budget_s = 60}, 1, samples, 50.1));
  EXPECT_FALSE(should_stop({.steps = 10, .time_budget_s = 60}, 1, std::vector<double>(2, 10e9), 500));
}

TEST(Sampling, AutoGoesOnWhileTheIntervalIsWide) {
  std::vector<double> noisy;
  for (int i = 0; i < 40; ++i) noisy.push_back(1e6 * (1 + 0.1 * ((i * 7) % 10)));
  EXPECT_FALSE(should_stop({.steps = std::nullopt}, 1, noisy, 0));
  EXPECT_TRUE(should_stop({.steps = std::nullopt, .time_budget_s = 60}, 1, noisy, 61));
}

}  // namespace
}  // namespace bench::scheduler
