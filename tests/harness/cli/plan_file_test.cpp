#include "harness/cli/plan_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/registry/maximum.hpp"
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
  Plan again = read_plan(written(to_json(plan).dump()));
  EXPECT_EQ(again.spec, plan.spec);
  EXPECT_EQ(again.repetitions, 3);
  ASSERT_EQ(again.cases.size(), plan.cases.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (again.cases[i].maximum)
      registry::set_largest(*plan.spec, again.cases[i], {.device = "cpu", .bytes = 100});
    EXPECT_EQ(again.cases[i].configuration, plan.cases[i].configuration);
    EXPECT_EQ(again.cases[i].policy, plan.cases[i].policy);
    EXPECT_EQ(again.cases[i].maximum.has_value(), plan.cases[i].maximum.has_value());
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
                .find("a single case takes one value of each parameter, no list and no range"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planed", "cases": []})").find("did you mean planned?"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"workload": "planned", "cases": []})").find("it names no case"),
            std::string::npos);
  EXPECT_NE(refusal_of("{").find("plan.json"), std::string::npos);
  EXPECT_NE(support::error_of(ErrorKind::usage, [] { read_plan("/no/such/file"); })
                .find("/no/such/file could not be read: there is no such file"),
            std::string::npos);
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { read_plan(folder.path()); }),
            folder.path() + " is a folder, not a file");
  EXPECT_TRUE(refusal_of("").ends_with("plan.json is empty; `--dry-run --json` makes such a file"));
}

TEST_F(PlanFile, WhatNoOptionWouldAllowNoFileDoes) {
  const auto refusal_of = [&](const std::string& members,
                              const std::string& cases = R"({"parameters": {}})") {
    const std::string error = support::error_of(ErrorKind::usage, [&] {
      read_plan(written(R"({"workload": "planned", )" + members + R"("cases": [)" + cases + "]}"));
    });
    return error.substr(error.find("plan.json: ") + 11);
  };
  const auto policy = [&](const std::string& steps, const std::string& budget, const std::string& timeout,
                          const std::string& seed) {
    return refusal_of(R"("policy": {"steps": )" + steps + R"(, "time_budget_s": )" + budget +
                      R"(, "timeout_s": )" + timeout + R"(, "seed": )" + seed + "}, ");
  };
  EXPECT_EQ(policy("0", "60", "600", "0"), "policy.steps: 0 is below 1");
  EXPECT_EQ(policy("1000001", "60", "600", "0"), "policy.steps: 1000001 is above 1000000");
  EXPECT_EQ(policy("10", "-1", "600", "0"), "policy.time_budget_s: -1 is not between 0 and 30 days");
  EXPECT_EQ(policy("10", "60", "0", "0"), "policy.timeout_s: 0 is not between 0 and 30 days");
  EXPECT_EQ(policy("10", "60", "1e30", "0"), "policy.timeout_s: 1e+30 is not between 0 and 30 days");
  EXPECT_EQ(policy("10", "60", "600", "9007199254740993"),
            "policy.seed: 9007199254740993 is above 9007199254740992");
  EXPECT_EQ(refusal_of(R"("repetitions": 2000000000, )"), "repetitions: 2000000000 is above 1000");

  EXPECT_NE(refusal_of("", R"({"parameters": {"rate": "max"}})").find("cases[0].parameters: --rate: "),
            std::string::npos);
  EXPECT_EQ(refusal_of("", R"({"parameters": {"n": 1}, "maximized": "n"})"),
            "cases[0].maximized: this build reads \"max\" as the parameter's value; plan it anew");
  EXPECT_EQ(
      refusal_of("", R"({"parameters": {"n": 1}}, {"parameters": {"n": 2}}, {"parameters": {}})"),
      "cases[2].parameters: planned/n:1/rate:0.5/color:red is cases[0] already; --repeat measures each case "
      "several times");
}

TEST_F(PlanFile, CasesOfAFileAreMeasuredAsTypedAndFiltered) {
  const std::string file = written(to_json(planned({"--n", "1,2,3"})).dump());
  const Plan plan = planned({"--cases", file, "--steps", "4", "--exclude", "n:2", "--repeat", "2"});
  ASSERT_EQ(plan.cases.size(), 2u);
  EXPECT_EQ(plan.cases[1].configuration.integer("n"), 3);
  EXPECT_EQ(plan.cases[1].policy.steps, 4);
  EXPECT_EQ(plan.repetitions, 2);
  EXPECT_EQ(refusal({"--cases", file, "--max-cases", "2"}),
            "--cases " + file + " names 3 cases; --max-cases 3 lets them run");
  EXPECT_EQ(planned({"--cases", file, "--max-cases", "2", "--filter", "n:[12]/"}).cases.size(), 2u);
  EXPECT_EQ(refusal({"--cases", file, "--n", "4"}),
            "the cases of --cases are complete, so --n cannot change them");
  EXPECT_EQ(refusal({"--cases", file, "--warmup", "0"}),
            "the cases of --cases are complete, so --warmup cannot change them");
}

TEST_F(PlanFile, MaxOfAFileIsTheLargestHereAndTheLastRow) {
  const std::string file = written(to_json(planned({"--n", "max"}, 1000)).dump());
  const auto largest_in = [&](std::int64_t room_bytes) {
    return planned({"--cases", file}, room_bytes).cases.front().configuration.integer("n");
  };
  EXPECT_EQ(largest_in(1000), 1024);
  EXPECT_EQ(largest_in(100), 64);
  const std::string both = written(
      R"({"workload": "planned", "cases": [{"parameters": {"n": "max"}}, {"parameters": {"n": 64}}]})");
  EXPECT_EQ(planned({"--cases", both}, 1000).cases.size(), 2u);
  const Plan one = planned({"--cases", both}, 100);
  ASSERT_EQ(one.cases.size(), 2u);
  EXPECT_FALSE(one.cases[0].maximum);
  EXPECT_TRUE(one.cases[1].maximum) << "it goes on below 64 where that runs out of memory";
  EXPECT_EQ(one.cases[1].configuration, one.cases[0].configuration);
  EXPECT_EQ(
      refusal({"--cases", both}),
      "--cases " + both + ": --n: max: bench cannot tell how much memory is here; --memory-limit states it");
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
