#include "workloads/model/optimizer.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/worker/comparison.hpp"
#include "workloads/model/adamw.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/loss_scaler.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

using worker::relative_error;

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
    at::Generator generator = seeded_generator(0, at::kCPU);
    std::vector<at::Tensor> parameters, starts, rights;
    std::vector<reference::AdamWMoments> moments(2);
    for (const std::int64_t size : {1000, 37}) {
      parameters.push_back(at::full({size}, 0.0, at::kFloat).uniform_(-1, 1, generator));
      starts.push_back(parameters.back().to(at::kDouble));
      rights.push_back(starts.back());
    }
    Optimizer optimizer({.variant = variant, .settings = settings}, parameters);
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

// Two parameters with gradients, and a state for them.
AdamWState state_of(std::uint64_t seed, const AdamWSettings& settings) {
  at::Generator generator = seeded_generator(seed, at::kCPU);
  AdamWState state{.settings = settings};
  for (const std::int64_t size : {1000, 37}) {
    const at::Tensor parameter = at::full({size}, 0.0, at::kFloat).uniform_(-1, 1, generator);
    parameter.mutable_grad() = parameter.clone().uniform_(-0.01, 0.01, generator);
    state.parameters.push_back(parameter);
    state.first_moments.push_back(at::zeros_like(parameter));
    state.second_moments.push_back(at::zeros_like(parameter));
    state.steps.push_back(at::zeros({}, at::kFloat));
  }
  return state;
}

constexpr AdamWSettings kSettings{.lr = 2e-3, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.1};

TEST(AdamW, EverySequenceOfOperatorsGivesTheLoopsResult) {
  AdamWState right = state_of(0, kSettings);
  for (int step = 0; step < 4; ++step) adamw_loop(right);
  for (const AdamWFunction sequence : {adamw_foreach, adamw_capturable, adamw_fused}) {
    AdamWState state = state_of(0, kSettings);
    for (int step = 0; step < 4; ++step) sequence(state);
    for (std::size_t i = 0; i < state.parameters.size(); ++i) {
      EXPECT_LT(relative_error(state.parameters[i], right.parameters[i]), 3e-7);
      EXPECT_LT(relative_error(state.second_moments[i], right.second_moments[i]), 3e-7);
      EXPECT_EQ(state.steps[i].item<float>(), 4);
    }
  }
}

TEST(AdamW, AnUpdateWithAnOverflowChangesNothing) {
  for (const AdamWFunction sequence : {adamw_loop, adamw_capturable, adamw_fused}) {
    for (const int updates_before : {0, 2}) {
      AdamWState state = state_of(1, kSettings);
      AdamWState right = state_of(1, kSettings);
      state.found_inf = at::zeros({}, at::kFloat);
      state.grad_scale = at::ones({}, at::kFloat);
      for (int step = 0; step < updates_before; ++step) sequence(state), sequence(right);

      const at::Tensor gradient = state.parameters[0].grad();
      gradient[3].fill_(std::numeric_limits<float>::infinity());
      gradient[4].fill_(std::numeric_limits<float>::quiet_NaN());
      state.found_inf.fill_(1);
      sequence(state);
      state.found_inf.zero_();
      for (std::size_t i = 0; i < state.parameters.size(); ++i)  // a backward writes all of them
        state.parameters[i].grad().copy_(right.parameters[i].grad());
      sequence(state), sequence(right);  // and the next one is as if nothing had been
      for (std::size_t i = 0; i < state.parameters.size(); ++i) {
        EXPECT_LT(relative_error(state.parameters[i], right.parameters[i]), 3e-7);
        EXPECT_LT(relative_error(state.first_moments[i], right.first_moments[i]), 3e-7);
        EXPECT_EQ(state.steps[i].item<float>(), static_cast<float>(updates_before + 1));
      }
    }
  }
}

TEST(LossScaler, HalvesItsScaleAfterAnOverflowAndCountsIt) {
  LossScaler scaler(at::kCPU);
  const at::Tensor parameter = at::ones({4}, at::kFloat);
  parameter.mutable_grad() = at::full({4}, 65536.0, at::kFloat);
  scaler.inspect({parameter}, /*unscale=*/true);
  scaler.adjust();
  EXPECT_EQ(parameter.grad()[0].item<float>(), 1);
  EXPECT_EQ(scaler.scale().item<float>(), 65536);
  EXPECT_EQ(scaler.skipped_updates(), 0);

  parameter.grad()[2].fill_(std::numeric_limits<float>::infinity());
  EXPECT_TRUE(LossScaler::overflowed({parameter}));
  scaler.inspect({parameter}, /*unscale=*/false);
  EXPECT_EQ(scaler.found_inf().item<float>(), 1);
  scaler.adjust();
  EXPECT_EQ(scaler.scale().item<float>(), 32768);
  EXPECT_EQ(scaler.skipped_updates(), 1);
  EXPECT_EQ(scaler.scaled(at::ones({}, at::kFloat)).item<float>(), 32768);
}

TEST(LossScaler, DoublesItsScaleAfterTwoThousandUpdates) {
  LossScaler scaler(at::kCPU);
  const at::Tensor parameter = at::ones({4}, at::kFloat);
  parameter.mutable_grad() = at::ones({4}, at::kFloat);
  for (int step = 0; step < 2000; ++step) scaler.inspect({parameter}, false), scaler.adjust();
  EXPECT_EQ(scaler.scale().item<float>(), 131072);
}

}  // namespace
}  // namespace bench::model
