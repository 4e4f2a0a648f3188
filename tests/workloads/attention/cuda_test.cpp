// Attention on a GPU, through the commands that bench sends.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/worker/session.hpp"
#include "tests/support/gpu.hpp"
#include "tests/workloads/attention/worker_stubs.hpp"
#include "workloads/attention/variants.hpp"
#include "workloads/attention/workload.hpp"

namespace bench::attention {
namespace {

const worker::WorkloadRegistration registration{"attention", make_attention_workload};

class AttentionOnCuda : public support::OnGpu {
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
  // "" when check, samples and verification went well; "skipped: ..." where LibTorch refuses.
  std::string complaint(const Case& configuration, Timing timing = Timing::back_to_back) {
    for (const protocol::Command& command : std::vector<protocol::Command>{
             protocol::Prepare{
                 .configuration = configuration, .timing = timing, .headline = Headline::device_time},
             protocol::Measure{.kind = SampleKind::warm_up, .samples = 2},
             protocol::Measure{.samples = 3, .steps_per_sample = 2}, protocol::Verify{}}) {
      const protocol::Event event = ask(command);
      if (const auto* failed = std::get_if<protocol::Failed>(&event))
        return (failed->status == Status::skipped ? "skipped: " : "") + failed->reason;
      if (const auto* prepared = std::get_if<protocol::Prepared>(&event); prepared && !prepared->check.passed)
        return prepared->check.reason;
      const auto* done = std::get_if<protocol::Done>(&event);
      if (done && done->check && !done->check->passed) return done->check->reason;
    }
    return "";
  }
  std::vector<std::string> notes() const {
    const auto* done = std::get_if<protocol::Done>(&last_);
    return done ? done->notes : std::vector<std::string>{};
  }

