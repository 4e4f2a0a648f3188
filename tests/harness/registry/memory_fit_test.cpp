#include "harness/registry/memory_fit.hpp"

#include <gtest/gtest.h>

namespace bench::registry {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// 10 MiB of weights, and 1 MiB for each thing in the batch and the context.
WorkloadSpec make_spec() {
  WorkloadSpec spec;
  spec.name = "made-up";
  const auto count = [](const char* name, const char* by_default, bool has_max) {
    return Parameter{.name = name,
                     .kind = ParameterKind::integer,
                     .default_value = by_default,
                     .minimum = 1,
                     .maximum = 4096,
                     .has_max = has_max};
  };
  spec.parameters = {count("context", "4", true), count("batch", "8", true), count("heads", "1", false)};
  spec.memory = [](const Case& c, const std::string&) {
    return MemoryPrediction{{{"parameters", 10 * kMiB},
                             {"activations", c.integer("context") * c.integer("batch") * kMiB},
                             {"gradients", 0}}};
  };
  return spec;
}

const WorkloadSpec kSpec = make_spec();

Case make_case(std::int64_t context, std::int64_t batch) {
  return {.workload = "made-up",
          .values = {{"context", context}, {"batch", batch}, {"heads", std::int64_t{1}}}};
}

TEST(MemoryFit, ACaseIsRefusedOnlyWhereItWouldNotFitEvenIfTheFormulaWereAFifthTooHigh) {
  const auto prediction = predict_memory(kSpec, make_case(4, 8), "cpu");
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->peak_bytes(), 42 * kMiB);
  EXPECT_TRUE(cannot_fit(prediction, {"cpu", 34 * kMiB}));
  EXPECT_FALSE(cannot_fit(prediction, {"cpu", 36 * kMiB}));
  EXPECT_FALSE(cannot_fit(prediction, {"cpu", 0}));
  EXPECT_FALSE(cannot_fit(std::nullopt, {"cpu", 1}));
}

TEST(MemoryFit, TheReasonNamesEachPartAndWhatWouldFit) {
  const auto prediction = predict_memory(kSpec, make_case(4, 8), "cpu");
  EXPECT_EQ(explain_misfit(kSpec, make_case(4, 8), *prediction, {"cpu", 30 * kMiB}).text,
            "predicted 42.0 MiB (parameters 10.0 MiB, activations 32.0 MiB), and 30.0 MiB can be had; "
            "--context 2 or --batch 4 would fit");
  EXPECT_EQ(explain_misfit(kSpec, make_case(4, 8), *prediction, {"cpu", 9 * kMiB}).text,
            "predicted 42.0 MiB (parameters 10.0 MiB, activations 32.0 MiB), and 9.00 MiB can be had; "
            "no --context and no --batch fits");
}

}  // namespace
}  // namespace bench::registry
