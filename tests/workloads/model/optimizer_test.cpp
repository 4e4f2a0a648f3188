#include "workloads/model/optimizer.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "workloads/model/comparison.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

at::Tensor scalar(double value) {
  return at::full({1}, value, at::kDouble);
}

TEST(AdamWFormula, TheFirstStepMovesByTheLearningRateAndTheDecay) {
  // m̂ = g and v̂ = g², so the step is lr·g/(|g| + eps): the sign of g times lr, whatever its size.
  reference::AdamWMoments moments;
  const AdamWSettings settings{.lr = 0.1, .beta1 = 0.9, .beta2 = 0.99, .eps = 1e-8, .weight_decay = 0.5};
  const at::Tensor moved = reference::adamw(scalar(2.0), scalar(-3e-3), moments, 1, settings);
  EXPECT_NEAR(moved.item<double>(), 2.0 - 0.1 * 0.5 * 2.0 + 0.1, 1e-6);
}

TEST(AdamWFormula, TheSecondStepIsThatComputedByHand) {
  // g: 1, then 2, betas 0.5 and 0.5. m = 0.5, 1.25; v = 0.5, 2.25; corrections 0.75: m̂ = 5/3, v̂ = 3.
  reference::AdamWMoments moments;
  const AdamWSettings settings{.lr = 1, .beta1 = 0.5, .beta2 = 0.5, .eps = 1e-12, .weight_decay = 0};
  at::Tensor parameter = reference::adamw(scalar(0), scalar(1), moments, 1, settings);
  EXPECT_NEAR(parameter.item<double>(), -1, 1e-9);
  parameter = reference::adamw(parameter, scalar(2), moments, 2, settings);
  EXPECT_NEAR(parameter.item<double>(), -1 - 5.0 / 3 / std::sqrt(3.0), 1e-9);
}

TEST(Optimizer, EveryVariantFollowsTheFormula) {
  const AdamWSettings settings{.lr = 2e-3, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.1};
  for (const char* variant : {"adamw", "adamw-fused"}) {
    at::Generator generator = seeded_generator(0);
    std::vector<at::Tensor> parameters, starts, rights;
    std::vector<reference::AdamWMoments> moments(2);
    for (const std::int64_t size : {1000, 37}) {
      parameters.push_back(at::full({size}, 0.0, at::kFloat).uniform_(-1, 1, generator));
      starts.push_back(parameters.back().to(at::kDouble));
      rights.push_back(starts.back());
    }
    Optimizer optimizer(variant, settings, parameters);
    for (int step = 1; step <= 4; ++step) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i].mutable_grad() = parameters[i].clone().uniform_(-0.01, 0.01, generator);
        rights[i] =
            reference::adamw(rights[i], parameters[i].grad().to(at::kDouble), moments[i], step, settings);
      }
      optimizer.update();
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor update = parameters[i].to(at::kDouble).sub(starts[i]);
      EXPECT_LT(relative_error(update, rights[i].sub(starts[i])), 2e-5) << variant;
    }
  }
}

}  // namespace
}  // namespace bench::model
