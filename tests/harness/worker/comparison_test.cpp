#include "harness/worker/comparison.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace bench::worker {
namespace {

TEST(Comparison, ErrorsAreRelativeToTheReferencesNorm) {
  const at::Tensor reference = at::full({4}, 5.0, at::kDouble);  // norm 10
  EXPECT_DOUBLE_EQ(relative_error(reference.add(0.5), reference), 0.1);
  EXPECT_TRUE(std::isinf(relative_error(reference, at::zeros({4}, at::kDouble))));
}

// torch_worker_test.py holds the Python peer's check to the same lines.
TEST(Comparison, ALossIsAsFarOffHereAsInThePythonPeer) {
  std::ifstream file(BENCH_SOURCE_DIR "/tests/workloads/peers/loss_errors.txt");
  double value = 0, reference = 0, error = 0;
  int lines = 0;
  for (; file >> value >> reference >> error; ++lines)
    EXPECT_DOUBLE_EQ(loss_error(value, reference), error) << value << " for " << reference;
  EXPECT_EQ(lines, 8);
}

TEST(Comparison, AGradientThatVanishesIsComparedWithAllOfThem) {
  const at::Tensor noise = at::full({1}, 1e-9, at::kDouble);
  EXPECT_DOUBLE_EQ(gradient_error(at::zeros({1}), noise, 1.0), 1e-9);
  EXPECT_DOUBLE_EQ(gradient_error(at::zeros({1}), noise, 1e-6), 1.0);
}

TEST(Comparison, TheItemFurthestBeyondItsBoundComesFirst) {
  Comparisons comparisons;
  comparisons.add("fine", 0.5, 1);
  comparisons.add("far off", 2e-3, 1e-3);
  for (int i = 0; i < 30; ++i) comparisons.add("small", 0.1, 1);
  const Check check = comparisons.check();
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.reason,
            "far off has a relative error of 0.002; 0.001 is allowed (1 of 32 comparisons failed)");
  ASSERT_EQ(check.items.size(), 20u);
  EXPECT_EQ(check.items[1].what, "fine");
}

TEST(Comparison, NotANumberFailsAndStaysFinite) {
  Comparisons comparisons;
  comparisons.add("loss", std::numeric_limits<double>::quiet_NaN(), 1);
  const Check check = comparisons.check();
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(std::isfinite(check.items.at(0).error));
}

}  // namespace
}  // namespace bench::worker
