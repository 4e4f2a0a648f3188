#include "harness/registry/expand.hpp"

#include <gtest/gtest.h>

#include "harness/registry/registry.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::registry {
namespace {

WorkloadSpec make_spec() {
  WorkloadSpec spec;
  spec.name = "made-up";
  spec.parameters = {
      {.name = "color",
       .kind = ParameterKind::choice,
       .choices = {"red", "green", "blue"},
       .default_value = "red"},
      {.name = "n", .kind = ParameterKind::integer, .default_value = "4", .minimum = 1, .maximum = 1000},
      {.name = "rate", .kind = ParameterKind::real, .default_value = "0.5", .minimum = 0},
      {.name = "size", .kind = ParameterKind::bytes, .default_value = "1MiB"},
      {.name = "extra", .kind = ParameterKind::integer},
  };
  spec.presets = {{"some", "two", {{"n", "1,2"}, {"warmup", "10"}}}};
  // Blue has no n: two blue cases that differ only there are one.
  spec.canonicalize = [](Case& c, const std::set<std::string>&) {
    if (c.text("color") == "blue") c.erase("n");
  };
  spec.validate = [](const Case& c) -> std::vector<UsageError> {
    if (c.has("n") && c.integer("n") == 13) return {{"n", "13 cannot work; 12 and 14 can"}};
    return {};
  };
  return spec;
}
const Registration registration{make_spec()};

std::vector<std::string> ids(const Options& options, const Options& preset = {}) {
  std::vector<std::string> all;
  for (const PlannedCase& planned :
       expand(require_workload("made-up"), {.options = options, .preset = preset}))
    all.push_back(planned.configuration.id());
  return all;
}

std::string refusal(const Options& options, std::int64_t max_cases = 0) {
  return support::error_of(ErrorKind::usage, [&] {
    expand(require_workload("made-up"), {.options = options, .preset = {}, .max_cases = max_cases});
  });
}

TEST(Expand, DefaultsMakeOneCaseInDeclaredOrder) {
  EXPECT_EQ(ids({}), (std::vector<std::string>{"made-up/color:red/n:4/rate:0.5/size:1048576"}));
}

TEST(Expand, ListsMakeTheirProductWithTheLastParameterFastest) {
  EXPECT_EQ(
      ids({{"n", "1,2"}, {"color", "red, green"}}),
      (std::vector<std::string>{
          "made-up/color:red/n:1/rate:0.5/size:1048576", "made-up/color:red/n:2/rate:0.5/size:1048576",
          "made-up/color:green/n:1/rate:0.5/size:1048576", "made-up/color:green/n:2/rate:0.5/size:1048576"}));
}

TEST(Expand, CasesThatAreTheSameAfterCanonicalizingRunOnce) {
  EXPECT_EQ(ids({{"color", "blue"}, {"n", "1,2,3"}}).size(), 1u);
  EXPECT_EQ(ids({{"n", "2,2"}}).size(), 1u);
}

TEST(Expand, OptionsOverrideThePreset) {
  const Options& preset = require_preset(require_workload("made-up"), "some").options;
  EXPECT_EQ(ids({}, preset).size(), 2u);
  EXPECT_EQ(ids({{"n", "7"}}, preset).size(), 1u);
  EXPECT_NE(ids({}, preset)[0].find("/warmup:10"), std::string::npos);
}

TEST(Expand, TheLastOfTwoOptionsCounts) {
  EXPECT_NE(ids({{"n", "1"}, {"n", "2"}})[0].find("/n:2/"), std::string::npos);
}

TEST(Expand, MeasurementAxesEnterThePolicyAndTheCaseOnlyWhereTheyAreNoDefault) {
  const auto planned =
      expand(require_workload("made-up"), {.options = {{"warmup", "0,5"}, {"timing", "back-to-back"}}});
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[0].policy.warmup_steps, 0);
  EXPECT_EQ(planned[0].policy.timing, Timing::back_to_back);
  EXPECT_TRUE(planned[0].configuration.id().ends_with("/warmup:0/timing:back-to-back"));
  EXPECT_TRUE(planned[1].configuration.id().ends_with("1048576/timing:back-to-back"));
}

TEST(Expand, WrongValuesNameTheNearestOrTheBound) {
  EXPECT_EQ(refusal({{"color", "gren"}}), "--color: there is no \"gren\"; did you mean green?");
  EXPECT_EQ(refusal({{"color", "xxxxxxx"}}), "--color: there is no \"xxxxxxx\"; valid: red, green, blue");
  EXPECT_EQ(refusal({{"n", "0"}}), "--n: 0 is below 1, the least that makes sense");
  EXPECT_EQ(refusal({{"n", "-7"}}), "--n: -7 is below 1, the least that makes sense");
  EXPECT_EQ(refusal({{"n", "5000"}}), "--n: 5000 is above 1,000, the most that makes sense");
  EXPECT_EQ(refusal({{"n", "99999999999999999999"}}),
            "--n: \"99999999999999999999\" is not a whole number of at most 18 digits");
  EXPECT_EQ(refusal({{"n", "1.5"}}), "--n: \"1.5\" is not a whole number");
  EXPECT_EQ(refusal({{"n", "1,,2"}}), "--n: \"1,,2\" has an empty value");
  EXPECT_EQ(refusal({{"n", ""}}), "--n: \"\" has an empty value");
  EXPECT_EQ(refusal({{"rate", "nan"}}), "--rate: \"nan\" is not a number");
  EXPECT_EQ(refusal({{"rate", "-0.1"}}), "--rate: -0.1 is below 0, the least that makes sense");
  EXPECT_NE(refusal({{"size", "1M"}}).find("--size: "), std::string::npos);
  EXPECT_EQ(refusal({{"n", "13"}}), "--n: 13 cannot work; 12 and 14 can");
}

