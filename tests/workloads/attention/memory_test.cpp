#include "workloads/attention/memory.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <ATen/Parallel.h>

#include "harness/worker/counting_allocator.hpp"
#include "harness/worker/cpu_device.hpp"
#include "harness/worker/slot.hpp"
#include "tests/workloads/attention/worker_stubs.hpp"
#include "workloads/attention/workload.hpp"

namespace bench::attention {
namespace {

// The memory pass of a case, as a worker makes it.
std::int64_t measured_peak_bytes(const Case& configuration) {
  worker::install_counting_allocator(0);
  const std::int64_t before = worker::allocation_counts().allocated_bytes;
  const auto device = worker::make_cpu_device(0);
  worker::Slot slot(
      make_attention_workload,
      {.configuration = configuration, .seed = 1, .inject_fault = {}, .device = device.get(), .progress = {}},
      CacheState::hot);
  slot.prepare_timed();
  slot.sample(SampleKind::warm_up, 1);
  return slot.observe_memory().peak_allocated_bytes - before;
}

void expect_close(const std::string& implementation, const std::string& dtype, std::int64_t heads) {
  for (const char* mode : {"forward", "backward", "forward-backward"})
    for (const char* causal : {"no", "yes"}) {
      const Case configuration = small_case({{"implementation", implementation},
                                             {"mode", mode},
                                             {"causal", causal},
                                             {"dtype", dtype},
                                             {"heads", heads},
                                             {"sequence", std::int64_t{512}},
                                             {"d-head", std::int64_t{64}}});
      const double predicted = double(predict_memory(configuration, "cpu")->peak_bytes());
      EXPECT_NEAR(predicted / double(measured_peak_bytes(configuration)), 1, 0.15) << configuration.id();
    }
}

TEST(AttentionMemory, TheFormulaIsWithinFifteenPercentOfThePeaksHere) {
  at::set_num_threads(2);  // sdpa-flash holds a buffer for each
  for (const char* implementation : {"naive", "tiled", "sdpa-math"})
    for (const char* dtype : {"fp32", "bf16"}) expect_close(implementation, dtype, 2);
  // With enough matrices to outweigh the buffers of its threads.
  for (const char* implementation : {"sdpa", "sdpa-flash"}) expect_close(implementation, "fp32", 16);
}

}  // namespace
}  // namespace bench::attention
