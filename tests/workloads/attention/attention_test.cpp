// What every implementation must do with inputs that break careless ones.
#include "workloads/attention/attention.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/worker/comparison.hpp"
#include "tests/workloads/attention/shapes.hpp"
#include "workloads/attention/reference.hpp"

namespace bench::attention {
namespace {

bool finite(const at::Tensor& tensor) {
  return at::isfinite(tensor).all().item<bool>();
}

void expect_right(const std::string& implementation, const Inputs& inputs, const Masking& masking,
                  double allowed, const std::string& where = "") {
  const reference::Results right = reference::attention(inputs, masking);
  const Outcome outcome = run(implementation, inputs, masking);
  const std::string what = implementation + " " + where;
  const double gradients = worker::joint_norm({right.d_query, right.d_key, right.d_value});
  const auto error = [&](const at::Tensor& value, const at::Tensor& reference) {
    return worker::joint_norm({value.to(at::kDouble).sub(reference)}) / gradients;
  };
  EXPECT_LT(worker::relative_error(outcome.attended.output, right.output), allowed) << what;
  EXPECT_LT(error(outcome.d_query, right.d_query), allowed) << what;
  EXPECT_LT(error(outcome.d_key, right.d_key), allowed) << what;
  EXPECT_LT(error(outcome.d_value, right.d_value), allowed) << what;
  if (outcome.attended.log_sum_exp.defined()) {
    const at::Tensor value = outcome.attended.log_sum_exp;
    EXPECT_EQ(value.scalar_type(), at::kFloat) << what;
    EXPECT_TRUE(value.isneginf().equal(right.log_sum_exp.isneginf())) << what;
    const at::Tensor seen = right.log_sum_exp.isneginf().logical_not();
    EXPECT_TRUE(
        value.to(at::kDouble).masked_select(seen).allclose(right.log_sum_exp.masked_select(seen), 1e-5, 1e-5))
        << what;
  }
}

TEST(Attention, LargeLogitsStayFiniteAndRight) {
  const Problem problem{
      .batch = 2, .heads = 2, .queries = 70, .keys = 70, .d_head = 16, .causal = Causal::yes};
  Inputs inputs = random_inputs(problem, 1, at::kCPU);
  inputs.query = inputs.query.mul(300);  // scores up to about 1,200, far beyond where exp overflows
  for (const std::string& name : kOnTheCpu)
    expect_right(name, inputs, masking_of(problem, at::kCPU), 1e-3, "large");
}

// exp(-88.7) is where fp32 underflows: an implementation that computes exp(log-sum-exp) sees 0 there.
TEST(Attention, ALogSumExpFarBelowMinus88IsNoObstacle) {
  const Problem problem{
      .batch = 1, .heads = 2, .queries = 65, .keys = 65, .d_head = 16, .causal = Causal::yes};
  Inputs inputs = random_inputs(problem, 2, at::kCPU);
  inputs.query = at::full(inputs.query.sizes(), 10.0).add(inputs.query.mul(0.1));
  inputs.key = at::full(inputs.key.sizes(), -10.0).add(inputs.key.mul(0.1));  // scores about -400
  const Masking masking = masking_of(problem, at::kCPU);
  EXPECT_LT(reference::attention(inputs, masking).log_sum_exp.max().item<double>(), -88);
  for (const std::string& name : kOnTheCpu) expect_right(name, inputs, masking, 1e-3, "far below");
}

TEST(Attention, AQueryThatSeesNoKeyGivesZeroAndFiniteGradients) {
  for (const std::int64_t queries : {5, 40, 300}) {
    const Problem problem{
        .batch = 2, .heads = 2, .queries = queries, .keys = 3, .d_head = 16, .causal = Causal::bottom_right};
    const Masking masking = masking_of(problem, at::kCPU);
    ASSERT_TRUE(masking.hides_all_keys_of_some_query());
    const Inputs inputs = random_inputs(problem, 3, at::kCPU);
    for (const std::string& name : kOnTheCpu) {
      const Outcome outcome = run(name, inputs, masking);
      EXPECT_EQ(outcome.attended.output.narrow(2, 0, queries - 3).abs().max().item<double>(), 0) << name;
      EXPECT_EQ(outcome.d_query.narrow(2, 0, queries - 3).abs().max().item<double>(), 0) << name;
      for (const at::Tensor& gradient : {outcome.d_query, outcome.d_key, outcome.d_value})
        EXPECT_TRUE(finite(gradient)) << name << " " << queries;
      expect_right(name, inputs, masking, 2e-6, "blind");
    }
  }
}

// Zero strides, as out.sum().backward() makes them; strides of a transposed view; a last stride of 2.
TEST(Attention, IncomingGradientsMayHaveAnyStrides) {
  const Problem problem{
      .batch = 2, .heads = 3, .queries = 33, .keys = 33, .d_head = 24, .causal = Causal::yes};
  const Masking masking = masking_of(problem, at::kCPU);
  for (const std::string& name : kOnTheCpu) {
    Inputs inputs = random_inputs(problem, 4, at::kCPU, Layout::transposed);
    expect_right(name, inputs, masking, 2e-6, "transposed");
    const at::Tensor sizes = inputs.d_output;
    inputs.d_output = at::ones({1, 1, 1, 1}).expand(sizes.sizes());
    expect_right(name, inputs, masking, 2e-6, "expanded");
    inputs.d_output = sizes.transpose(-2, -1).contiguous().transpose(-2, -1);
    expect_right(name, inputs, masking, 2e-6, "last stride not 1");
  }
}

TEST(Attention, KeysThatAreHiddenDoNotMatterEvenAsNotANumber) {
  const Problem problem{
      .batch = 1, .heads = 1, .queries = 40, .keys = 300, .d_head = 8, .causal = Causal::yes};
  const Masking masking = masking_of(problem, at::kCPU);
  Inputs inputs = random_inputs(problem, 5, at::kCPU);
  const at::Tensor before = run("tiled", inputs, masking).attended.output;
  inputs.value.narrow(2, 256, 44).fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(run("tiled", inputs, masking).attended.output.equal(before));  // whole tiles are skipped
}

TEST(Attention, TheFirstQueryOfACausalProblemReturnsTheFirstValue) {
  const Problem problem{.batch = 2, .heads = 2, .queries = 9, .keys = 9, .d_head = 8, .causal = Causal::yes};
  const Inputs inputs = random_inputs(problem, 6, at::kCPU);
  for (const std::string& name : kOnTheCpu) {
    const at::Tensor output = run(name, inputs, masking_of(problem, at::kCPU)).attended.output;
    EXPECT_TRUE(output.select(2, 0).allclose(inputs.value.select(2, 0), 1e-6, 1e-6)) << name;
  }
}

}  // namespace
}  // namespace bench::attention
