#include "workloads/model/memory.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "harness/registry/expand.hpp"
#include "workloads/model/definition.hpp"
#include "workloads/model/dimensions.hpp"

// What the formula says; tests/workloads/model/memory_test.py holds it against measured peaks.
namespace bench::model {
namespace {

std::map<std::string, std::int64_t> predicted(registry::Options options, const std::string& device = "cpu") {
  const Case configuration = registry::one_case(make_spec(), options, {}).configuration;
  std::map<std::string, std::int64_t> bytes;
  const auto prediction = predict_memory(configuration, device);
  for (const auto& [category, amount] : prediction.value().peak_by_category) bytes[category] = amount;
  return bytes;
}

constexpr std::int64_t kSmall = 128'625'408;  // parameters

TEST(MemoryFormula, WeightsAndStateAreCountedExactly) {
  const auto forward = predicted({{"size", "small"}, {"mode", "forward"}});
  EXPECT_EQ(forward.at("parameters"), 4 * kSmall);
  EXPECT_FALSE(forward.contains("gradients"));
  EXPECT_FALSE(forward.contains("optimizer"));
  // With few tokens the optimizer's moment is the peak: all gradients, two moments, one parameter's
  // temporaries.
  const auto train = predicted({{"size", "small"}, {"context", "16"}});
  EXPECT_EQ(train.at("gradients"), 4 * kSmall);
  EXPECT_EQ(train.at("optimizer"), 8 * kSmall + 2 * 4 * 10'000 * 768);
  EXPECT_EQ(train.at("activations"), 0);
  EXPECT_EQ(predicted({{"size", "small"}, {"context", "16"}, {"optimizer", "adamw-fused"}}).at("optimizer"),
            8 * kSmall);
}

TEST(MemoryFormula, ForeachOnCudaHoldsEveryDenominatorAtOnce) {
  EXPECT_EQ(predicted({{"size", "small"}, {"context", "16"}}, "cuda:0").at("optimizer"), 12 * kSmall);
  EXPECT_EQ(
      predicted({{"size", "small"}, {"context", "16"}, {"precision", "bf16"}}, "cuda:0").at("optimizer"),
      6 * kSmall);
}

// Peaks that LibTorch's allocator counted on one H200, in MiB: reports/published/h200-seed-fp32.md,
// h200-seed-bf16-mixed.md and h200-precisions.md. cuBLAS's workspaces are in them, 32 MiB for each thread
// that multiplies, and no case's.
TEST(MemoryFormula, AgreesWithThePeaksOfAnH200) {
  struct Measured {
    const char *size, *mode, *precision;
    double peak_mib;
  };
  for (const Measured& measured : {
           Measured{"small", "forward", "fp32", 581},
           Measured{"small", "forward-backward", "fp32", 1784},
           Measured{"small", "train-step", "fp32", 2761},
           Measured{"medium", "forward", "fp32", 1720},
           Measured{"medium", "forward-backward", "fp32", 4690},
           Measured{"medium", "train-step", "fp32", 8143},
           Measured{"large", "forward", "fp32", 3905},
           Measured{"large", "forward-backward", "fp32", 9343},
           Measured{"large", "train-step", "fp32", 19024},
           Measured{"xl", "forward", "fp32", 7933},
           Measured{"xl", "forward-backward", "fp32", 17257},
           Measured{"xl", "train-step", "fp32", 38956},
           Measured{"7B", "forward", "fp32", 13303},
           Measured{"7B", "forward-backward", "fp32", 26134},
           Measured{"7B", "train-step", "fp32", 65414},
           Measured{"small", "forward", "bf16-mixed", 569},
           Measured{"small", "forward-backward", "bf16-mixed", 1746},
           Measured{"small", "train-step", "bf16-mixed", 2744},
           Measured{"medium", "forward", "bf16-mixed", 1702},
           Measured{"medium", "forward-backward", "bf16-mixed", 4736},
           Measured{"medium", "train-step", "bf16-mixed", 8143},
           Measured{"large", "forward", "bf16-mixed", 3883},
           Measured{"large", "forward-backward", "bf16-mixed", 9807},
           Measured{"large", "train-step", "bf16-mixed", 19026},
           Measured{"xl", "forward", "bf16-mixed", 7903},
           Measured{"xl", "forward-backward", "bf16-mixed", 18593},
           Measured{"xl", "train-step", "bf16-mixed", 38965},
           Measured{"7B", "forward", "bf16-mixed", 13260},
           Measured{"7B", "forward-backward", "bf16-mixed", 26582},
           Measured{"7B", "train-step", "bf16-mixed", 65349},
           Measured{"small", "forward", "tf32", 581},
           Measured{"small", "train-step", "tf32", 2761},
           Measured{"small", "forward", "fp16-mixed", 569},
           Measured{"small", "forward", "bf16", 320},
           Measured{"small", "train-step", "bf16", 1510},
           Measured{"xl", "forward", "tf32", 7933},
           Measured{"xl", "train-step", "tf32", 38956},
           Measured{"xl", "forward", "fp16-mixed", 7896},
           Measured{"xl", "forward", "bf16", 3989},
           Measured{"xl", "train-step", "bf16", 19469},
       }) {
    double bytes = 0;
    for (const auto& [category, amount] : predicted({{"size", measured.size},
                                                     {"mode", measured.mode},
                                                     {"precision", measured.precision},
                                                     {"context", "256"}},
                                                    "cuda:0"))
      bytes += static_cast<double>(amount);
    EXPECT_NEAR(bytes / (1 << 20) / measured.peak_mib, 1, 0.15)
        << measured.size << " " << measured.mode << " " << measured.precision;
  }
}

TEST(MemoryFormula, NaiveAttentionKeepsScoresThatGrowWithTheSquareOfTheContext) {
  const auto naive = [](const char* context) {
    return double(
        predicted({{"size", "small"}, {"mode", "forward-backward"}, {"context", context}}).at("activations"));
  };
  const auto sdpa = [](const char* context) {
    return double(
        predicted(
            {{"size", "small"}, {"mode", "forward-backward"}, {"context", context}, {"attention", "sdpa"}})
            .at("activations"));
  };
  EXPECT_NEAR(sdpa("4096") / sdpa("2048"), 2, 0.01);
  EXPECT_GT(naive("4096") / naive("2048"), 3);
  // 12 layers, batch 4, 12 heads, fp32.
  EXPECT_GT(naive("4096") - sdpa("4096"), 12.0 * 4 * 12 * 4096 * 4096 * 4 * 0.9);
}

TEST(MemoryFormula, ConfigurationsBeyondAnyMachineDoNotOverflow) {
  for (const auto& [category, bytes] : predicted({{"d-model", "131072"},
                                                  {"d-ff", "1048576"},
                                                  {"layers", "4096"},
                                                  {"heads", "4096"},
                                                  {"context", "32768"},
                                                  {"batch", "65536"}}))
    EXPECT_GE(bytes, 0) << category;
}

TEST(MemoryFormula, AnImplementationThatDecidesForItselfHasNone) {
  const Case configuration =
      registry::one_case(make_spec(), {{"implementation", "torch-compile"}}, {}).configuration;
  EXPECT_EQ(predict_memory(configuration, "cpu"), std::nullopt);
}

}  // namespace
}  // namespace bench::model
