// The model on a GPU, through the commands that bench sends.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/worker/session.hpp"
#include "tests/support/gpu.hpp"
#include "tests/workloads/model/tiny.hpp"
#include "workloads/model/graph_check.hpp"
#include "workloads/model/workload.hpp"

namespace bench::model {
namespace {

const worker::WorkloadRegistration registration{"model", make_model_workload};

class ModelOnCuda : public support::OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    session_.emplace(device(), [this](const protocol::Event& event) {
      if (const auto* batch = std::get_if<protocol::Samples>(&event)) samples_ = batch->samples;
      last_ = event;
    });
  }
  protocol::Event ask(const protocol::Command& command) {
    session_->handle(command);
    return last_;
  }
  // "" when check, five samples of two steps and the verification went well.
  std::string complaint(const Case& configuration, Timing timing) {
    const auto failure = [](const protocol::Event& event) -> std::string {
      if (const auto* failed = std::get_if<protocol::Failed>(&event)) return failed->reason;
      if (const auto* prepared = std::get_if<protocol::Prepared>(&event)) return prepared->check.reason;
      const auto* done = std::get_if<protocol::Done>(&event);
      return done && done->check ? done->check->reason : "";
    };
    for (const protocol::Command& command : std::vector<protocol::Command>{
             protocol::Prepare{.configuration = configuration, .timing = timing},
             protocol::Measure{.kind = SampleKind::warm_up, .samples = 2},
             protocol::Measure{.samples = 5, .steps_per_sample = 2}, protocol::Verify{}}) {
      const std::string reason = failure(ask(command));
      if (!reason.empty()) return reason;
    }
    return "";
  }

  protocol::Event last_;
  std::vector<Sample> samples_;
  std::optional<worker::Session> session_;
};

std::vector<Case> all_cases(const std::vector<std::pair<std::string, Value>>& changes) {
  std::vector<Case> cases;
  for (const char* mode : {"forward", "forward-backward", "train-step"})
    for (const char* precision : {"fp32", "tf32", "bf16-mixed", "fp16-mixed", "bf16"})
      for (const char* attention : {"naive", "tiled", "sdpa"})
        for (const char* optimizer : {"adamw", "adamw-fused"}) {
          if (mode != std::string("train-step") && optimizer != std::string("adamw")) continue;
          auto all = changes;
          all.insert(
              all.end(),
              {{"mode", mode}, {"precision", precision}, {"attention", attention}, {"optimizer", optimizer}});
          cases.push_back(tiny_case(all));
        }
  return cases;
}

TEST_F(ModelOnCuda, EveryConfigurationPassesItsCheckAndVerification) {
  for (const Case& configuration : all_cases({})) {
    EXPECT_EQ(complaint(configuration, Timing::blocking), "") << configuration.id();
    ASSERT_FALSE(samples_.empty());
    EXPECT_GT(samples_.back().device_ns.value_or(0), 0);
    EXPECT_LE(samples_.back().device_ns.value_or(0), samples_.back().host_ns + 2'000);
    for (const std::int64_t phase_ns : samples_.back().phase_ns) EXPECT_GT(phase_ns, 0);
  }
}

TEST_F(ModelOnCuda, EveryConfigurationRunsAsAGraphThatEqualsStepsOutsideIt) {
  for (const Case& configuration : all_cases({})) {
    EXPECT_EQ(complaint(configuration, Timing::graph), "") << configuration.id();
    ASSERT_FALSE(samples_.empty());
    EXPECT_TRUE(samples_.back().phase_ns.empty());
  }
}

TEST_F(ModelOnCuda, WiderModelsPassToo) {
  for (const Case& configuration : all_cases({{"d-model", std::int64_t{256}},
                                              {"d-ff", std::int64_t{1024}},
                                              {"vocabulary", std::int64_t{1000}},
                                              {"context", std::int64_t{128}}}))
    EXPECT_EQ(complaint(configuration, Timing::blocking), "") << configuration.id();
}

TEST_F(ModelOnCuda, FaultsAreCaught) {
  for (const char* precision : {"fp32", "tf32", "bf16-mixed", "fp16-mixed", "bf16"})
    for (const char* fault :
         {"zero-output", "swapped-heads", "mask-off-by-one", "stale-weight", "wrong-optimizer"}) {
      const protocol::Event event = ask(
          protocol::Prepare{.configuration = tiny_case({{"precision", precision}}), .inject_fault = fault});
      const auto* prepared = std::get_if<protocol::Prepared>(&event);
      ASSERT_NE(prepared, nullptr) << precision << " " << fault;
      EXPECT_FALSE(prepared->check.passed) << precision << " " << fault;
    }
}

TEST_F(ModelOnCuda, AfterACaseThatRanOutOfMemoryTheNextIsRight) {
  // Scores of 4 x 4 heads x 262,144² x 4 bytes: 4.4 TB.
  const Case too_large =
      tiny_case({{"context", std::int64_t{262'144}}, {"batch", std::int64_t{4}}, {"mode", "forward"}});
  protocol::Event event = ask(protocol::Prepare{.configuration = too_large, .check = false});
  if (std::holds_alternative<protocol::Prepared>(event)) event = ask(protocol::Measure{});
  const auto* failed = std::get_if<protocol::Failed>(&event);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->status, Status::out_of_memory) << failed->reason;
  EXPECT_FALSE(failed->worker_unusable) << failed->reason;
  EXPECT_EQ(complaint(tiny_case(), Timing::blocking), "");
}

TEST_F(ModelOnCuda, TheMemoryPassCountsWhatAStepHolds) {
  const Case configuration = tiny_case({{"d-model", std::int64_t{256}}, {"d-ff", std::int64_t{1024}}});
  for (const Timing timing : {Timing::blocking, Timing::graph}) {
    ASSERT_EQ(complaint(configuration, timing), "");
    const protocol::Event event = ask(protocol::Observe{});
    const auto* done = std::get_if<protocol::Done>(&event);
    ASSERT_TRUE(done != nullptr && done->memory);
    const std::int64_t weights = 4 * parameter_count(dimensions_of(configuration));
    EXPECT_GE(done->memory->before_bytes, 3 * weights);          // and two moments
    EXPECT_GE(done->memory->peak_allocated_bytes, 4 * weights);  // and gradients
    EXPECT_LE(done->memory->peak_allocated_bytes,
              6 * weights + (std::int64_t{200} << 20));  // cuBLAS's workspaces
  }
}

}  // namespace
}  // namespace bench::model
