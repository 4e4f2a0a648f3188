#include "harness/statistics/step_times.hpp"

#include <gtest/gtest.h>

namespace bench::statistics {
namespace {

using Times = std::vector<double>;

TEST(StepTimes, AreThoseOfOneStepOfEachMeasuredSample) {
  const std::vector<Sample> samples{
      {.host_ns = 900, .kind = SampleKind::warm_up},
      {.host_ns = 100, .device_ns = 80, .phase_ns = {10, 60}, .steps = 2},
      {.host_ns = 500, .kind = SampleKind::replaced},
      {.host_ns = 300, .device_ns = 200, .phase_ns = {20, 40}, .steps = 2},
  };
  EXPECT_EQ(step_times_ns(samples, {TimeSource::Kind::host}), (Times{50, 150}));
  EXPECT_EQ(step_times_ns(samples, {TimeSource::Kind::device}), (Times{40, 100}));
  EXPECT_EQ(step_times_ns(samples, {TimeSource::Kind::phase, 1}), (Times{30, 20}));
}

TEST(StepTimes, AreThoseOfTheSlowestRank) {
  const std::vector<Sample> samples{{.host_ns = 10, .rank = 0},
                                    {.host_ns = 30, .rank = 0},
                                    {.host_ns = 20, .rank = 1},
                                    {.host_ns = 20, .rank = 1}};
  EXPECT_EQ(step_times_ns(samples, {}), (Times{20, 30}));
}

TEST(StepTimes, ThatNotAllSamplesHoldAreNone) {
  const std::vector<Sample> samples{{.host_ns = 10, .device_ns = 8, .phase_ns = {1}}, {.host_ns = 10}};
  EXPECT_EQ(step_times_ns(samples, {TimeSource::Kind::device}), Times{});
  EXPECT_EQ(step_times_ns(samples, {TimeSource::Kind::phase, 0}), Times{});
  EXPECT_EQ(step_times_ns({}, {}), Times{});
}

}  // namespace
}  // namespace bench::statistics
