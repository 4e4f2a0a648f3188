#include "harness/scheduler/case_stepper.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/scheduler/run_case.hpp"
#include "harness/scheduler/summaries.hpp"
#include "tests/support/scripted_worker.hpp"
#include "tests/support/texts.hpp"

namespace bench::scheduler {
namespace {

using support::FakeClock;
using support::ScriptedWorker;

struct Stepping : testing::Test {
  FakeClock clock;
  ScriptedWorker worker{clock};

  static registry::PlannedCase planned(std::int64_t n, Policy policy = {}) {
    return {.configuration = {.workload = "made-up", .values = {{"n", Value{n}}}}, .policy = policy};
  }
  CaseStepper stepper(int slot, Policy policy = {}, RunCaseOptions options = {}) {
    return stepper_on(worker, slot, policy, std::move(options));
  }
  CaseStepper stepper_on(Worker& on, int slot, Policy policy = {}, RunCaseOptions options = {}) {
    return CaseStepper(on, slot, planned(slot, policy), std::move(options), clock, [](const CaseState&) {});
  }
  static std::vector<std::int64_t> measured_host_ns(const CaseStepper& stepper) {
    std::vector<std::int64_t> all;
    for (const Sample& sample : stepper.outcome().result.samples)
      if (sample.kind == SampleKind::measured) all.push_back(sample.host_ns);
    return all;
  }
};

// What an A/B pair is: both prepared, then sample about, with a step that counts for nothing after each
// switch.
TEST_F(Stepping, TwoSlotsOfOneWorkerTakeSamplesByTurns) {
  worker.step_ns = [](int step) { return std::int64_t{1000} * (step + 1); };
  CaseStepper a = stepper(0, {.warmup_steps = 3}), b = stepper(1, {.warmup_steps = 3});
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->prepare());
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->warm_up() && both->begin_samples());
  for (int pair = 0; pair < 2; ++pair)
    for (CaseStepper* both : {&a, &b})
      ASSERT_TRUE(both->take(SampleKind::warm_up, 1) && both->take(SampleKind::measured, 1));
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->end_samples(said("2 pairs done")) && both->verify());
  EXPECT_TRUE(a.release());
  ASSERT_TRUE(b.make_passes());  // alone by now
  EXPECT_TRUE(b.release());

  EXPECT_EQ(worker.asked,
            (std::vector<std::string>{
                "prepare",        "1: prepare",                                         //
                "warm-up 1x1",    "warm-up 1x1",    "warm-up 1x1",                      //
                "1: warm-up 1x1", "1: warm-up 1x1", "1: warm-up 1x1",                   //
                "warm-up 1x1",    "sample 1x1",     "1: warm-up 1x1", "1: sample 1x1",  //
                "warm-up 1x1",    "sample 1x1",     "1: warm-up 1x1", "1: sample 1x1",  //
                "verify",         "1: verify",      "release",        "1: memory",     "1: release"}));
  EXPECT_EQ(measured_host_ns(a), (std::vector<std::int64_t>{8000, 12000}));
  EXPECT_EQ(measured_host_ns(b), (std::vector<std::int64_t>{10000, 14000}));
  EXPECT_EQ(a.outcome().result.status, Status::ok);
  EXPECT_EQ(a.outcome().result.stop_reason.text, "2 pairs done");
  EXPECT_FALSE(a.outcome().result.memory);
  EXPECT_TRUE(b.outcome().result.memory);
}

TEST_F(Stepping, SlotsOfTwoWorkersAreDrivenInTheSameWay) {
  ScriptedWorker other{clock};
  other.step_ns = [](int) { return std::int64_t{3'000'000}; };
  CaseStepper a = stepper(0), b = stepper_on(other, 0);
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->prepare() && both->warm_up() && both->begin_samples());
  for (int pair = 0; pair < 3; ++pair)
    for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->take(SampleKind::measured, 1));
  EXPECT_EQ(measured_host_ns(a), (std::vector<std::int64_t>(3, 1'000'000)));
  EXPECT_EQ(measured_host_ns(b), (std::vector<std::int64_t>(3, 3'000'000)));
  EXPECT_EQ(b.state().phase, "samples");
  EXPECT_EQ(b.state().done, 3);
}