TEST(Expand, AHugeProductIsRefusedBeforeItIsMade) {
  std::string many = "1";
  for (int i = 2; i <= 1000; ++i) many += "," + std::to_string(i);
  std::string rates = "0";
  for (int i = 1; i < 100000; ++i) rates += ",1";
  EXPECT_EQ(refusal({{"n", many}, {"rate", rates}}, 100),
            "these lists make 1e+08 cases, and a sweep has at most 1,000,000: --zip goes through lists in "
            "lockstep");
}

TEST(Expand, MoreCasesThanAllowedAreCountedAfterDuplicatesAndFilters) {
  const Options options{{"color", "red,blue"}, {"n", "14:113:+1"}};  // blue has no n: 101 cases
  EXPECT_EQ(refusal(options, 100), "these lists make 101 cases; --max-cases 101 lets them run");
  EXPECT_EQ(ids(options).size(), 101u);
  const ExpandRequest filtered{.options = options, .preset = {}, .exclude = "blue", .max_cases = 100};
  EXPECT_EQ(expand(require_workload("made-up"), filtered).size(), 100u);
}

TEST(Expand, ZippedAxesGoInLockstepAndTheOthersMakeAProduct) {
  std::vector<std::string> all;
  for (const PlannedCase& planned : expand(
           require_workload("made-up"), {.options = {{"color", "red,green"}, {"n", "1,2"}, {"rate", "0,1"}},
                                        .preset = {},
                                        .zips = {{"color", "rate"}}}))
    all.push_back(planned.configuration.id());
  EXPECT_EQ(all, (std::vector<std::string>{"made-up/color:red/n:1/rate:0/size:1048576",
                                           "made-up/color:red/n:2/rate:0/size:1048576",
                                           "made-up/color:green/n:1/rate:1/size:1048576",
                                           "made-up/color:green/n:2/rate:1/size:1048576"}));
}

std::string zip_refusal(const Options& options, std::vector<std::vector<std::string>> zips) {
  return support::error_of(ErrorKind::usage, [&] {
    expand(require_workload("made-up"), {.options = options, .preset = {}, .zips = zips});
  });
}

TEST(Expand, AZipThatCannotBeSaysWhy) {
  EXPECT_EQ(zip_refusal({{"n", "1,2"}, {"rate", "0,1,2"}}, {{"n", "rate"}}),
            "--zip: zipped lists need equally many values, but n has 2 and rate has 3");
  EXPECT_EQ(zip_refusal({}, {{"n", "rat"}}), "--zip: there is no parameter \"rat\"; did you mean rate?");
  EXPECT_EQ(zip_refusal({}, {{"n"}}), "--zip: it takes two or more parameters: --zip size,batch");
  EXPECT_EQ(zip_refusal({}, {{"n", "rate"}, {"rate", "color"}}), "--zip: rate is named twice");
}

std::vector<std::string> chosen(const std::string& filter, const std::string& exclude) {
  std::vector<std::string> all;
  for (const PlannedCase& planned :
       expand(require_workload("made-up"),
              {.options = {{"n", "1:4:+1"}}, .preset = {}, .filter = filter, .exclude = exclude}))
    all.push_back(to_text(*planned.configuration.find("n")));
  return all;
}

TEST(Expand, FiltersActOnCaseIds) {
  EXPECT_EQ(chosen("/n:[23]/", ""), (std::vector<std::string>{"2", "3"}));
  EXPECT_EQ(chosen("", "/n:[23]/"), (std::vector<std::string>{"1", "4"}));
  EXPECT_EQ(chosen("n:[123]", "n:3"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(
      support::error_of(ErrorKind::usage, [] { chosen("N:1", ""); }),
      "--filter and --exclude leave no case; an id looks like made-up/color:red/n:4/rate:0.5/size:1048576");
  EXPECT_NE(
      support::error_of(ErrorKind::usage, [] { chosen("(", ""); }).find("\"(\" is not a regular expression"),
      std::string::npos);
}

TEST(CaseFromId, GivesBackTheCaseOfTheId) {
  const auto planned =
      expand(require_workload("made-up"), {.options = {{"color", "blue"}, {"warmup", "2"}, {"extra", "9"}}});
  const PlannedCase again = case_from_id(planned[0].configuration.id(), {});
  EXPECT_EQ(again.configuration, planned[0].configuration);
  EXPECT_EQ(again.policy, planned[0].policy);
}

TEST(CaseFromId, WhatIsLeftOutHasItsDefault) {
  EXPECT_EQ(case_from_id("made-up/n:9", {}).configuration.id(),
            "made-up/color:red/n:9/rate:0.5/size:1048576");
  EXPECT_EQ(case_from_id("made-up", {}).configuration.id(), "made-up/color:red/n:4/rate:0.5/size:1048576");
}

TEST(CaseFromId, NonsenseIsAUsageError) {
  for (const char* const id : {"", "maid-up", "made-up/n", "made-up/m:1", "made-up/n:1,2", "made-up/n:1,1",
                               "made-up/n:1:4:x2", "made-up//", "made-up/n:x"})
    support::error_of(ErrorKind::usage, [&] { case_from_id(id, {}); });
}

TEST(Registry, UnknownNamesGetTheNearest) {
  EXPECT_EQ(support::error_of(ErrorKind::usage, [] { require_workload("made-upp"); }),
            "there is no workload \"made-upp\"; did you mean made-up?");
  EXPECT_EQ(support::error_of(ErrorKind::usage, [] { require_preset(require_workload("made-up"), "sone"); }),
            "workload made-up has no preset \"sone\"; did you mean some?");
}

}  // namespace
}  // namespace bench::registry
