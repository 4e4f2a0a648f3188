#include "harness/scheduler/run_case.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripted_worker.hpp"
#include "tests/support/texts.hpp"

namespace bench::scheduler {
namespace {

using support::FakeClock;
using support::ScriptedWorker;

registry::PlannedCase planned_case(Policy policy = {}) {
  return {.configuration = {.workload = "made-up", .values = {{"n", Value{std::int64_t{1}}}}},
          .policy = policy};
}

struct RunCase : testing::Test {
  FakeClock clock;
  ScriptedWorker worker{clock};
  std::vector<CaseState> states;

  CaseOutcome run(Policy policy = {}, RunCaseOptions options = {}) {
    return run_case(worker, planned_case(policy), options, clock,
                    [&](const CaseState& s) { states.push_back(s); });
  }
  static std::size_t count(const CaseResult& result, SampleKind kind) {
    return static_cast<std::size_t>(std::count_if(result.samples.begin(), result.samples.end(),
                                                  [&](const Sample& sample) { return sample.kind == kind; }));
  }
};

TEST_F(RunCase, TakesTheWarmUpAndTheStepsThatWereAskedFor) {
  const CaseResult result = run({.warmup_steps = 5, .steps = 10}).result;
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(count(result, SampleKind::warm_up), 5u);
  EXPECT_EQ(count(result, SampleKind::measured), 10u);
  EXPECT_EQ(result.stop_reason.text, "10 steps done");
  EXPECT_EQ(result.steps_per_sample, 1);
  EXPECT_EQ(result.first_step_ns, 1'000'000);
  ASSERT_TRUE(result.memory);
  EXPECT_EQ(result.memory->peak_allocated_bytes, 5000);
}

TEST_F(RunCase, ChecksBeforeAnyStepAndVerifiesAfterTheLast) {
  run({.warmup_steps = 3, .steps = 1});
  EXPECT_EQ(worker.asked.front(), "prepare");
  EXPECT_TRUE(worker.prepared.front().check);
  const std::vector<std::string> tail(worker.asked.end() - 4, worker.asked.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"sample 1x1", "verify", "memory", "release"}));
}

TEST_F(RunCase, WrongResultGetsNoTime) {
  worker.check = {.passed = false, .reason = "loss is off by 3", .items = {}};
  const CaseResult result = run().result;
  EXPECT_EQ(result.status, Status::incorrect);
  EXPECT_EQ(result.reason.text, "check: loss is off by 3");
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(worker.asked, (std::vector<std::string>{"prepare"}));
}

TEST_F(RunCase, FailedVerificationDiscardsTheSamples) {
  worker.verification = {.passed = false, .reason = "a parameter is not finite", .items = {}};
  const CaseResult result = run().result;
  EXPECT_EQ(result.status, Status::incorrect);
  EXPECT_EQ(result.reason.text, "verification after timing: a parameter is not finite");
  EXPECT_TRUE(result.samples.empty());
  EXPECT_FALSE(result.first_step_ns);
}

TEST_F(RunCase, BelowThreeWarmUpStepsTheCheckComesAfterTheSamples) {
  const CaseResult result = run({.warmup_steps = 2, .steps = 3}).result;
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_FALSE(worker.prepared.front().check);
  const auto position = [&](const std::string& name) {
    return std::find(worker.asked.begin(), worker.asked.end(), name) - worker.asked.begin();
  };
  EXPECT_LT(position("verify"), position("memory"));
  EXPECT_LT(position("memory"), position("check"));
}

