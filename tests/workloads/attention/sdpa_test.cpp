#include "workloads/attention/sdpa.hpp"

#include <ATen/Context.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "harness/worker/workload.hpp"
#include "tests/workloads/attention/shapes.hpp"

namespace bench::attention {
namespace {

const Problem kProblem{
    .batch = 1, .heads = 2, .queries = 16, .keys = 16, .d_head = 16, .causal = Causal::yes};

std::vector<std::string> operators_of(const std::string& implementation) {
  const Inputs inputs = random_inputs(kProblem, 1, at::kCPU);
  return attention_operators([&] { run(implementation, inputs, masking_of(kProblem, at::kCPU)); });
}

TEST(Sdpa, RunsTheBackendThatItIsNamedAfter) {
  EXPECT_EQ(operators_of("sdpa-math"), std::vector<std::string>{"aten::_scaled_dot_product_attention_math"});
  const std::vector<std::string> flash{"aten::_scaled_dot_product_flash_attention_for_cpu",
                                       "aten::_scaled_dot_product_flash_attention_for_cpu_backward"};
  EXPECT_EQ(operators_of("sdpa-flash"), flash);
  EXPECT_EQ(operators_of("sdpa"), flash);
  EXPECT_TRUE(operators_of("naive").empty());
}

TEST(Sdpa, LeavesLibTorchsSwitchesAsTheyWere) {
  at::globalContext().setSDPUseMemEfficient(false);
  operators_of("sdpa-math");
  EXPECT_TRUE(at::globalContext().userEnabledFlashSDP());
  EXPECT_TRUE(at::globalContext().userEnabledMathSDP());
  EXPECT_FALSE(at::globalContext().userEnabledMemEfficientSDP());
  at::globalContext().setSDPUseMemEfficient(true);
}

// The CPU's flash kernel takes no value of another width; without fallback that is a refusal with a reason.
TEST(Sdpa, WhatABackendDoesNotTakeIsRefusedAndNeverRunByAnother) {
  const Attention flash = make_sdpa<Backend::flash>(masking_of(kProblem, at::kCPU));
  const at::Tensor query = at::randn({1, 2, 16, 16}), value = at::randn({1, 2, 16, 8});
  try {
    flash(query, query, value);
    FAIL() << "was taken";
  } catch (const worker::Unsupported& refusal) {
    const std::string why = refusal.what();
    EXPECT_TRUE(why.starts_with("LibTorch refuses: ")) << why;
    EXPECT_EQ(why.find("not used because"), std::string::npos) << why;
    EXPECT_NE(why.find("same last dimension"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace bench::attention