  protocol::Event last_;
  std::vector<Sample> samples_;
  std::optional<worker::Session> session_;
};

using Changes = std::vector<std::pair<std::string, Value>>;

TEST_F(AttentionOnCuda, EveryImplementationIsRightOrRefusedWithAReason) {
  for (const Variant& variant : kVariants)
    for (const char* dtype : {"fp32", "bf16", "fp16"})
      for (const char* mode : {"forward", "backward", "forward-backward"})
        for (const Changes& shape :
             {Changes{}, Changes{{"sequence", std::int64_t{1000}}, {"d-head", std::int64_t{64}}},
              Changes{{"keys", std::int64_t{77}}, {"causal", "bottom-right"}},
              Changes{{"sequence", std::int64_t{1}}}, Changes{{"d-head", std::int64_t{9}}},
              Changes{{"causal", "no"}, {"d-head", std::int64_t{256}}}}) {
          Changes changes = shape;
          changes.insert(changes.end(),
                         {{"implementation", std::string(variant.name)}, {"dtype", dtype}, {"mode", mode}});
          const Case configuration = small_case(changes);
          const std::string why = complaint(configuration);
          const bool own = variant.name == "naive" || variant.name == "tiled" || variant.name == "sdpa-math";
          EXPECT_TRUE(why.empty() || (!own && why.starts_with("skipped: ")))
              << configuration.id() << ": " << why;
          if (!why.empty()) std::printf("%s: %s\n", configuration.id().c_str(), why.c_str());
          if (!why.empty()) continue;
          EXPECT_GT(samples_.back().device_ns.value_or(0), 0);
        }
}

TEST_F(AttentionOnCuda, EachForcedBackendRunsItsOwnOperatorAndNamesItsKernels) {
  for (const auto& [implementation, part] :
       {std::pair("sdpa-flash", "aten::_scaled_dot_product_flash_attention"),
        {"sdpa-efficient", "aten::_scaled_dot_product_efficient_attention"},
        {"sdpa-cudnn", "aten::_scaled_dot_product_cudnn_attention"},
        {"sdpa-math", "aten::_scaled_dot_product_attention_math"}}) {
    ASSERT_EQ(complaint(small_case({{"implementation", implementation},
                                    {"dtype", "bf16"},
                                    {"sequence", std::int64_t{256}},
                                    {"d-head", std::int64_t{64}}})),
              "");
    ASSERT_FALSE(notes().empty()) << implementation;
    EXPECT_NE(notes()[0].find(part), std::string::npos) << notes()[0];
    if (std::string_view(implementation) == "sdpa-math") continue;  // made of many kernels
    ASSERT_EQ(notes().size(), 2u) << implementation;
    EXPECT_TRUE(notes()[1].starts_with("kernels: ")) << notes()[1];
    std::printf("%s\n%s\n", notes()[0].c_str(), notes()[1].c_str());
  }
}

TEST_F(AttentionOnCuda, ARefusalGivesLibTorchsReason) {
  for (const char* implementation : {"sdpa-flash", "sdpa-cudnn"}) {
    const std::string why = complaint(small_case({{"implementation", implementation}, {"dtype", "fp32"}}));
    EXPECT_TRUE(why.starts_with("skipped: ")) << why;
    EXPECT_NE(why.find("dtype"), std::string::npos) << why;
  }
}

TEST_F(AttentionOnCuda, AFusedForwardHoldsItsInputsItsOutputAndLittleElse) {
  ASSERT_EQ(complaint(small_case({{"implementation", "sdpa-flash"},
                                  {"dtype", "bf16"},
                                  {"d-head", std::int64_t{64}},
                                  {"sequence", std::int64_t{1024}},
                                  {"mode", "forward"}})),
            "");
  const protocol::Event event = ask(protocol::Observe{});
  const auto* done = std::get_if<protocol::Done>(&event);
  ASSERT_TRUE(done != nullptr && done->memory);
  const std::int64_t tensor_bytes = 2 * 2 * 2 * 1024 * 64;  // batch 2, heads 2, bf16: 512 KiB
  EXPECT_GE(done->memory->peak_allocated_bytes, 4 * tensor_bytes);
  EXPECT_LE(done->memory->peak_allocated_bytes, 32 * tensor_bytes);  // cuBLAS's workspace alone is 64
}

TEST_F(AttentionOnCuda, RunsAsAGraph) {
  for (const char* implementation : {"naive", "tiled", "sdpa-flash", "sdpa-cudnn"})
    for (const char* mode : {"forward", "backward", "forward-backward"}) {
      const Case configuration = small_case({{"implementation", implementation},
                                             {"dtype", "bf16"},
                                             {"d-head", std::int64_t{64}},
                                             {"mode", mode}});
      EXPECT_EQ(complaint(configuration, Timing::graph), "") << configuration.id();
    }
}

TEST_F(AttentionOnCuda, FaultsAreCaught) {
  for (const char* dtype : {"fp32", "bf16", "fp16"})
    for (const char* fault :
         {"zero-output", "wrong-scale", "mask-off-by-one", "swapped-heads", "stale-lse", "stale-output"}) {
      const protocol::Event event =
          ask(protocol::Prepare{.configuration = small_case({{"dtype", dtype}, {"implementation", "tiled"}}),
                                .inject_fault = fault});
      const auto* prepared = std::get_if<protocol::Prepared>(&event);
      ASSERT_NE(prepared, nullptr) << dtype << " " << fault;
      EXPECT_FALSE(prepared->check.passed) << dtype << " " << fault;
    }
}

TEST_F(AttentionOnCuda, ThePeakOfTheBackwardIsThatOfScoresInNaiveAndFarBelowInTiled) {
  const std::int64_t length = 4096;
  const double matrix = 4.0 * 4 * double(length) * double(length);
  const auto peak = [&](const char* implementation) {
    EXPECT_EQ(complaint(small_case({{"implementation", implementation}, {"sequence", length}})), "");
    const protocol::Event event = ask(protocol::Observe{});
    const auto* done = std::get_if<protocol::Done>(&event);
    EXPECT_TRUE(done != nullptr && done->memory && done->memory->phases.size() == 2);
    return double(done->memory->phases[1].peak_allocated_bytes) / matrix;
  };
  EXPECT_GE(peak("naive"), 2.0);
  EXPECT_LE(peak("tiled"), 0.6);
}

TEST_F(AttentionOnCuda, AfterACaseThatRanOutOfMemoryTheNextIsRight) {
  const Case too_large = small_case({{"sequence", std::int64_t{524'288}}, {"batch", std::int64_t{4}}});
  protocol::Event event = ask(protocol::Prepare{.configuration = too_large, .check = false});
  if (std::holds_alternative<protocol::Prepared>(event)) event = ask(protocol::Measure{});
  const auto* failed = std::get_if<protocol::Failed>(&event);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->status, Status::out_of_memory) << failed->reason;
  EXPECT_EQ(complaint(small_case()), "");
}

}  // namespace
}  // namespace bench::attention
