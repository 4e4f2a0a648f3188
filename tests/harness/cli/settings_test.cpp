#include "harness/cli/settings.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"

namespace bench::cli {
namespace {

RunRequest typed(registry::Options options) {
  RunRequest request;
  request.options = std::move(options);
  return request;
}

std::string refusal(const std::string& name, const std::string& text) {
  return support::error_of(ErrorKind::usage, [&] { read_settings(typed({{name, text}}), {}); });
}

TEST(SettingsTest, TypedOnesComeBeforeThePresetsAndThoseBeforeTheDefaults) {
  const Settings settings =
      read_settings(typed({{"steps", "3"}}), {{"steps", "7"}, {"timeout", "5s"}, {"context", "256"}});
  Policy policy{.time_budget_s = 42, .seed = 9};
  apply(settings, policy);
  EXPECT_EQ(policy.steps, 3);
  EXPECT_EQ(policy.timeout_s, 5);
  EXPECT_EQ(policy.time_budget_s, 42);
  EXPECT_EQ(policy.seed, 9u);
  EXPECT_FALSE(settings.repetitions);
  EXPECT_FALSE(settings.max_cases);
}

TEST(SettingsTest, AreAllRead) {
  const Settings settings = read_settings(typed({{"steps", "auto"},
                                                 {"time-budget", "2m"},
                                                 {"seed", "9007199254740992"},
                                                 {"max-cases", "1000000"},
                                                 {"repeat", "4"}}),
                                          {});
  ASSERT_TRUE(settings.steps);
  EXPECT_FALSE(settings.steps->count);
  EXPECT_EQ(settings.time_budget_s, 120);
  EXPECT_EQ(settings.seed, std::uint64_t{1} << 53);
  EXPECT_EQ(settings.max_cases, 1'000'000);
  EXPECT_EQ(settings.repetitions, 4);
}

TEST(SettingsTest, AutoThatIsTypedComesBeforeThePresetsNumber) {
  Policy policy;
  apply(read_settings(typed({{"steps", "auto"}}), {{"steps", "7"}}), policy);
  EXPECT_FALSE(policy.steps);
}

TEST(SettingsTest, OfSeveralTypedTheLastCounts) {
  EXPECT_EQ(given({{"steps", "3"}, {"steps", "4"}}, "steps"), "4");
  EXPECT_EQ(given({{"steps", "3"}}, "seed"), std::nullopt);
}

TEST(SettingsTest, MistakesNameTheOptionAndItsLimits) {
  EXPECT_EQ(refusal("steps", "0"), "--steps: \"0\" is not a whole number from 1 to 1,000,000");
  EXPECT_EQ(refusal("repeat", "1001"), "--repeat: \"1001\" is not a whole number from 1 to 1,000");
  EXPECT_EQ(refusal("max-cases", "many"), "--max-cases: \"many\" is not a whole number from 1 to 1,000,000");
  EXPECT_EQ(refusal("timeout", "31d").substr(0, 9), "--timeout");
  EXPECT_EQ(refusal("time-budget", "0s"), "--time-budget: \"0s\" is not between 0 and 30 days");
}

}  // namespace
}  // namespace bench::cli
