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

TEST(CommandLine, MistakesNameTheNearest) {
  EXPECT_EQ(refusal({"rnu"}), "there is no command \"rnu\"; did you mean run?");
  EXPECT_EQ(refusal({"run", "made-pu"}), "there is no workload \"made-pu\"; did you mean made-up?");
  EXPECT_EQ(refusal({"run", "made-up", "--contxt", "5"}),
            "made-up has no option --contxt; did you mean --context?");
  EXPECT_EQ(refusal({"run", "made-up", "--qqqqqqqq"}), "made-up has no option --qqqqqqqq; --help lists them");
  EXPECT_TRUE(refusal({"run"}).starts_with("bench run needs a workload first: made-up"));
  EXPECT_EQ(refusal({"run", "made-up", "stray"}),
            "\"stray\" is one argument too many for `bench run made-up`");
  EXPECT_EQ(refusal({"list", "--jsno"}), "list has no option --jsno; did you mean --json?");
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
  EXPECT_EQ(refusal({"run", "--resume", "DIR", "--context=5"}),
            "--context is an option of a workload, so its name comes first: `bench run WORKLOAD --resume DIR "
            "--context ...`");
  EXPECT_EQ(refusal({"run", "--resume", "DIR", "--froce"}),
            "run has no option --froce; did you mean --force?");
}

TEST(CommandLine, ADryRunIsOfARunThatBegins) {
  const std::string sentence =
      "--dry-run is for a run that begins; `bench report DIR` shows what DIR has done already";
  EXPECT_EQ(refusal({"run", "--resume", "DIR", "--dry-run"}), sentence);
  EXPECT_EQ(refusal({"run", "made-up", "--resume", "DIR", "--dry-run"}), sentence);
}

TEST(CommandLine, WhatIsTypedBeforeTheWorkloadOrTheCommandIsNeverDropped) {
  const std::string workload = "the workload's name comes directly after `bench run`; ";
  EXPECT_EQ(refusal({"run", "--dry-run", "made-up"}), workload + "--dry-run is before it");
  EXPECT_EQ(refusal({"run", "--preset", "seed", "made-up"}), workload + "--preset is before it");
  EXPECT_EQ(refusal({"run", "--context", "5", "--bogus", "made-up"}), workload + "--context is before it");
  EXPECT_EQ(refusal({"run", "made-pu", "made-up"}),
            "there is no workload \"made-pu\"; did you mean made-up?");
  EXPECT_TRUE(refusal({"run", "--preset", "seed"}).starts_with("bench run needs a workload first: made-up"));
  const std::string command = "the command's name comes directly after `bench`; ";
  EXPECT_EQ(refusal({"--dry-run", "run", "made-up"}), command + "--dry-run is before it");
  EXPECT_EQ(refusal({"junk", "run", "made-up"}), command + "junk is before it");
  EXPECT_EQ(refusal({"--bogus", "run", "--resume", "DIR"}), command + "--bogus is before it");
  EXPECT_EQ(refusal({"--json", "list"}), command + "--json is before it");
  // These the command itself knows too.
  EXPECT_TRUE(std::get<RunRequest>(parse_command_line({"run", "--quiet", "made-up"})).quiet);
}

TEST(CommandLine, ARunHasOneWorkloadAndALineOneCommand) {
  EXPECT_EQ(refusal({"run", "made-up", "--context", "5", "made-up"}),
            "\"made-up\" is one argument too many for `bench run made-up`");
  EXPECT_EQ(refusal({"run", "made-up", "list"}), "\"list\" is one argument too many for `bench run made-up`");
  EXPECT_EQ(refusal({"env", "run", "made-up"}), "\"run\" is one argument too many for `bench env`");
  EXPECT_EQ(std::get<ReportRequest>(parse_command_line({"report", "run", "list"})).runs,
            (std::vector<std::string>{"run", "list"}))
      << "folders may be called so";
}

TEST(CommandLine, AnOptionOfOneValueThatIsGivenTwiceIsRefused) {
  for (const char* const option : {"--filter", "--exclude", "--preset", "--label", "--out"})
    EXPECT_EQ(refusal({"run", "made-up", option, "a", option, "b"}),
              std::string(option) + " is given more than once, and takes one value");
  EXPECT_EQ(refusal({"report", "--format", "csv", "--format", "html"}),
            "--format is given more than once, and takes one value");
  EXPECT_EQ(refusal({"run", "--resume", "a", "made-up", "--resume", "b"}),
            "--resume is given more than once, and takes one value");
}

TEST(CommandLine, AnOptionThatLacksItsValueSaysWhichOneItTakes) {
  EXPECT_EQ(refusal({"run", "made-up", "--context"}),
            "--context needs a value (tokens): length [256]; for example --context 256");
  for (const char* const next : {"--steps", "--steps=3"})
    EXPECT_EQ(refusal({"run", "made-up", "--context", next, "3"}),
              "--context needs a value (tokens; " + std::string(next) +
                  " is an option): length [256]; for example --context 256");
  EXPECT_TRUE(refusal({"report", "--format"}).ends_with("svg [markdown]; for example --format markdown"));
  EXPECT_EQ(refusal({"run", "--resume"}),
            "--resume needs a value (DIR): continue the run in this directory; for example --resume "
            "bench-runs/first");
  EXPECT_TRUE(refusal({"run", "made-up", "--zip", "a,b", "--zip"}).ends_with("; for example --zip context"));
  EXPECT_EQ(std::get<RunRequest>(parse_command_line({"run", "made-up", "--label=--json"})).label, "--json");
  EXPECT_EQ(std::get<RunRequest>(parse_command_line({"run", "made-up", "--label", "-x"})).label, "-x");
}

TEST(CommandLine, AFlagTakesNoValue) {
  EXPECT_EQ(refusal({"list", "--json=5"}), "--json takes no value: write --json alone");
  EXPECT_EQ(refusal({"run", "made-up", "--quiet=maybe"}), "--quiet takes no value: write --quiet alone");
  EXPECT_EQ(refusal({"run", "made-up", "--help=x"}), "--help takes no value: write --help alone");
}

TEST(CommandLine, ADoubleDashEndsTheOptions) {
  const auto request = std::get<ReportRequest>(parse_command_line({"report", "--format", "csv", "--", "-a"}));
  EXPECT_EQ(request.runs, std::vector<std::string>{"-a"});
  EXPECT_EQ(refusal({"list", "--", "a", "b"}), "\"b\" is one argument too many for `bench list`");
  EXPECT_EQ(refusal({"run", "made-up", "--", "--label", "x"}),
            "`--` ends the options of `bench run made-up`, so --label is none; leave `--` out");
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
