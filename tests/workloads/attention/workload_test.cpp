#include "workloads/attention/workload.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/workloads/attention/worker_stubs.hpp"
#include "workloads/attention/verification.hpp"

namespace bench::attention {
namespace {

support::IdleDevice device;

std::unique_ptr<worker::Workload> timed(const Case& configuration, const std::string& fault = "") {
  auto workload = make_attention_workload(
      {.configuration = configuration, .seed = 1, .inject_fault = fault, .device = &device, .progress = {}});
  workload->prepare_timed();
  return workload;
}

Check verification_of(const Case& configuration, const std::string& fault = "") {
  const auto workload = timed(configuration, fault);
  PhaseList phases;
  for (int step = 0; step < 3; ++step) {
    workload->before_sample();
    workload->step(phases);
  }
  return workload->verify();
}

const std::vector<std::string> kModes{"forward", "backward", "forward-backward"};

TEST(AttentionWorkload, EveryModePassesItsVerification) {
  for (const std::string& mode : kModes)
    for (const char* implementation : {"naive", "tiled", "sdpa-math", "sdpa-flash"})
      for (const char* dtype : {"fp32", "bf16"}) {
        const Case configuration =
            small_case({{"mode", mode}, {"implementation", implementation}, {"dtype", dtype}});
        const Check check = verification_of(configuration);
        EXPECT_TRUE(check.passed) << configuration.id() << ": " << check.reason;
        EXPECT_FALSE(check.items.empty());
      }
}

TEST(AttentionWorkload, AWrongTimedStateFailsTheVerification) {
  for (const std::string& mode : kModes) {
    EXPECT_FALSE(verification_of(small_case({{"mode", mode}}), "wrong-scale").passed) << mode;
    EXPECT_FALSE(
        verification_of(small_case({{"mode", mode}, {"implementation", "tiled"}}), "stale-lse").passed);
    // Only a later call is wrong, so the check before timing sees nothing.
    if (mode == "backward") continue;
    EXPECT_FALSE(verification_of(small_case({{"mode", mode}}), "drifting-output").passed) << mode;
  }
}

TEST(AttentionWorkload, BoundsOfLongSumsGrowWhereTheirErrorsWereSeenTo) {
  const auto allowed = [](Dtype dtype, std::int64_t length) {
    Problem problem{.dtype = dtype};
    problem.queries = problem.keys = length;
    return allowed_after_timing(problem);
  };
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16}) {
    const AllowedAfterTiming here = allowed(dtype, 1024), there = allowed(dtype, 65536);
    EXPECT_DOUBLE_EQ(allowed(dtype, 64).d_query, here.d_query);
    EXPECT_DOUBLE_EQ(there.output, here.output);
    EXPECT_DOUBLE_EQ(there.d_query, 8 * here.d_query);
    EXPECT_DOUBLE_EQ(there.d_key_value, (dtype == Dtype::fp32 ? 8 : 1) * here.d_key_value);
  }
  EXPECT_LT(allowed(Dtype::bf16, 65536).d_key_value, 0.08);
}

TEST(AttentionWorkload, PhasesFollowTheMode) {
  const auto phases_of = [](const std::string& mode) {
    const auto workload = timed(small_case({{"mode", mode}}));
    PhaseList phases;
    workload->step(phases);
    std::vector<std::string> names;
    for (const int index : phases.begun) names.push_back(workload->phase_names().at(std::size_t(index)));
    return names;
  };
  EXPECT_EQ(phases_of("forward"), std::vector<std::string>{"forward"});
  EXPECT_EQ(phases_of("backward"), std::vector<std::string>{"backward"});
  EXPECT_EQ(phases_of("forward-backward"), (std::vector<std::string>{"forward", "backward"}));
}

TEST(AttentionWorkload, SaysWhichOfLibTorchsOperatorsRan) {
  const auto notes_of = [](const char* implementation) {
    const auto workload = timed(small_case({{"implementation", implementation}, {"mode", "forward"}}));
    PhaseList phases;
    workload->step(phases);
    return workload->notes();
  };
  EXPECT_EQ(notes_of("sdpa-flash"),
            std::vector<std::string>{"operators: aten::_scaled_dot_product_flash_attention_for_cpu"});
  EXPECT_TRUE(notes_of("naive").empty());
}

}  // namespace
}  // namespace bench::attention
