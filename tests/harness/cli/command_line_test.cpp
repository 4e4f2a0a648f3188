#include "harness/cli/command_line.hpp"

#include <gtest/gtest.h>

#include "harness/registry/registry.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::cli {
namespace {

const registry::Registration registration{[] {
  registry::WorkloadSpec spec;
  spec.name = "made-up";
  spec.summary = "nothing real";
  spec.parameters = {{.name = "context",
                      .help = "length",
                      .unit = "tokens",
                      .kind = ParameterKind::integer,
                      .default_value = "256"}};
  spec.presets = {{"seed", "the seed table", {{"context", "1,2"}, {"steps", "7"}}}};
  return spec;
}()};

std::string refusal(const std::vector<std::string>& words) {
  return support::error_of(ErrorKind::usage, [&] { parse_command_line(words); });
}

TEST(CommandLine, RunKeepsEveryOptionAsItWasTyped) {
  const auto request =
      std::get<RunRequest>(parse_command_line({"run", "made-up", "--context", "256,512", "--steps=auto",
                                               "--json", "--label", "a b", "--warmup", "-1"}));
  EXPECT_EQ(request.workload, "made-up");
  EXPECT_EQ(request.options,
            (registry::Options{{"context", "256,512"}, {"warmup", "-1"}, {"steps", "auto"}}));
  EXPECT_TRUE(request.json);
  EXPECT_EQ(request.label, "a b");
  EXPECT_EQ(request.device, "auto");
}

TEST(CommandLine, TypedSettingsComeBeforeThePresets) {
  RunRequest request;
  const registry::Options preset{{"steps", "7"}, {"timeout", "5s"}};
  request.options = {{"steps", "3"}};
  EXPECT_EQ(setting(request, preset, "steps"), "3");
  EXPECT_EQ(setting(request, preset, "timeout"), "5s");
  EXPECT_EQ(setting(request, preset, "seed"), std::nullopt);
}

TEST(CommandLine, MistakesNameTheNearest) {
  EXPECT_EQ(refusal({"rnu"}), "there is no command \"rnu\"; did you mean run?");
  EXPECT_EQ(refusal({"run", "made-pu"}), "there is no workload \"made-pu\"; did you mean made-up?");
  EXPECT_EQ(refusal({"run", "made-up", "--contxt", "5"}),
            "made-up has no option --contxt; did you mean --context?");
  EXPECT_EQ(refusal({"run", "made-up", "--qqqqqqqq"}), "made-up has no option --qqqqqqqq; --help lists them");
  EXPECT_TRUE(refusal({"run"}).starts_with("bench run needs a workload first: made-up"));
  EXPECT_EQ(refusal({"run", "made-up", "stray"}), "\"stray\" is one argument too many for `bench made-up`");
  EXPECT_FALSE(refusal({"run", "made-up", "--context"}).empty());
  EXPECT_FALSE(refusal({"list", "--jsno"}).empty());
}

TEST(CommandLine, HelpListsDefaultsUnitsAndPresets) {
  const std::string help = std::get<Printed>(parse_command_line({"run", "made-up", "--help"})).text;
  for (const char* const part : {"--context", "tokens", "[256]", "seed", "the seed table", "--time-budget"})
    EXPECT_NE(help.find(part), std::string::npos) << part << " is not in:\n" << help;
  EXPECT_NE(std::get<Printed>(parse_command_line({})).text.find("run"), std::string::npos);
}

TEST(CommandLine, ResumeNeedsNoWorkload) {
  const auto request = std::get<RunRequest>(parse_command_line({"run", "--resume", "DIR", "--force"}));
  EXPECT_EQ(request.workload, "");
  EXPECT_EQ(request.resume, "DIR");
  EXPECT_TRUE(request.force);
  EXPECT_EQ(std::get<RunRequest>(parse_command_line({"run", "made-up", "--resume", "DIR"})).workload,
            "made-up");
  EXPECT_EQ(refusal({"run", "--resume", "DIR", "--context", "5"}),
            "run has no option --context; --help lists them");
}

TEST(CommandLine, ZipMayBeGivenSeveralTimes) {
  const auto request = std::get<RunRequest>(
      parse_command_line({"run", "made-up", "--zip", "a,b", "--zip", "c,d", "--filter", "x", "--dry-run"}));
  EXPECT_EQ(request.zips, (std::vector<std::string>{"a,b", "c,d"}));
  EXPECT_EQ(request.filter, "x");
  EXPECT_TRUE(request.dry_run);
}

TEST(CommandLine, OtherCommands) {
  EXPECT_EQ(std::get<ReportRequest>(parse_command_line({"report", "DIR", "--format", "csv"})).runs,
            std::vector<std::string>{"DIR"});
  EXPECT_EQ(std::get<ListRequest>(parse_command_line({"list", "made.*"})).pattern, "made.*");
  EXPECT_TRUE(std::get<EnvRequest>(parse_command_line({"env", "--check"})).check);
}

}  // namespace
}  // namespace bench::cli