TEST_F(Stepping, ACaseThatHasEndedLeavesTheOtherSlotAlone) {
  CaseStepper a = stepper(0), b = stepper(1);
  ASSERT_TRUE(a.prepare() && b.prepare());
  worker.instead["warm-up"] = {ScriptedWorker::failed(Status::failed, "warm-up: a shape does not fit")};
  EXPECT_FALSE(a.warm_up());
  EXPECT_FALSE(a.begin_samples());
  EXPECT_FALSE(a.release());  // the worker has dropped it
  EXPECT_TRUE(b.warm_up() && b.take_samples() && b.verify());
  EXPECT_EQ(a.outcome().result.reason.text, "warm-up: a shape does not fit");
  EXPECT_EQ(b.outcome().result.status, Status::ok);
}

TEST_F(Stepping, AWrongResultGivesItsSlotBackAndStaysWrong) {
  worker.verification = {.passed = false, .reason = "a parameter is not finite", .items = {}};
  worker.instead["release"] = {ScriptedWorker::ended(Reply::Kind::timed_out, "")};
  CaseStepper a = stepper(0);
  ASSERT_TRUE(a.prepare() && a.warm_up() && a.take_samples());
  EXPECT_FALSE(a.verify());
  EXPECT_FALSE(a.release());
  EXPECT_EQ(worker.asked.back(), "release");
  EXPECT_EQ(a.outcome().result.status, Status::incorrect);
  EXPECT_EQ(a.outcome().result.reason.text, "verification after timing: a parameter is not finite");
}

TEST_F(Stepping, AnAnswerForAnotherSlotFailsTheCase) {
  CaseStepper a = stepper(1);
  worker.instead["prepare"] = {{.kind = Reply::Kind::answered, .event = protocol::Prepared{}, .reason = {}}};
  EXPECT_FALSE(a.prepare());
  EXPECT_EQ(a.outcome().result.reason.text, "set-up: the worker answered for slot 0 when slot 1 was asked");
}

struct Ranks : Stepping {
  Ranks() { worker.rank_factors = {1, 1.5, 0.5}; }  // the slowest is neither first nor last
  CaseResult run(Policy policy = {}) {
    return run_case(worker, planned(1, policy), {}, clock, [&](const CaseState& s) { states.push_back(s); })
        .result;
  }
  std::vector<CaseState> states;
};

TEST_F(Ranks, AStepLastsAsLongAsItsSlowestRank) {
  worker.step_ns = [](int step) { return std::int64_t{step == 0 ? 400'000'000 : 200'000'000}; };
  const CaseResult result = run({.warmup_steps = 3, .steps = 10});
  EXPECT_EQ(result.status, Status::ok) << result.reason.text;
  EXPECT_EQ(result.samples.size(), 3u * (3 + 10));
  EXPECT_EQ(result.first_step_ns, 600'000'000);
  EXPECT_EQ(states.back().median_ns, 3e8);
  const std::vector<Summary> summaries = summarize(result, {});
  EXPECT_EQ(summaries.at(0).metric, "step");
  EXPECT_EQ(summaries.at(0).value, 3e8);
  EXPECT_EQ(summaries.at(0).n, 10);
}

TEST_F(Ranks, StepsAreCountedOnceHoweverManyRanksSendThem) {
  const CaseResult result = run({.warmup_steps = 4, .steps = 6});
  EXPECT_EQ(result.stop_reason.text, "6 steps done");
  for (const CaseState& state : states) EXPECT_LE(state.done, state.phase == "warm-up" ? 4 : 6);
  EXPECT_EQ(std::ranges::count_if(worker.asked, [](const auto& a) { return a.starts_with("warm-up"); }), 3);
}

