#include "harness/registry/memory_fit.hpp"

#include <gtest/gtest.h>

#include "harness/registry/expand.hpp"
#include "tests/support/expect_error.hpp"

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

std::vector<std::string> ids(const Options& options, std::int64_t room_bytes) {
  std::vector<std::string> all;
  for (const PlannedCase& planned :
       expand(kSpec, {.options = options, .preset = {}, .room = {.device = "cpu", .bytes = room_bytes}}))
    all.push_back(planned.configuration.id() + " " + planned.maximized);
  return all;
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
  EXPECT_EQ(explain_misfit(kSpec, make_case(4, 8), *prediction, {"cpu", 30 * kMiB}),
            "predicted 42.0 MiB (parameters 10.0 MiB, activations 32.0 MiB), and 30.0 MiB can be had; "
            "--context 2 or --batch 4 would fit");
  EXPECT_EQ(explain_misfit(kSpec, make_case(4, 8), *prediction, {"cpu", 9 * kMiB}),
            "predicted 42.0 MiB (parameters 10.0 MiB, activations 32.0 MiB), and 9.00 MiB can be had; "
            "no --context and no --batch fits");
}

TEST(MemoryFit, MaxBecomesTheLargestPowerOfTwoThatMayFit) {
  // 10 + 8·context MiB at most 1.2 times 60: context 7, so 4.
  EXPECT_EQ(ids({{"context", "max"}}, 60 * kMiB),
            (std::vector<std::string>{"made-up/context:4/batch:8/heads:1 context"}));
  // The largest for batch 16 is 2, which is there already.
  EXPECT_EQ(
      ids({{"context", "2,max"}, {"batch", "1,16"}}, 60 * kMiB),
      (std::vector<std::string>{"made-up/context:2/batch:1/heads:1 ", "made-up/context:2/batch:16/heads:1 ",
                                "made-up/context:32/batch:1/heads:1 context"}));
}

TEST(MemoryFit, WhereNotEvenOneFitsMaxIsTheSmallestSoThatARowSaysSo) {
  EXPECT_EQ(ids({{"context", "max"}}, kMiB),
            (std::vector<std::string>{"made-up/context:1/batch:8/heads:1 context"}));
}

TEST(MemoryFit, MaxOfWhatNoFormulaCoversIsAUsageError) {
  WorkloadSpec spec = make_spec();
  spec.memory = [](const Case&, const std::string&) { return std::optional<MemoryPrediction>(); };
  EXPECT_EQ(
      support::error_of(
          ErrorKind::usage,
          [&] {
            expand(spec,
                   {.options = {{"context", "max"}}, .preset = {}, .room = {.device = "cpu", .bytes = kMiB}});
          }),
      "--context: max: no formula covers the memory of made-up/context:1/batch:8/heads:1; name a value");
}

TEST(MemoryFit, MaxNeedsToKnowTheMemoryAndOneParameterToVary) {
  EXPECT_EQ(support::error_of(ErrorKind::usage,
                              [] {
                                ids({{"context", "max"}}, 0);
                              }),
            "--context: max: how much memory is here cannot be told; --memory-limit states it");
  EXPECT_EQ(support::error_of(ErrorKind::usage,
                              [] {
                                ids({{"context", "max"}, {"batch", "max"}}, kMiB);
                              }),
            "--batch: max: context is max already, and one at a time can be");
}

}  // namespace
}  // namespace bench::registry
