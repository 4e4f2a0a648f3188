#include "harness/statistics/latency_fit.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "harness/core/error.hpp"

namespace bench::statistics {
namespace {

constexpr double kMiB = 1 << 20;

TEST(LatencyFit, FindsTheLineThatItsPointsLieOn) {
  std::vector<Transfer> transfers;
  for (const double bytes : {8.0, 1e3, 1e6, 1e9}) transfers.push_back({bytes, 20'000 + bytes / 5});
  const auto fit = latency_fit(transfers);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency_ns, 20'000, 1e-6);
  EXPECT_NEAR(fit->bytes_per_s, 5e9, 1);
  EXPECT_NEAR(fit->largest_misfit, 0, 1e-12);
}

// numpy.linalg.lstsq of the rows (1/ns, bytes/ns) and ones, numpy 2.
TEST(LatencyFit, IsTheLeastSquaresOfRelativeErrors) {
  const auto fit = latency_fit(
      std::vector<Transfer>{{kMiB, 0.31e6}, {10 * kMiB, 1.9e6}, {100 * kMiB, 23e6}, {1024 * kMiB, 260e6}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency_ns, 85739.83330637878, 1e-3);
  EXPECT_NEAR(fit->bytes_per_s, 4865902622.418262, 1e2);
  EXPECT_NEAR(fit->largest_misfit, 0.17930861534939294, 1e-9);
}

// The same without the first column: two columns give a latency of -126 µs.
TEST(LatencyFit, HoldsALatencyBelowZeroAtZero) {
  const auto fit = latency_fit(
      std::vector<Transfer>{{kMiB, 0.1e6}, {10 * kMiB, 1.9e6}, {100 * kMiB, 23e6}, {1024 * kMiB, 260e6}});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->latency_ns, 0);
  EXPECT_NEAR(fit->bytes_per_s, 7218464821.484829, 1e2);
  EXPECT_NEAR(fit->largest_misfit, 0.4526302003703735, 1e-9);
}

TEST(LatencyFit, NeedsThreeSizesAndTimesThatGrow) {
  EXPECT_FALSE(latency_fit({}));
  EXPECT_FALSE(latency_fit(std::vector<Transfer>{{1, 10}, {1, 11}, {2, 12}, {2, 13}}));
  EXPECT_FALSE(latency_fit(std::vector<Transfer>{{1, 100}, {2, 50}, {3, 10}}));
}

TEST(LatencyFit, RefusesWhatIsNoTime) {
  EXPECT_THROW(latency_fit(std::vector<Transfer>{{1, 0}, {2, 1}, {3, 2}}), Error);
  EXPECT_THROW(latency_fit(std::vector<Transfer>{{std::numeric_limits<double>::infinity(), 1}}), Error);
}

}  // namespace
}  // namespace bench::statistics