TEST_F(Ranks, TheTimeBudgetIsThatOfTheSlowest) {
  worker.step_ns = [](int) { return std::int64_t{4'000'000'000}; };  // 6 s a step
  const CaseResult result = run({.warmup_steps = 20, .steps = 100, .time_budget_s = 60});
  EXPECT_EQ(result.stop_reason.text, "time budget of 60 s used: 7 steps, 100 asked for");
}

TEST_F(Ranks, BackToBackSamplesAreFilledByTheSlowestRanksSteps) {
  worker.step_ns = [](int) { return std::int64_t{1'000'000}; };
  EXPECT_EQ(run({.timing = Timing::back_to_back}).steps_per_sample, 7);  // of 1.5 ms
}

TEST_F(Ranks, ReplacedSamplesCountOnce) {
  worker.replaced = 3;
  const CaseResult result = run({.warmup_steps = 3, .steps = 10});
  EXPECT_EQ(result.status, Status::ok) << result.reason.text;
  EXPECT_EQ(std::ranges::count(result.samples, SampleKind::measured, &Sample::kind), 3 * 10);
  const std::vector<Remark> warnings = warnings_about_samples(result, 0, Headline::host_time);
  EXPECT_TRUE(warnings.at(0).text.starts_with("in 3 samples the loss scaler skipped")) << warnings.at(0).text;
}

TEST(ArrivedSamplesTest, ARankThatTookTooFewIsNamed) {
  ArrivedSamples samples;
  EXPECT_EQ(samples.fault_of_batch(1), "the worker took 0 samples of 1");
  samples.add({.host_ns = 1, .rank = 0});
  samples.add({.host_ns = 1, .rank = 1});
  EXPECT_EQ(samples.fault_of_batch(1), "");
  samples.begin_batch();
  samples.add({.host_ns = 1, .rank = 0});
  EXPECT_EQ(samples.fault_of_batch(1), "rank 1 took 0 samples of 1");
}

TEST(ArrivedSamplesTest, RanksMustReplaceTheSameSamples) {
  ArrivedSamples samples;
  samples.add({.host_ns = 1, .kind = SampleKind::measured, .rank = 0});
  samples.add({.host_ns = 1, .kind = SampleKind::replaced, .rank = 1});
  EXPECT_EQ(samples.fault_of_batch(1), "ranks 0 and 1 disagree on which samples count");
}

TEST(ArrivedSamplesTest, TheFirstStepIsTheFirstSampleEvenWhereItWasReplaced) {
  ArrivedSamples samples;
  samples.add({.host_ns = 7, .kind = SampleKind::replaced});
  samples.add({.host_ns = 2});
  EXPECT_EQ(samples.first_host_ns(), 7);
}

struct Passes : Stepping {
  static CasePass counters_pass() {
    return {
        .pass = protocol::Pass::counters, .gives = "hardware counters", .take_in = [](auto&& done, auto& r) {
          for (const auto& [name, value] : done.counters) r.counters["pass_" + name] = value;
        }};
  }
  CaseResult run(std::vector<CasePass> passes, Policy policy = {}) {
    return run_case(worker, planned(1, policy), {.passes = std::move(passes)}, clock, [](const CaseState&) {})
        .result;
  }
};

TEST_F(Passes, RunInTheOrderTheyAreNamedAndEachKeepsItsOwnResult) {
  worker.pass_counters = {{"instructions", 12}};
  const CaseResult result = run({counters_pass(), memory_pass()});
  EXPECT_EQ(std::vector<std::string>(worker.asked.end() - 3, worker.asked.end()),
            (std::vector<std::string>{"counters", "memory", "release"}));
  EXPECT_EQ(result.counters.at("pass_instructions"), 12);
  EXPECT_TRUE(result.memory);
}

TEST_F(Passes, NoneIsAskedForWhereNoneIsNamed) {
  EXPECT_EQ(run({}).status, Status::ok);
  EXPECT_EQ(worker.asked.back(), "release");
  EXPECT_EQ(*(worker.asked.end() - 2), "verify");
}

TEST_F(Passes, OneThatTheWorkerDoesNotHaveLeavesTheTimesAndSaysWhatIsMissing) {
  const CaseResult result = run({counters_pass(), memory_pass()});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_FALSE(result.samples.empty());
  EXPECT_EQ(support::texts(result.warnings),
            (std::vector<std::string>{"no hardware counters: scripted-worker has no pass counters",
                                      "no memory numbers: the counters pass before that failed"}));
}

TEST_F(Passes, ALateCheckThatAFailedPassHasMadeImpossibleFailsTheCase) {
  const CaseResult result = run({counters_pass()}, {.warmup_steps = 1});
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.reason.text,
            "counters pass: it failed, and with it the check that comes after it: no hardware counters: "
            "scripted-worker has no pass counters");
}

}  // namespace
}  // namespace bench::scheduler