TEST_F(RunCase, LateCheckThatFailsDiscardsTheSamples) {
  worker.check = {.passed = false, .reason = "logits are zero", .items = {}};
  const CaseResult result = run({.warmup_steps = 0, .steps = 3}).result;
  EXPECT_EQ(result.status, Status::incorrect);
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(RunCase, WithoutWarmUpTheFirstSampleIsTheFirstStep) {
  worker.step_ns = [](int step) { return step == 0 ? 7'000'000 : 1'000'000; };
  const CaseResult result = run({.warmup_steps = 0, .steps = 3}).result;
  EXPECT_EQ(count(result, SampleKind::warm_up), 0u);
  EXPECT_EQ(result.first_step_ns, 7'000'000);
}

TEST_F(RunCase, BackToBackSamplesFillTenMillisecondsWithAtLeastFiveSteps) {
  worker.step_ns = [](int) { return 300'000; };
  CaseResult result = run({.timing = Timing::back_to_back}).result;
  EXPECT_EQ(result.steps_per_sample, 34);  // 33 steps of 0.3 ms are 9.9 ms
  EXPECT_EQ(result.samples.back().host_ns, 34 * 300'000);

  worker.step_ns = [](int) { return 4'000'000; };
  EXPECT_EQ(run({.timing = Timing::back_to_back}).result.steps_per_sample, 5);
}

TEST_F(RunCase, TimeBudgetCutsWarmUpToAThirdAndSamplesToTheRest) {
  worker.step_ns = [](int) { return std::int64_t{4'000'000'000}; };
  const CaseResult result = run({.warmup_steps = 20, .steps = 100, .time_budget_s = 60}).result;
  // From the end of the first step: 5 more steps of 4 s fill the third of 60 s, then 10 samples the rest.
  EXPECT_EQ(count(result, SampleKind::warm_up), 6u);
  EXPECT_EQ(count(result, SampleKind::measured), 10u);
  EXPECT_EQ(result.stop_reason.text, "time budget of 60 s used: 10 steps, 100 asked for");
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].text,
            "warm-up cut to 6 of 20 steps: a third of the time budget of 60 s was used");
}

TEST_F(RunCase, AtLeastThreeSamplesWhateverTheTimeBudget) {
  worker.step_ns = [](int) { return std::int64_t{100'000'000'000}; };
  const CaseResult result =
      run({.warmup_steps = 5, .steps = 10, .time_budget_s = 1, .timeout_s = 1e6}).result;
  EXPECT_EQ(count(result, SampleKind::measured), 3u);
  EXPECT_EQ(count(result, SampleKind::warm_up),
            1u);  // the first step is warm-up enough when it alone is too long
}

TEST_F(RunCase, WithoutWarmUpTheFirstSampleCountsForNoBudget) {
  worker.step_ns = [](int step) { return std::int64_t{step == 0 ? 50 : 1} * 1'000'000'000; };
  const CaseResult result = run({.warmup_steps = 0, .steps = 10, .time_budget_s = 60}).result;
  EXPECT_EQ(count(result, SampleKind::measured), 10u);
}

TEST_F(RunCase, BackToBackWithoutWarmUpProbesHowLongAStepTakes) {
  worker.step_ns = [](int step) { return step == 0 ? 90'000'000 : 1'000'000; };
  const CaseResult result = run({.warmup_steps = 0, .steps = 3, .timing = Timing::back_to_back}).result;
  EXPECT_EQ(result.steps_per_sample, 10);
  EXPECT_EQ(count(result, SampleKind::warm_up), 2u);
  EXPECT_EQ(result.first_step_ns, 90'000'000);
  EXPECT_EQ(result.warnings.size(), 1u);
}

TEST_F(RunCase, AColdCacheForcesOneStepASample) {
  EXPECT_EQ(run({.timing = Timing::back_to_back, .cache = CacheState::cold}).result.steps_per_sample, 1);
}

TEST_F(RunCase, AutoAsksForFewMessagesHoweverManySamplesItTakes) {
  worker.step_ns = [](int step) { return 20'000 + (step * 7919 % 1000) * 20; };  // never known to 1%
  const CaseResult result = run({.steps = std::nullopt, .time_budget_s = 0.5}).result;
  EXPECT_GT(count(result, SampleKind::measured), 10'000u);
  EXPECT_LT(worker.asked.size(), 40u);
}

TEST_F(RunCase, AWorkerThatMeasuresLessThanAskedForFailsTheCase) {
  worker.instead["warm-up"] = {{.kind = Reply::Kind::answered, .event = protocol::Done{}, .reason = {}}};
  EXPECT_EQ(run().result.reason.text, "warm-up: the worker took 0 samples of 1");
}

TEST_F(RunCase, AMissingVerificationIsNotTakenForAGoodOne) {
  worker.instead["verify"] = {{.kind = Reply::Kind::answered, .event = protocol::Done{}, .reason = {}}};
  const CaseResult result = run().result;
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_FALSE(result.verification);
}

TEST_F(RunCase, ACaseThatWasNeverCheckedDoesNotSayThatItWas) {
  worker.instead["sample"] = {ScriptedWorker::ended(Reply::Kind::timed_out, "")};
  const CaseResult result = run({.warmup_steps = 0}).result;
  EXPECT_FALSE(result.check);
  EXPECT_FALSE(result.verification);
}

TEST_F(RunCase, ASlowReleaseLosesNoResult) {
  worker.instead["release"] = {ScriptedWorker::ended(Reply::Kind::timed_out, "")};
  const CaseOutcome outcome = run();
  EXPECT_EQ(outcome.result.status, Status::ok);
  EXPECT_TRUE(outcome.worker_lost);
}

TEST_F(RunCase, AutoStopsWhenTheMedianIsKnownToOnePercent) {
  worker.step_ns = [](int step) { return 1'000'000 + (step % 7) * 1000; };
  const CaseResult result = run({.steps = std::nullopt}).result;
  EXPECT_EQ(count(result, SampleKind::measured), 10u);
  EXPECT_EQ(result.stop_reason.text, "interval of the median within 1% after 10 steps");
}

TEST_F(RunCase, AWorkerThatIsGoneNamesThePhaseAndAsksForAFreshOne) {
  for (const auto& [kind, status] : {std::pair(Reply::Kind::crashed, Status::crashed),
                                     {Reply::Kind::killed_for_memory, Status::out_of_memory}}) {
    worker.instead["sample"] = {ScriptedWorker::ended(kind, "it was killed by signal 11")};
    const CaseOutcome outcome = run();
    EXPECT_EQ(outcome.result.status, status);
    EXPECT_EQ(outcome.result.reason.text, "samples: it was killed by signal 11");
    EXPECT_TRUE(outcome.worker_lost);
    EXPECT_FALSE(outcome.interrupted);
  }
}

TEST_F(RunCase, TimeLimitOfTheCaseCoversAllOfIt) {
  worker.step_ns = [](int) { return std::int64_t{50'000'000'000}; };
  const CaseOutcome outcome = run({.time_budget_s = 1000, .timeout_s = 120});
  EXPECT_EQ(outcome.result.status, Status::timed_out);
  EXPECT_EQ(outcome.result.reason.text,
            "warm-up: the case took longer than --timeout 120s; fewer --steps, or a longer one, let it end");
}

TEST_F(RunCase, OutOfMemoryKeepsTheWorkersReason) {
  worker.instead["prepare"] = {
      ScriptedWorker::failed(Status::out_of_memory, "out of memory during set-up: 3 GiB")};
  const CaseOutcome outcome = run();
  EXPECT_EQ(outcome.result.status, Status::out_of_memory);
  EXPECT_EQ(outcome.result.reason.text, "out of memory during set-up: 3 GiB");
  EXPECT_FALSE(outcome.worker_lost);
}

TEST_F(RunCase, AnInterruptedCaseIsNoResult) {
  worker.instead["warm-up"] = {ScriptedWorker::ended(Reply::Kind::interrupted, "")};
  EXPECT_TRUE(run().interrupted);
}

TEST_F(RunCase, AFailingMemoryPassLeavesTheTimes) {
  worker.instead["memory"] = {ScriptedWorker::ended(Reply::Kind::crashed, "gone")};
  const CaseOutcome outcome = run();
  EXPECT_EQ(outcome.result.status, Status::ok);
  EXPECT_EQ(count(outcome.result, SampleKind::measured), 10u);
  EXPECT_FALSE(outcome.result.memory);
  EXPECT_EQ(support::texts(outcome.result.warnings),
            (std::vector<std::string>{"no memory numbers: memory pass: gone"}));
  EXPECT_TRUE(outcome.worker_lost);
}

TEST_F(RunCase, AnAnswerToAnotherQuestionFailsTheCase) {
  worker.instead["verify"] = {{.kind = Reply::Kind::answered, .event = protocol::Prepared{}, .reason = {}}};
  EXPECT_EQ(run().result.status, Status::failed);
}

TEST_F(RunCase, CountersOfTheSamplesAddUp) {
  worker.step_ns = [](int) { return std::int64_t{1'000'000'000}; };  // one sample a message
  EXPECT_EQ(run({.steps = 4}).result.counters.at("minor_faults"), 4.0);
}

TEST_F(RunCase, StatesTellThePhasesInOrderAndTheMedianSoFar) {
  run({.warmup_steps = 3, .steps = 2});
  std::vector<std::string> phases;
  for (const CaseState& state : states)
    if (phases.empty() || phases.back() != state.phase) phases.push_back(state.phase);
  EXPECT_EQ(phases,
            (std::vector<std::string>{"set-up", "warm-up", "samples", "verification", "memory pass"}));
  EXPECT_EQ(states.back().median_ns, 1e6);
}

}  // namespace
}  // namespace bench::scheduler
