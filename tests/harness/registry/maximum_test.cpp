#include "harness/registry/maximum.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace bench::registry {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// 10 MiB of weights, and 1 MiB for each thing in the batch and the context. `tokens` sets the batch, and
// `keys` that are as many as the context go without saying.
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
  spec.parameters = {count("context", "4", true), count("batch", "8", true), count("tokens", "", false),
                     count("keys", "", false), count("heads", "1", false)};
  spec.canonicalize = [](Case& c, const std::set<std::string>&) {
    if (c.has("tokens") && c.integer("tokens") % c.integer("context") == 0) {
      c.set("batch", c.integer("tokens") / c.integer("context"));
      c.erase("tokens");
    }
    if (c.has("keys") && c.integer("keys") == c.integer("context")) c.erase("keys");
  };
  spec.validate = [](const Case& c) {
    return c.has("tokens") ? std::vector<UsageError>{{"tokens", "does not divide"}}
                           : std::vector<UsageError>{};
  };
  spec.memory = [](const Case& c, const std::string&) {
    const std::int64_t context = c.integer("context");
    return MemoryPrediction{
        {{"parameters", 10 * kMiB},
         {"activations", context * c.integer("batch") * kMiB},
         {"keys", (c.has("keys") ? c.integer("keys") : context) * c.integer("batch") * kMiB / 1024}}};
  };
  return spec;
}

const WorkloadSpec kSpec = make_spec();

std::vector<PlannedCase> planned(const Options& options, std::optional<std::int64_t> room_bytes) {
  ExpandRequest request{.options = options, .preset = {}};
  if (room_bytes) request.room = MemoryRoom{.device = "cpu", .bytes = *room_bytes};
  return expand(kSpec, request);
}

std::vector<std::string> ids(const Options& options, std::int64_t room_bytes) {
  std::vector<std::string> all;
  for (const PlannedCase& one : planned(options, room_bytes))
    all.push_back(one.configuration.id() + (one.maximum ? " max" : ""));
  return all;
}

TEST(Maximum, BecomesTheLargestPowerOfTwoThatMayFit) {
  // 10 + 8·context MiB at most 1.2 times 60: context 7, so 4.
  EXPECT_EQ(ids({{"context", "max"}}, 60 * kMiB),
            (std::vector<std::string>{"made-up/context:4/batch:8/heads:1 max"}));
  // The largest for batch 16 is 2, which is a row of its own; where that runs out of memory, max goes on.
  EXPECT_EQ(ids({{"context", "2,max"}, {"batch", "1,16"}}, 60 * kMiB),
            (std::vector<std::string>{
                "made-up/context:2/batch:1/heads:1", "made-up/context:2/batch:16/heads:1",
                "made-up/context:32/batch:1/heads:1 max", "made-up/context:2/batch:16/heads:1 max"}));
}

TEST(Maximum, WhereNotEvenOneFitsMaxIsTheSmallestSoThatARowSaysSo) {
  EXPECT_EQ(ids({{"context", "max"}}, kMiB),
            (std::vector<std::string>{"made-up/context:1/batch:8/heads:1 max"}));
}

TEST(Maximum, OfWhatNoFormulaCoversIsAUsageError) {
  WorkloadSpec spec = make_spec();
  spec.memory = [](const Case&, const std::string&) { return std::optional<MemoryPrediction>(); };
  EXPECT_EQ(
      support::error_of(ErrorKind::usage,
                        [&] {
                          expand(spec, {.options = {{"context", "max"}},
                                        .preset = {},
                                        .room = MemoryRoom{.device = "cpu", .bytes = kMiB}});
                        }),
      "--context: max: no formula covers the memory of made-up/context:1/batch:8/heads:1; name a value");
}

TEST(Maximum, NeedsToKnowTheMemoryAndOneParameterToVary) {
  EXPECT_EQ(support::error_of(ErrorKind::usage,
                              [] {
                                ids({{"context", "max"}}, 0);
                              }),
            "--context: max: bench cannot tell how much memory is here; --memory-limit states it");
  EXPECT_EQ(support::error_of(ErrorKind::usage,
                              [] {
                                ids({{"context", "max"}, {"batch", "max"}}, kMiB);
                              }),
            "--batch: max: context is max already, and only one parameter can be");
}

TEST(Maximum, OtherParametersFollowFromEachValueThatIsTried) {
  // 12 tokens are 12 of context 1, 6 of 2 or 3 of 4; 8 does not divide them.
  EXPECT_EQ(ids({{"tokens", "12"}, {"context", "max"}}, 60 * kMiB),
            (std::vector<std::string>{"made-up/context:4/batch:3/heads:1 max"}));
  EXPECT_EQ(ids({{"keys", "1"}, {"batch", "1"}, {"context", "max"}}, 60 * kMiB),
            (std::vector<std::string>{"made-up/context:32/batch:1/keys:1/heads:1 max"}));
  EXPECT_EQ(ids({{"keys", "32"}, {"batch", "1"}, {"context", "max"}}, 60 * kMiB),
            (std::vector<std::string>{"made-up/context:32/batch:1/heads:1 max"}));
}

TEST(Maximum, SmallerOnesAreMadeFromWhatWasAskedForToo) {
  PlannedCase tokens = planned({{"tokens", "12"}, {"context", "max"}}, 60 * kMiB).front();
  ASSERT_TRUE(make_smaller(kSpec, tokens));
  EXPECT_EQ(tokens.configuration.id(), "made-up/context:2/batch:6/heads:1");
  ASSERT_TRUE(make_smaller(kSpec, tokens));
  EXPECT_FALSE(make_smaller(kSpec, tokens));

  PlannedCase keys = planned({{"keys", "32"}, {"batch", "1"}, {"context", "max"}}, 100 * kMiB).front();
  ASSERT_EQ(keys.configuration.id(), "made-up/context:64/batch:1/keys:32/heads:1");
  ASSERT_TRUE(make_smaller(kSpec, keys));
  EXPECT_EQ(keys.configuration.id(), "made-up/context:32/batch:1/heads:1");
  ASSERT_TRUE(make_smaller(kSpec, keys));
  EXPECT_EQ(keys.configuration.id(), "made-up/context:16/batch:1/keys:32/heads:1");

  PlannedCase plain = planned({{"context", "4"}}, 60 * kMiB).front();
  EXPECT_FALSE(make_smaller(kSpec, plain));
}

TEST(Maximum, HowLargeItIsCanBeLeftToWhereItIsRun) {
  PlannedCase one = planned({{"context", "max"}}, std::nullopt).front();
  EXPECT_EQ(one.configuration.integer("context"), 1);
  set_largest(kSpec, one, {.device = "cpu", .bytes = 60 * kMiB});
  EXPECT_EQ(one.configuration.integer("context"), 4);
  set_largest(kSpec, one, {.device = "cpu", .bytes = 1000 * kMiB});
  EXPECT_EQ(one.configuration.integer("context"), 128);
}

TEST(Maximum, IsTheLastRowAndStaysOneBesideTheSameValueWhicheverComesFirst) {
  for (const char* const values : {"max,4", "4,max"})
    EXPECT_EQ(ids({{"context", values}}, 60 * kMiB),
              (std::vector<std::string>{"made-up/context:4/batch:8/heads:1",
                                        "made-up/context:4/batch:8/heads:1 max"}))
        << values;
}

}  // namespace
}  // namespace bench::registry
