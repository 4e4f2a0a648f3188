#include "workloads/attention/reference.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/worker/comparison.hpp"
#include "tests/workloads/attention/shapes.hpp"

namespace bench::attention {
namespace {

Inputs wide_inputs(const Problem& problem, std::uint64_t seed) {
  Inputs inputs = random_inputs(problem, seed, at::kCPU);
  for (at::Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value, &inputs.d_output})
    *tensor = tensor->to(at::kDouble);
  return inputs;
}

constexpr Causal kMasks[] = {Causal::no, Causal::yes, Causal::bottom_right};

// Two keys, one query, d = 4: scores 1 and 0 after the division by 2.
TEST(AttentionReference, IsTheFormulaByHand) {
  Inputs inputs;
  inputs.query = at::tensor({2.0, 0.0, 0.0, 0.0}).view({1, 1, 4});
  inputs.key = at::tensor({1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0}).view({1, 2, 4});
  inputs.value = at::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}).view({1, 2, 4});
  const reference::Results results = reference::attention(inputs, {.queries = 1, .keys = 2, .diagonal = {}});
  const double first = std::exp(1) / (std::exp(1) + 1);
  EXPECT_NEAR(results.output[0][0][0].item<double>(), first * 1 + (1 - first) * 5, 1e-12);
  EXPECT_NEAR(results.log_sum_exp[0][0].item<double>(), std::log(std::exp(1) + 1), 1e-12);
  const reference::Results causal = reference::attention(inputs, {.queries = 1, .keys = 2, .diagonal = 0});
  EXPECT_NEAR(causal.output[0][0][3].item<double>(), 4, 1e-12);
  EXPECT_NEAR(causal.log_sum_exp[0][0].item<double>(), 1, 1e-12);
}

TEST(AttentionReference, GradientsAreThoseOfFiniteDifferences) {
  for (const Causal causal : kMasks) {
    const Problem problem{.batch = 2, .heads = 2, .queries = 7, .keys = 5, .d_head = 8, .causal = causal};
    const Masking masking = masking_of(problem, at::kCPU);
    const Inputs inputs = wide_inputs(problem, 3);
    const reference::Results right = reference::attention(inputs, masking);
    const auto objective = [&] {  // whose gradient by O is dO
      return reference::attention(inputs, masking).output.mul(inputs.d_output).sum().item<double>();
    };
    constexpr double kStep = 1e-5;
    for (const auto& [input, gradient] :
         {std::pair(inputs.query, right.d_query), {inputs.key, right.d_key}, {inputs.value, right.d_value}}) {
      const at::Tensor direction = at::randn_like(input);
      input.add_(direction, kStep);
      const double above = objective();
      input.add_(direction, -2 * kStep);
      const double below = objective();
      input.add_(direction, kStep);
      EXPECT_NEAR((above - below) / (2 * kStep), gradient.mul(direction).sum().item<double>(), 1e-7)
          << to_text(causal);
    }
  }
}

TEST(AttentionReference, AQueryThatSeesNoKeyGivesZeroAndMinusInfinity) {
  const Problem problem{.batch = 1, .queries = 5, .keys = 3, .d_head = 8, .causal = Causal::bottom_right};
  const reference::Results results =
      reference::attention(wide_inputs(problem, 0), masking_of(problem, at::kCPU));
  EXPECT_EQ(results.output.narrow(1, 0, 2).abs().max().item<double>(), 0);
  EXPECT_TRUE(results.log_sum_exp.narrow(1, 0, 2).isneginf().all().item<bool>());
  EXPECT_FALSE(results.log_sum_exp.narrow(1, 2, 3).isinf().any().item<bool>());
  EXPECT_EQ(results.d_query.narrow(1, 0, 2).abs().max().item<double>(), 0);
}

TEST(AttentionReference, RowsOfAMatrixAreThoseOfTheWhole) {
  for (const Causal causal : kMasks) {
    const Problem problem{.batch = 3, .queries = 40, .keys = 29, .d_head = 16, .causal = causal};
    const Masking masking = masking_of(problem, at::kCPU);
    const Inputs inputs = wide_inputs(problem, 1);
    const reference::Results whole = reference::attention(inputs, masking);
    const Inputs second{inputs.query[1], inputs.key[1], inputs.value[1], inputs.d_output[1]};
    const at::Tensor rows = at::tensor({0, 7, 28}, at::kLong);
    const auto equal = [&](const at::Tensor& some, const at::Tensor& all) {
      EXPECT_LT(worker::relative_error(some, all[1].index_select(0, rows)), 1e-12) << to_text(causal);
    };
    const reference::Results queries = reference::some_queries(second, masking, rows);
    equal(queries.output, whole.output);
    equal(queries.d_query, whole.d_query);
    EXPECT_TRUE(queries.log_sum_exp.allclose(whole.log_sum_exp[1].index_select(0, rows)));
    const reference::Results keys = reference::some_keys(second, masking, rows);
    equal(keys.d_key, whole.d_key);
    equal(keys.d_value, whole.d_value);
  }
}

}  // namespace
}  // namespace bench::attention
