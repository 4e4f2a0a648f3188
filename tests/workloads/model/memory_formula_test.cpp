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
