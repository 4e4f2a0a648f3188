#include "harness/worker/autocast_guard.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <c10/core/GradMode.h>

namespace bench::worker {
namespace {

TEST(AutocastGuard, LeavesEverySettingAsItWas) {
  const at::ScalarType dtype = at::autocast::get_autocast_dtype(at::kCPU);
  {
    const AutocastGuard outer(at::kCPU, at::kHalf);
    {
      const AutocastGuard inner(at::kCPU, at::kBFloat16);
      EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), at::kBFloat16);
    }
    EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
    EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), at::kHalf);
  }
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), dtype);
}

TEST(AutocastGuard, TheNextScopeSeesAChangedWeight) {
  const at::Tensor weight = at::ones({1, 1}).set_requires_grad(true);
  const at::Tensor x = at::ones({1, 1});
  const auto product = [&] {
    const AutocastGuard guard(at::kCPU, at::kBFloat16);
    const at::Tensor y = at::linear(x, weight);
    EXPECT_EQ(y.scalar_type(), at::kBFloat16);
    return y.item<double>();
  };
  EXPECT_EQ(product(), 1);
  {
    const c10::NoGradGuard no_grad;
    weight.fill_(3);
  }
  EXPECT_EQ(product(), 3);
}

}  // namespace
}  // namespace bench::worker
