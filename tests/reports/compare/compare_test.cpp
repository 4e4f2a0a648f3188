#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "reports/compare/comparison.hpp"
#include "reports/compare/comparison_notes.hpp"
#include "reports/compare/comparison_table.hpp"
#include "reports/compare/values.hpp"
#include "tests/reports/compare/made_up_runs.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::reports {
namespace {

using statistics::Verdict;
using support::around;
using support::error_of;
using support::made_up_case;
using support::made_up_run;

Comparison compared(const Document& base, const Document& other, CompareOptions options = {}) {
  return compare({"old", &base}, {{"new", &other}}, options);
}

Change change(const Comparison& comparison, std::size_t row = 0) {
  return comparison.cases.at(row).sides.at(0).change.value();
}

TEST(Compare, SingleProcessesAreUndecidedUnlessTheyDifferByMoreThanTheAssumedNoise) {
  const Document base = made_up_run({made_up_case("small", around(10'000))});
  for (const auto& [us, verdict] : std::vector<std::pair<std::int64_t, Verdict>>{{10'000, Verdict::undecided},
                                                                                 {12'000, Verdict::undecided},
                                                                                 {13'000, Verdict::slower},
                                                                                 {8'200, Verdict::undecided},
                                                                                 {7'500, Verdict::faster}}) {
    const Comparison comparison = compared(base, made_up_run({made_up_case("small", around(us))}));
    EXPECT_EQ(change(comparison).verdict, verdict) << us;
    EXPECT_NEAR(change(comparison).ratio, static_cast<double>(us) / 10'000, 0.002);
    EXPECT_TRUE(comparison.summaries[0].noise_assumed);
    EXPECT_NEAR(comparison.summaries[0].noise, 0.25, 1e-12);
  }
}

TEST(Compare, OnAGpuTheAssumedNoiseIsFivePercent) {
  const Document base = made_up_run({made_up_case("small", around(10'000))}, "cuda:0");
  const Comparison comparison =
      compared(base, made_up_run({made_up_case("small", around(10'700))}, "cuda:0"));
  EXPECT_EQ(change(comparison).verdict, Verdict::slower);
  EXPECT_NEAR(comparison.summaries[0].noise, 0.05, 1e-12);
}

Document repeated(std::vector<std::int64_t> medians_us) {
  std::vector<CaseResult> cases;
  for (std::size_t i = 0; i < medians_us.size(); ++i)
    cases.push_back(made_up_case("small", around(medians_us[i]), 1e6, static_cast<int>(i)));
  return made_up_run(std::move(cases));
}

TEST(Compare, FiveProcessesASideAreComparedByTheirMedians) {
  // Whole ranges of medians apart, though only by 4%: 5 against 5 leave the third smallest difference.
  const Comparison slower = compared(repeated({10'000, 10'010, 10'020, 10'030, 10'040}),
                                     repeated({10'400, 10'410, 10'420, 10'430, 10'440}));
  ASSERT_EQ(slower.cases.size(), 1U);
  EXPECT_EQ(slower.cases[0].base.processes, 5);
  EXPECT_EQ(slower.cases[0].base.samples, 50);
  EXPECT_EQ(change(slower).verdict, Verdict::slower);
  EXPECT_FALSE(slower.summaries[0].noise_assumed);
  // The noise within old and new decides against a difference that one process would have shown.
  const Comparison undecided = compared(repeated({10'000, 10'400, 10'900, 11'400, 11'900}),
                                        repeated({10'600, 11'000, 11'500, 12'000, 12'500}));
  EXPECT_EQ(change(undecided).verdict, Verdict::undecided);
  const Comparison same = compared(repeated({10'000, 10'010, 10'020, 10'030, 10'040}),
                                   repeated({10'001, 10'011, 10'021, 10'031, 10'041}));
  EXPECT_EQ(change(same).verdict, Verdict::same);
}

TEST(Compare, NoiseOfOneSideServesBoth) {
  const Comparison comparison = compared(repeated({10'000, 10'020, 10'040, 10'010, 10'030}),
                                         made_up_run({made_up_case("small", around(10'400))}));
  EXPECT_FALSE(comparison.summaries[0].noise_assumed);
  EXPECT_LT(comparison.summaries[0].noise, 0.01);
  EXPECT_EQ(change(comparison).verdict, Verdict::slower);
}

TEST(Compare, ThresholdIsWhatADifferenceMustExceed) {
  const Document base = made_up_run({made_up_case("small", around(10'000))}, "cuda:0");
  const Document other = made_up_run({made_up_case("small", around(10'700))}, "cuda:0");
  EXPECT_EQ(change(compared(base, other, {.threshold = 0.05})).verdict, Verdict::undecided);
}

TEST(Compare, CasesJoinOnTheirParametersWhateverTheOrder) {
  CaseResult one = made_up_case("small", around(10'000));
  one.configuration.set("context", std::int64_t{256});
  CaseResult two = one;
  std::swap(two.configuration.values[0], two.configuration.values[1]);
  EXPECT_EQ(compared(made_up_run({one}), made_up_run({two})).cases.size(), 1U);
}

TEST(Compare, WhatAnOlderDocumentLacksIsFilledIn) {
  CaseResult newer = made_up_case("small", around(10'000));
  newer.configuration.set("loss", std::string("naive"));
  const Document base = made_up_run({made_up_case("small", around(10'000))}), other = made_up_run({newer});
  CompareOptions options;
  options.absent_means = [](const std::string& workload) {
    EXPECT_EQ(workload, "model");
    return std::map<std::string, std::string>{{"loss", "naive"}};
  };
  EXPECT_EQ(compared(base, other, options).cases.size(), 1U);
  EXPECT_EQ(
      error_of(ErrorKind::usage, [&] { compared(base, other); }),
      "old and new have no case in common: old has model/size:small, new has model/size:small/loss:naive");
}

TEST(Compare, CasesWithoutAPartnerAreListed) {
  const Document base = made_up_run({made_up_case("small", around(10)), made_up_case("medium", around(10))});
  const Document other = made_up_run({made_up_case("large", around(10)), made_up_case("small", around(10))});
  const Comparison comparison = compared(base, other);
  EXPECT_EQ(comparison.summaries[0].only_base, std::vector<std::string>{"model/size:medium"});
  EXPECT_EQ(comparison.summaries[0].only_here, std::vector<std::string>{"model/size:large"});
  EXPECT_EQ(unmatched_notes(comparison),
            (std::vector<std::string>{"only in old: model/size:medium (1 case)",
                                      "only in new: model/size:large (1 case)"}));
}

TEST(Compare, ACaseThatIsTwiceInADocumentIsRefused) {
  const CaseResult one = made_up_case("small", around(10));
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [&] {
                       compared(made_up_run({one}), made_up_run({one, one}));
                     }),
            "new: the case model/size:small is in it twice");
}

TEST(Compare, UnequalConditionsAreRefusedUnlessToldOtherwise) {
  const Document base = made_up_run({made_up_case("small", around(10))});
  const auto refusal = [&](auto&& alter) {
    Document other = base;
    alter(other);
    const std::string sentence = error_of(ErrorKind::usage, [&] { compared(base, other); });
    const Comparison forced = compared(base, other, {.despite_differences = true});
    EXPECT_EQ(forced.cases.size(), 1U);
    EXPECT_FALSE(forced.summaries[0].differences.empty());
    return sentence.substr(0, sentence.find(';'));
  };
  EXPECT_EQ(refusal([](Document& d) { d.method_version = 2; }),
            "old and new do not compare: the method version is 1 in old and 2 in new");
  EXPECT_EQ(refusal([](Document& d) { d.run.device = "cuda:0"; }),
            "old and new do not compare: the device is cpu in old and cuda in new");
  EXPECT_EQ(refusal([](Document& d) { d.environment.cpu_model = "Other"; }),
            "old and new do not compare: the processor is Example(R) CPU in old and Other in new");
  EXPECT_EQ(refusal([](Document& d) {
              d.conditions["OMP_NUM_THREADS"] = "4";
              d.conditions["MALLOC_MMAP_MAX_"] = "0";
            }),
            "old and new do not compare: OMP_NUM_THREADS is 2 in old and 4 in new (and 1 more)");
  EXPECT_EQ(refusal([](Document& d) { d.environment.variables["MKL_CBWR"] = "COMPATIBLE"; }),
            "old and new do not compare: MKL_CBWR is not set in old and COMPATIBLE in new");
  EXPECT_EQ(refusal([](Document& d) { d.cases[0].policy.timing = Timing::back_to_back; }).substr(0, 60),
            "new: model/size:small was measured with timing back-to-back,");
}

TEST(Compare, WhatADocumentOfAProfilerSaysIsRefused) {
  Document base = made_up_run({made_up_case("small", around(10))});
  base.conditions["profiler"] = "nsys";
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { compared(base, base); })
                .find("old and new do not compare: old was measured under a profiler: profiler is nsys"),
            0U);
}

TEST(Compare, OtherVersionsAreNoted) {
  const Document base = made_up_run({made_up_case("small", around(10))});
  Document other = base;
  other.environment.libraries["torch"] = "2.12.0";
  EXPECT_EQ(compared(base, other).summaries[0].differences,
            std::vector<std::string>{"torch is unknown in old and 2.12.0 in new"});
}

TEST(Compare, ExactQuantitiesAreComparedExactly) {
  const Comparison comparison =
      compared(made_up_run({made_up_case("small", around(10), 9'007'199'254'740'991)}),
               made_up_run({made_up_case("small", around(10), 9'007'199'254'740'992)}));
  EXPECT_EQ(regressions(comparison, FailOn::memory),
            std::vector<std::string>{
                "new: model/size:small: peak_allocated grew from 9007199254740991 to 9007199254740992"});
  EXPECT_TRUE(regressions(comparison, FailOn::kernels).empty());
  EXPECT_TRUE(regressions(comparison, FailOn::slower).empty());
}

TEST(Compare, KernelCountsAndBytesHaveTheirOwnGates) {
  CaseResult one = made_up_case("small", around(10)), two = one;
  one.summaries.push_back({.metric = "launches", .unit = "1", .kind = Quantity::kernels, .value = 100});
  two.summaries.push_back({.metric = "launches", .unit = "1", .kind = Quantity::kernels, .value = 101});
  one.work.amounts = {amounts::bytes_sent(8)};
  two.work.amounts = {amounts::bytes_sent(9)};
  const Comparison comparison = compared(made_up_run({one}), made_up_run({two}));
  EXPECT_EQ(regressions(comparison, FailOn::kernels).size(), 1U);
  EXPECT_EQ(regressions(comparison, FailOn::bytes).size(), 1U);
  EXPECT_TRUE(regressions(comparison, FailOn::memory).empty());
  EXPECT_TRUE(regressions(compared(made_up_run({two}), made_up_run({one})), FailOn::kernels).empty());
}

// attention's memory, whatever its metrics are called.
TEST(Compare, BytesThatAreHeldAreMemoryAndNoTraffic) {
  CaseResult one = made_up_case("small", around(10)), two = one;
  one.summaries.push_back(
      {.metric = "bwd_mem_before_backward", .unit = "bytes", .kind = Quantity::memory, .value = 100});
  two.summaries.push_back(one.summaries.back());
  two.summaries.back().value = 101;
  const Comparison comparison = compared(made_up_run({one}), made_up_run({two}));
  EXPECT_EQ(regressions(comparison, FailOn::memory),
            std::vector<std::string>{"new: model/size:small: bwd_mem_before_backward grew from 100 to 101"});
  EXPECT_TRUE(regressions(comparison, FailOn::bytes).empty());
}

// The median of both clocks may be one number: which one was meant is said, not guessed.
TEST(Compare, TheSamplesAreThoseOfTheClockThatTheTimeIsFrom) {
  CaseResult one = made_up_case("small", {10, 10, 10});
  for (Sample& sample : one.samples) sample.device_ns = 10'000;
  one.samples[0].host_ns = 9'000;
  EXPECT_EQ(values_of(one, one.summaries[0]), (std::vector<double>{9'000, 10'000, 10'000}));
  one.summaries[0].source = TimeSource{TimeSource::Kind::device};
  EXPECT_EQ(values_of(one, one.summaries[0]), (std::vector<double>{10'000, 10'000, 10'000}));
  one.summaries[0].source.reset();
  EXPECT_TRUE(values_of(one, one.summaries[0]).empty());
}

TEST(Compare, SamplesOfZeroStandInNoRatioAndAreSaid) {
  std::vector<std::int64_t> us = around(10'000);
  us[0] = us[3] = 0;
  const Comparison comparison = compared(made_up_run({made_up_case("small", around(10'000))}),
                                         made_up_run({made_up_case("small", us)}));
  EXPECT_NEAR(change(comparison).ratio, 1, 0.01);
  EXPECT_GT(change(comparison).ratio_interval->low, 0.7);
  EXPECT_LT(change(comparison).ratio_interval->high, 1.4);
  EXPECT_EQ(comparison.cases[0].sides[0].timed.reason,
            fmt::format("2 of {} samples are 0 ns and stand in no ratio", us.size()));
}

TEST(Compare, AMedianOfZeroIsNotComparedAndSaysWhy) {
  const Comparison comparison = compared(made_up_run({made_up_case("small", {0, 0, 0})}),
                                         made_up_run({made_up_case("small", around(10))}));
  EXPECT_FALSE(comparison.cases[0].sides[0].change);
  EXPECT_EQ(comparison.cases[0].base.reason, "it holds no step above 0");
}

TEST(Compare, OfSeveralProcessesTheLargestCountIsComparedAndADisagreementIsTold) {
  const Document base =
      made_up_run({made_up_case("small", around(10), 100, 0), made_up_case("small", around(10), 100, 1)});
  const Document other =
      made_up_run({made_up_case("small", around(10), 100, 0), made_up_case("small", around(10), 150, 1)});
  const Comparison comparison = compared(base, other);
  EXPECT_EQ(regressions(comparison, FailOn::memory),
            std::vector<std::string>{"new: model/size:small: peak_allocated grew from 100 to 150"});
  EXPECT_EQ(comparison_notes(comparison).back(),
            "new: model/size:small: peak_allocated is 100 to 150, depending on the process; the largest is "
            "compared");
  EXPECT_TRUE(regressions(compared(other, base), FailOn::memory).empty());
}

TEST(Compare, ACaseThatIsMissingIsARegressionAndAnOpenQuestionUnlessItWasBroken) {
  CaseResult broken = made_up_case("broken", around(10));
  broken.status = Status::failed;
  const CaseResult small = made_up_case("small", around(10));
  const Document other = made_up_run({small});
  const Comparison comparison =
      compared(made_up_run({small, made_up_case("large", around(10)), broken}), other);
  const std::string sentence = "new: model/size:large was ok in the base and is missing";
  for (const FailOn kind : {FailOn::slower, FailOn::memory, FailOn::kernels, FailOn::bytes})
    EXPECT_EQ(regressions(comparison, kind), std::vector<std::string>{sentence});
  EXPECT_EQ(open_questions(comparison).front(), sentence);
  EXPECT_TRUE(regressions(compared(other, made_up_run({small, broken})), FailOn::slower).empty());
}

TEST(Compare, NothingComparedIsAnOpenQuestion) {
  CaseResult untimed = made_up_case("small", around(10));
  untimed.summaries.erase(untimed.summaries.begin());
  const Document run = made_up_run({untimed});
  EXPECT_EQ(open_questions(compared(run, run)), std::vector<std::string>{"new: no time was compared"});
  const Document slow = repeated({20'000, 20'001, 20'002, 20'003}),
                 fast = repeated({10'000, 10'001, 10'002, 10'003});
  EXPECT_TRUE(open_questions(compared(fast, slow)).empty());
}

TEST(Compare, ATimeThatIsGoneIsNoFailureOfTheCaseButARegression) {
  CaseResult zero = made_up_case("small", around(10));
  zero.summaries[0].value = 0;
  const Comparison comparison =
      compared(made_up_run({made_up_case("small", around(10))}), made_up_run({zero}));
  const ComparedSide& side = comparison.cases[0].sides[0];
  EXPECT_EQ(side.timed.status, Status::ok);
  EXPECT_EQ(side.timed.reason, "it holds no step above 0");
  EXPECT_FALSE(side.change.has_value());
  EXPECT_EQ(side.exact.size(), 1U);
  EXPECT_EQ(comparison_notes(comparison).back(), "new: model/size:small: it holds no step above 0");
  EXPECT_EQ(regressions(comparison, FailOn::slower),
            std::vector<std::string>{"new: model/size:small has no step any more"});
}

TEST(Compare, AProcessWithoutAUsableTimeIsTold) {
  Document run = repeated({10'000, 10'001, 10'002});
  run.cases[1].summaries[0].value = -1;
  const Comparison comparison = compared(run, run);
  EXPECT_EQ(comparison.cases[0].base.processes, 2);
  EXPECT_EQ(comparison.cases[0].base.reason, "1 of 3 processes hold no step above 0");
}

TEST(Compare, ACaseThatStoppedWorkingIsARegressionOfEveryKind) {
  CaseResult broken = made_up_case("small", around(10));
  broken.status = Status::incorrect;
  broken.reason = said("check: loss is off");
  const Comparison comparison =
      compared(made_up_run({made_up_case("small", around(10))}), made_up_run({broken}));
  EXPECT_FALSE(comparison.cases[0].sides[0].change.has_value());
  for (const FailOn kind : {FailOn::slower, FailOn::memory, FailOn::kernels, FailOn::bytes})
    EXPECT_EQ(regressions(comparison, kind),
              std::vector<std::string>{"new: model/size:small was ok in the base and is now incorrect"});
}

TEST(Compare, TheGeometricMeanComesWithItsIntervalAndHasTheProcessesLuck) {
  const Comparison comparison =
      compared(made_up_run({made_up_case("small", around(10'000)), made_up_case("large", around(20'000))}),
               made_up_run({made_up_case("small", around(12'000)), made_up_case("large", around(20'000))}));
  const SideSummary& summary = comparison.summaries[0];
  EXPECT_NEAR(*summary.mean_ratio, std::sqrt(1.2), 0.002);
  // The 25% that are assumed do not average out over cases, nor do the cases' own intervals.
  EXPECT_LT(summary.mean_interval->low, std::sqrt(1.2) / 1.25);
  EXPECT_GT(summary.mean_interval->high, std::sqrt(1.2) * 1.25);
}

// `processes` processes of 20 cases: all of a process are slowed by its luck, `luck` (a standard deviation).
Document lucky_run(std::mt19937_64& random, int processes, double luck) {
  std::normal_distribution<double> shared(0, luck), own(0, 0.003);
  std::vector<CaseResult> cases;
  for (int process = 0; process < processes; ++process) {
    const double of_process = shared(random);
    for (int i = 0; i < 20; ++i)
      cases.push_back(made_up_case(
          std::to_string(i), around(std::lround(10'000 * std::exp(of_process + own(random)))), 1e6, process));
  }
  return made_up_run(std::move(cases));
}

TEST(Compare, TheMeanOfAgainstTheSameProgramIsWithinItsIntervalThoughCasesShareTheirProcess) {
  std::mt19937_64 random(20261130);
  for (const auto& [base, other] : std::vector<std::pair<int, int>>{{5, 5}, {5, 1}, {2, 2}}) {
    int within = 0;
    for (int i = 0; i < 100; ++i) {
      const Comparison comparison = compared(lucky_run(random, base, 0.05), lucky_run(random, other, 0.05));
      const statistics::Interval interval = comparison.summaries[0].mean_interval.value();
      within += static_cast<int>(interval.low < 1 && 1 < interval.high);
    }
    EXPECT_GE(within, 90) << base << " against " << other;
  }
}

TEST(Compare, TheMeanHasOneTimeACase) {
  CaseResult base = made_up_case("small", around(10'000)), other = base;
  for (CaseResult* result : {&base, &other}) {
    Summary part = result->summaries[0];
    part.metric = "part";
    result->summaries.push_back(part);
  }
  for (auto member : {&Summary::low, &Summary::high}) *(other.summaries[2].*member) *= 2;
  other.summaries[2].value *= 2;
  const SideSummary summary =
      compared(made_up_run({base}), made_up_run({other}), {.metrics = {"step", "all"}}).summaries[0];
  EXPECT_EQ(summary.compared, 2);
  EXPECT_EQ(summary.mean_cases, 1);
  EXPECT_NEAR(*summary.mean_ratio, 1, 1e-9);
}

TEST(Compare, ANoisyCaseIsWidenedByItsOwnNoise) {
  std::vector<CaseResult> cases;
  const std::vector<std::int64_t> noisy{10'000, 14'000, 7'000, 12'000, 8'500};
  for (int process = 0; process < 5; ++process) {
    cases.push_back(made_up_case("noisy", around(noisy[static_cast<std::size_t>(process)]), 1e6, process));
    for (const char* size : {"a", "b", "c", "d", "e", "f", "g", "h"})
      cases.push_back(made_up_case(size, around(10'000 + process), 1e6, process));
  }
  const Comparison comparison =
      compared(made_up_run(cases),
               made_up_run({made_up_case("noisy", around(15'000)), made_up_case("a", around(10'500))}));
  EXPECT_EQ(change(comparison, 0).verdict, Verdict::undecided);
  EXPECT_EQ(change(comparison, 1).verdict, Verdict::slower);
}

TEST(Compare, WithoutSamplesTheIntervalsOfTheMediansAreUsed) {
  CaseResult one = made_up_case("small", around(10'000)), two = made_up_case("small", around(13'000));
  one.samples.clear();
  two.samples.clear();
  const Comparison comparison = compared(made_up_run({one}, "cuda:0"), made_up_run({two}, "cuda:0"));
  EXPECT_EQ(change(comparison).verdict, Verdict::slower);
  EXPECT_NEAR(change(comparison).ratio, 1.3, 0.003);
}

TEST(Compare, TooFewSamplesDecideNothing) {
  const Comparison comparison = compared(made_up_run({made_up_case("small", {10, 10, 10})}),
                                         made_up_run({made_up_case("small", {90, 90, 90})}));
  EXPECT_FALSE(change(comparison).ratio_interval.has_value());
  EXPECT_EQ(change(comparison).verdict, Verdict::undecided);
  EXPECT_TRUE(any_undecided(comparison));
}

TEST(Compare, TheNotesSayHowManyVerdictsAreExpectedFromChance) {
  std::vector<CaseResult> cases;
  for (int i = 0; i < 100; ++i) cases.push_back(made_up_case(std::to_string(i), around(10'000)));
  const Document run = made_up_run(cases), one = repeated({10'000});
  const auto tells = [](const Comparison& comparison) {
    return std::ranges::any_of(comparison_notes(comparison), [](const std::string& note) {
      return note.starts_with("by chance alone up to 2.5 of these times would be called slower");
    });
  };
  EXPECT_NEAR(expected_false_alarms(compared(run, run)), 2.5, 1e-9);
  EXPECT_TRUE(tells(compared(run, run)));
  EXPECT_FALSE(tells(compared(one, one)));
}

TEST(Compare, UndecidedNamesTheCommandToRunNext) {
  const Document base = repeated({10'000}), other = repeated({20'000});
  EXPECT_EQ(next_commands(compared(base, base)),
            std::vector<std::string>{"bench run model --size small,large --repeat 5"});
  EXPECT_TRUE(next_commands(compared(base, other)).empty());
}

TEST(Compare, AnUnknownMetricIsToldTheNearest) {
  const Document run = repeated({10'000});
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { compared(run, run, {.metrics = {"stepp"}}); }),
            "--metric: the base has no sampled time \"stepp\"; did you mean step?");
}

TEST(ComparisonTable, HasOneColumnPerSideWhenThereAreSeveral) {
  const Document base = repeated({10'000}), one = repeated({20'000}), two = repeated({5'000});
  const Table table = comparison_table(compare({"a", &base}, {{"b", &one}, {"c", &two}}, {}));
  std::vector<std::string> headings;
  for (const Column& column : table.columns) headings.push_back(column.heading);
  EXPECT_EQ(headings, (std::vector<std::string>{"workload", "step in a", "step in b", "step in c",
                                                "peak allocated in b", "peak allocated in c"}));
  EXPECT_NE(table.rows[0][2].find("slower"), std::string::npos) << table.rows[0][2];
  EXPECT_NE(table.rows[0][3].find("faster"), std::string::npos) << table.rows[0][3];
}

TEST(Percent, HasASignAndFewDigits) {
  EXPECT_EQ(percent(1.031), "+3.1%");
  EXPECT_EQ(percent(0.5), "−50.0%");
  EXPECT_EQ(percent(1.001), "+0.10%");
  EXPECT_EQ(percent(3), "+200%");
}

TEST(CompareFormats, NoneIsMovedByHostileText) {
  const std::string hostile = "\x1b]0;x\x07|`<script>\r\n=1+1,\"\xff\xc2\x85";
  CaseResult bad = made_up_case(hostile, around(10));
  bad.configuration.values.emplace_back(hostile, hostile);
  bad.summaries.push_back({.metric = hostile, .unit = hostile, .value = 3});
  CaseResult broken = made_up_case("x", around(10));
  Document base = made_up_run({bad, broken, made_up_case("only", around(10))}), other = base;
  other.cases.pop_back();
  other.cases[0].summaries[2].value = 4;
  other.cases[1].status = Status::failed;
  other.cases[1].reason = said(hostile);
  other.environment.libraries = {{hostile, hostile}};
  base.run.argv = {"bench", "run", hostile};
  for (const CompareFormat& format : compare_formats()) {
    const std::string text = format.render(compare({hostile, &base}, {{hostile, &other}}, {}));
    EXPECT_EQ(text.back(), '\n') << format.name;
    EXPECT_EQ(text.find_first_of("\x1b\x07\xff"), std::string::npos) << format.name;
    if (format.name != "markdown") continue;
    for (std::size_t at = text.find("<script"); at != text.npos; at = text.find("<script", at + 1))
      EXPECT_NE(text.substr(text.rfind('\n', at), at - text.rfind('\n', at)).find("``"), text.npos);
  }
}

}  // namespace
}  // namespace bench::reports
