#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/registry.hpp"
#include "workloads/synthetic/behaviour.hpp"

namespace bench::synthetic {
namespace {

const registry::WorkloadSpec& spec() {
  return registry::require_workload("synthetic");
}

// The ids of the cases that these options make.
std::vector<std::string> ids(const registry::Options& options) {
  std::vector<std::string> result;
  for (const registry::PlannedCase& planned :
       registry::expand(spec(), {.options = options, .preset = {}, .base_policy = {}}))
    result.push_back(planned.configuration.id());
  return result;
}

TEST(SyntheticSpec, DefaultsToSleepingOneMillisecond) {
  EXPECT_EQ(ids({}), std::vector<std::string>{"synthetic/behaviour:sleep/duration:1000/noise:0/phases:1"});
}

TEST(SyntheticSpec, LeavesOutWhatTheBehaviourDoesNotUse) {
  EXPECT_EQ(ids({{"behaviour", "wrong-result"}, {"bytes", "1GiB"}, {"at", "7"}}),
            std::vector<std::string>{"synthetic/behaviour:wrong-result"});
  EXPECT_EQ(ids({{"behaviour", "crash"}, {"at", "7"}}),
            std::vector<std::string>{"synthetic/behaviour:crash/duration:1000/noise:0/phases:1/at:7"});
  EXPECT_EQ(
      ids({{"behaviour", "allocate"}, {"bytes", "2KiB"}}),
      std::vector<std::string>{"synthetic/behaviour:allocate/duration:1000/noise:0/phases:1/bytes:2048"});
}

TEST(SyntheticSpec, AnAxisThatABehaviourIgnoresDoesNotRepeatItsCase) {
  EXPECT_EQ(ids({{"behaviour", "sleep,allocate"}, {"bytes", "1KiB,2KiB"}}).size(), 3u);
}

TEST(SyntheticSpec, EveryIdNamesItsOwnCase) {
  std::string all;
  for (const BehaviourRow& row : kBehaviours) all += (all.empty() ? "" : ",") + std::string(row.name);
  const std::vector<std::string> every = ids({{"behaviour", all}, {"noise", "12.5"}});
  EXPECT_EQ(every.size(), kBehaviours.size());
  for (const std::string& id : every) EXPECT_EQ(registry::case_from_id(id, {}).configuration.id(), id);
}

TEST(SyntheticSpec, RefusesWrongAfterInTheCheckAndNamesTheOtherWay) {
  try {
    ids({{"behaviour", "wrong-after"}, {"at", "0"}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("wrong-result"), std::string::npos) << error.what();
  }
}

TEST(SyntheticSpec, OnlyUnsupportedIsSkipped) {
  for (const BehaviourRow& row : kBehaviours) {
    const Case configuration{.workload = "synthetic", .values = {{"behaviour", std::string(row.name)}}};
    const registry::Support support = spec().supports(configuration, "cpu", {});
    EXPECT_EQ(support.yes, row.name != "unsupported") << row.name;
    EXPECT_EQ(support.reason.empty(), support.yes);
  }
}

TEST(SyntheticSpec, StatesExactWork) {
  const Work work = spec().work({});
  EXPECT_EQ(work.amounts, (std::vector{amounts::tokens(1000), amounts::model_flop(1e6)}));
  EXPECT_EQ(work.formula, "1000 flop a token, made up");
}

TEST(SyntheticSpec, HelpSaysHowEachBehaviourEnds) {
  const std::string& help = spec().parameters[0].help;
  EXPECT_NE(help.find("ok (sleep spin drift allocate leak), skipped (unsupported)"), std::string::npos)
      << help;
  EXPECT_NE(help.find("incorrect (wrong-result wrong-after)"), std::string::npos) << help;
}

TEST(SyntheticSpec, PresetsExpandAndTheDemoStrikesInEveryWay) {
  const std::set<std::string> common{"warmup", "steps", "timeout"};
  for (const registry::Preset& preset : spec().presets) {
    registry::Options axes;
    for (const auto& option : preset.options)
      if (!common.contains(option.first)) axes.push_back(option);
    EXPECT_GT(ids(axes).size(), 3u) << preset.name;
  }
  const registry::Preset& demo = registry::require_preset(spec(), "demo");
  EXPECT_EQ(demo.options[0].first, "behaviour");
  for (const char* name : {"sleep", "unsupported", "wrong-result", "allocate", "fail", "hang", "crash"})
    EXPECT_NE(demo.options[0].second.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace bench::synthetic
