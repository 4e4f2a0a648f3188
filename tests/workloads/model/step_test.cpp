// What one step shows to the outside: its ranges, its memory by category, its operators.
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "harness/trace/range.hpp"
#include "harness/worker/counting_allocator.hpp"
#include "tests/harness/trace/recording.hpp"
#include "tests/workloads/model/tiny.hpp"
#include "workloads/model/dimensions.hpp"
#include "workloads/model/workload.hpp"

namespace bench::model {
namespace {

using worker::AllocationCategory;

support::IdleDevice device;
RecordedPhases phases;

std::unique_ptr<worker::Workload> prepared(const Case& configuration) {
  auto workload = make_model_workload(
      {.configuration = configuration, .seed = 0, .inject_fault = "", .device = &device, .progress = {}});
  workload->prepare_timed();
  return workload;
}

class ModelRanges : public testing::NvtxRecording {};

TEST_F(ModelRanges, ATrainingStepShowsItsPhasesBlocksAndAttention) {
  const auto workload = prepared(tiny_case());
  workload->step(phases);  // ranges are off: warm-up
  trace::set_step_ranges(true);
  workload->step(phases);
  trace::set_step_ranges(false);

  std::vector<std::string> seen;
  for (const testing::NvtxEvent& event : events()) {
    if (event.event != "push") continue;
    seen.push_back(event.payload ? event.name + " " + std::to_string(*event.payload) : event.name);
    EXPECT_EQ(event.level, event.name.starts_with("ATTN") ? 2 : event.name == "BLOCK" ? 1 : 0) << event.name;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"FWD_STEP", "BLOCK 0", "ATTN_QK_MATMUL", "ATTN_SOFTMAX",
                                            "ATTN_AV_MATMUL", "BLOCK 1", "ATTN_QK_MATMUL", "ATTN_SOFTMAX",
                                            "ATTN_AV_MATMUL", "BWD_STEP", "OPTIM_STEP"}));
}

TEST(ModelMemory, TheOptimizersPeakIsParametersGradientsAndTwoMoments) {
  worker::install_counting_allocator(0);
  // So few tokens that the peak lies in the optimizer, when every gradient is alive.
  const Case configuration = tiny_case({{"batch", std::int64_t{1}}, {"context", std::int64_t{4}}});
  const auto workload = prepared(configuration);
  workload->step(phases);
  worker::reset_peak_allocated();
  workload->observed_step(phases);

  const auto& at_peak = worker::allocation_counts().by_category_at_peak;
  const auto bytes = [&](AllocationCategory category) { return at_peak[std::size_t(category)]; };
  const std::int64_t count = parameter_count(dimensions_of(configuration));
  EXPECT_EQ(bytes(AllocationCategory::parameters), 4 * count);
  EXPECT_EQ(bytes(AllocationCategory::gradients), 4 * count);
  // Besides the moments, 21 step counters of 4 bytes and the square root of the largest second moment.
  EXPECT_GE(bytes(AllocationCategory::optimizer), 8 * count + 21 * 4);
  EXPECT_LE(bytes(AllocationCategory::optimizer), 8 * count + 21 * 4 + 3 * 4 * 64 * 32);
  // Gradients are none again, and hooks are gone: a timed step after it is as before.
  workload->step(phases);
}

TEST(ModelMemory, ForwardHoldsNothingForGradients) {
  worker::install_counting_allocator(0);
  const Case configuration = tiny_case({{"mode", "forward"}});
  const auto workload = prepared(configuration);
  workload->step(phases);
  worker::reset_peak_allocated();
  workload->observed_step(phases);
  const auto& at_peak = worker::allocation_counts().by_category_at_peak;
  EXPECT_EQ(at_peak[std::size_t(AllocationCategory::parameters)],
            4 * parameter_count(dimensions_of(configuration)));
  EXPECT_EQ(at_peak[std::size_t(AllocationCategory::gradients)], 0);
  EXPECT_EQ(at_peak[std::size_t(AllocationCategory::optimizer)], 0);
}

// The outermost ATen operators of this thread, in order.
struct Operators {
  static inline std::vector<std::string> names;
  static inline int depth = 0;
  static bool counted(const at::RecordFunction& function) {
    return std::string_view(function.name()).starts_with("aten::");
  }
  static std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function) {
    if (counted(function) && depth++ == 0) names.emplace_back(function.name());
    return nullptr;
  }
  static void end(const at::RecordFunction& function, at::ObserverContext*) {
    if (counted(function)) --depth;
  }
};

std::vector<std::string> operators_of_step(const Case& configuration) {
  const auto workload = prepared(configuration);
  workload->step(phases);
  workload->before_sample();
  Operators::names.clear();
  const auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(Operators::start, Operators::end));
  workload->step(phases);
  at::removeCallback(handle);
  return Operators::names;
}

// By the Python twin; empty where Python or its torch is missing.
std::vector<std::string> operators_of_python(const Case& configuration) {
  std::string command = BENCH_TEST_PEER_PYTHON " " BENCH_TEST_PEER_SCRIPT " --operators";
  for (const auto& [name, value] : configuration.values) {
    const bool known = name != "size" && name != "implementation" && name != "loss" && name != "lr" &&
                       name != "beta1" && name != "beta2" && name != "eps" && name != "weight-decay";
    if (known) command += " --" + name + " " + to_text(value);
  }
  command += " 2>/dev/null";
  std::vector<std::string> names;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  while (std::fgets(line.data(), int(line.size()), pipe.get())) {
    names.emplace_back(line.data());
    if (names.back().ends_with('\n')) names.back().pop_back();
  }
  return names;
}

TEST(ModelOperators, AStepRunsThoseOfThePythonTwinInTheirOrder) {
  const std::vector<Case> cases{
      tiny_case(),
      tiny_case({{"precision", "bf16-mixed"}, {"attention", "sdpa"}, {"optimizer", "adamw-fused"}}),
      tiny_case({{"mode", "forward"}, {"precision", "bf16-mixed"}}),
  };
  for (const Case& configuration : cases) {
    const std::vector<std::string> expected = operators_of_python(configuration);
    if (expected.empty()) GTEST_SKIP() << "no Python with torch at " BENCH_TEST_PEER_PYTHON;
    const std::vector<std::string> actual = operators_of_step(configuration);
    EXPECT_EQ(actual.size(), expected.size()) << configuration.id();
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
      ASSERT_EQ(actual[i], expected[i]) << "operator " << i << " of " << configuration.id();
    }
  }
}

}  // namespace
}  // namespace bench::model
