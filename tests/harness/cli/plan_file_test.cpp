#include "harness/cli/plan_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/registry/registry.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::cli {
namespace {

const registry::Registration registration{[] {
  registry::WorkloadSpec spec;
  spec.name = "planned";
  spec.parameters = {
      {.name = "n", .kind = ParameterKind::integer, .default_value = "1", .minimum = 1, .has_max = true},
      {.name = "rate", .kind = ParameterKind::real, .default_value = "0.5"},
      {.name = "color", .kind = ParameterKind::choice, .choices = {"red", "green"}, .default_value = "red"}};
  spec.presets = {{"later", "what is to come", {{"n", "1"}}, "--checkpoint, which this build does not have"}};
  spec.memory = [](const Case& c, const std::string&) {
    return registry::MemoryPrediction{{{"activations", c.integer("n")}}};
  };
  return spec;
}()};

Plan planned(std::vector<std::string> words, std::int64_t room_bytes = 0) {
  words.insert(words.begin(), {"run", "planned"});
  return make_plan(std::get<RunRequest>(parse_command_line(words)), {.device = "cpu", .bytes = room_bytes});
}

std::string refusal(std::vector<std::string> words) {
  return support::error_of(ErrorKind::usage, [&] { planned(std::move(words)); });
}

struct PlanFile : testing::Test {
  std::string written(const std::string& text) const {
    std::ofstream(folder.path("plan.json")) << text;
    return folder.path("plan.json");
  }
  support::TemporaryFolder folder;
};

TEST_F(PlanFile, GivesBackThePlanThatWasWritten) {
  const Plan plan = planned({"--n", "3,max", "--rate", "0.1:0.3:+0.1", "--color", "green", "--warmup", "0,5",
                             "--steps", "auto", "--time-budget", "5s", "--seed", "7", "--repeat", "3"},
                            100);
  const Plan again = read_plan(written(to_json(plan).dump()));
  EXPECT_EQ(again.spec, plan.spec);
  EXPECT_EQ(again.repetitions, 3);
  ASSERT_EQ(again.cases.size(), plan.cases.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    EXPECT_EQ(again.cases[i].configuration, plan.cases[i].configuration);
    EXPECT_EQ(again.cases[i].policy, plan.cases[i].policy);
    EXPECT_EQ(again.cases[i].maximized, plan.cases[i].maximized);
  }
}

TEST_F(PlanFile, WhatAPersonWritesByHandIsEnough) {
  const Plan plan = read_plan(
      written(R"({"workload": "planned", "cases": [{"parameters": {"n": 7}}, {"parameters": {}}]})"));
  EXPECT_EQ(plan.cases[0].configuration.id(), "planned/n:7/rate:0.5/color:red");
  EXPECT_EQ(plan.cases[1].configuration.id(), "planned/n:1/rate:0.5/color:red");
  EXPECT_EQ(plan.cases[0].policy, Policy{});
}

TEST_F(PlanFile, MistakesNameTheFileAndTheMember) {
  const auto refusal_of = [&](const std::string& text) {
    return support::error_of(ErrorKind::usage, [&] { read_plan(written(text)); });
  };
  EXPECT_NE(refusal_of(R"({"workload": "planned", "cases": [{"parameters": {"color": "gren"}}]})")
                .find("plan.json: cases[0].parameters: --color: there is no \"gren\"; did you mean green?"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planned", "cases": [{"parameters": {"m": 1}}]})")
                .find("workload planned has no parameter \"m\""),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planned", "cases": [{"parameters": {"n": "1,2"}}]})")
                .find("what names one case has no lists or ranges"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planed", "cases": []})").find("did you mean planned?"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planned", "cases": []})").find("it names no case"),
            std::string::npos);
  EXPECT_NE(refusal_of("{").find("plan.json"), std::string::npos);
  EXPECT_NE(support::error_of(ErrorKind::usage, [] { read_plan("/no/such/file"); })
                .find("/no/such/file could not be read: No such file or directory"),
            std::string::npos);
}

TEST_F(PlanFile, CasesOfAFileAreMeasuredAsTypedAndFiltered) {
  const std::string file = written(to_json(planned({"--n", "1,2,3"})).dump());
  const Plan plan = planned({"--cases", file, "--steps", "4", "--exclude", "n:2", "--repeat", "2"});
  ASSERT_EQ(plan.cases.size(), 2u);
  EXPECT_EQ(plan.cases[1].configuration.integer("n"), 3);
  EXPECT_EQ(plan.cases[1].policy.steps, 4);
  EXPECT_EQ(plan.repetitions, 2);
  EXPECT_EQ(refusal({"--cases", file, "--n", "4"}),
            "--cases names whole cases, so --n has nothing to choose");
  EXPECT_EQ(refusal({"--cases", file, "--warmup", "0"}),
            "--cases names whole cases, so --warmup has nothing to choose");
}

TEST_F(PlanFile, APresetThatNeedsWhatIsNotBuiltIsRefusedAtOnce) {
  EXPECT_EQ(refusal({"--preset", "later"}),
            "preset later needs --checkpoint, which this build does not have");
}

TEST_F(PlanFile, MoreThanAHundredCasesOutsideAPresetWantToBeMeant) {
  EXPECT_EQ(refusal({"--n", "1:101:+1"}), "these lists make 101 cases; --max-cases 101 lets them run");
  EXPECT_EQ(planned({"--n", "1:101:+1", "--max-cases", "101"}).cases.size(), 101u);
  EXPECT_EQ(planned({"--n", "1:100:+1"}).cases.size(), 100u);
}

}  // namespace
}  // namespace bench::cli
