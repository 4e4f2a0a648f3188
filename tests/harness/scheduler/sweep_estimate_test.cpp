#include "harness/scheduler/sweep_estimate.hpp"

#include <gtest/gtest.h>

#include "harness/scheduler/progress.hpp"

namespace bench::scheduler {
namespace {

// Cases n with 1e9·n FLOPs a step.
struct Estimated : testing::Test {
  Estimated() {
    spec.name = "made-up";
    spec.work = [](const Case& c) {
      return Work{.amounts = {amounts::model_flop(1e9 * double(c.integer("n")))}};
    };
    sweep.spec = &spec;
    sweep.device = "cpu";
    sweep.machine.cpus_allowed = 2;
  }
  void add(std::int64_t n, Policy policy = {}) {
    sweep.cases.push_back({{.workload = "made-up", .values = {{"n", Value{n}}}}, policy});
  }
  // `steps` samples of so many seconds, of a case 1.
  static CaseResult took(double step_s, int steps) {
    CaseResult result;
    result.work.amounts = {amounts::model_flop(1e9)};
    result.summaries = {
        {.metric = "step", .unit = "ns", .kind = Quantity::time, .value = step_s * 1e9, .n = 10}};
    for (int i = 0; i < steps; ++i)
      result.samples.push_back({.host_ns = static_cast<std::int64_t>(step_s * 1e9), .steps = 1});
    return result;
  }

  registry::WorkloadSpec spec;
  Sweep sweep;
};

TEST_F(Estimated, StepsLastInProportionToTheirWorkOnceOneCaseIsMeasured) {
  add(1), add(1), add(4);
  SweepEstimate estimate(sweep);
  estimate.take_in(0, took(0.1, 15), 1.5 + 2.0);  // 0.1 s a step, 2 s of set-up and check
  // 15 steps, as many again of 0.4 s, and set-up that grows with the root.
  EXPECT_NEAR(estimate.case_s(1), 1.5 + 2.0, 0.01);
  EXPECT_NEAR(estimate.case_s(2), 6.0 + 4.0, 0.01);
  EXPECT_NEAR(estimate.after_s(0), 13.5, 0.02);
}

TEST_F(Estimated, RanksThatStepAtTheSameTimeTakeThatTimeOnce) {
  add(1), add(1);
  SweepEstimate estimate(sweep);
  CaseResult two_ranks = took(0.1, 15);
  for (Sample sample : took(0.1, 15).samples) {
    sample.rank = 1;
    two_ranks.samples.push_back(sample);
  }
  estimate.take_in(0, two_ranks, 1.5 + 2.0);
  EXPECT_NEAR(estimate.case_s(1), 1.5 + 2.0, 0.01);
}

TEST_F(Estimated, CompilingIsAddedAndNotTakenForSetUp) {
  spec.compile_s = [](const Case& c) { return c.integer("n") == 1 ? 60.0 : 0.0; };
  add(1), add(1), add(4);
  SweepEstimate estimate(sweep);
  EXPECT_GT(estimate.case_s(0), 60);
  EXPECT_LT(estimate.case_s(2), 60);
  estimate.take_in(0, took(0.1, 15), 60 + 1.5 + 2.0);
  EXPECT_NEAR(estimate.case_s(1), 60 + 1.5 + 2.0, 0.01);
  EXPECT_NEAR(estimate.case_s(2), 6.0 + 4.0, 0.01);
}

TEST_F(Estimated, BudgetsBoundWhatWarmUpAndSamplesTake) {
  add(1, {.time_budget_s = 10}), add(100, {.time_budget_s = 10});
  SweepEstimate estimate(sweep);
  EXPECT_NEAR(estimate.at_most_s(), 10 + 11.25,
              0.01);  // few steps of the second alone take longer, as assumed
  estimate.take_in(0, took(0.1, 15), 1.5);
  // 10 s a step: the first one, no second warm-up step in a third of 10 s, and the three samples that there
  // are always.
  EXPECT_NEAR(estimate.case_s(1), 40, 0.1);
}

TEST_F(Estimated, ATimeoutBoundsACase) {
  add(1), add(1000, {.timeout_s = 30});
  SweepEstimate estimate(sweep);
  estimate.take_in(0, took(1, 15), 15);
  EXPECT_DOUBLE_EQ(estimate.case_s(1), 30);
  EXPECT_EQ(estimate.beyond_timeout(), 1u);
  EXPECT_EQ(beyond_timeout_text(1), "; 1 of them is likely to outlast --timeout");
  EXPECT_EQ(beyond_timeout_text(0), "");
}

TEST_F(Estimated, BeforeAnythingIsMeasuredItIsOfTheRightOrder) {
  add(80);  // a second on two cores
  const SweepEstimate estimate(sweep);
  EXPECT_GT(estimate.total_s(), 5);
  EXPECT_LT(estimate.total_s(), 60);
}

TEST_F(Estimated, WhatIsFinishedOrNotTriedTakesNoTime) {
  add(1), add(2), add(3);
  spec.supports = [](const Case& c, const std::string&, const machine::Machine&) -> registry::Support {
    return {c.integer("n") != 3, "no"};
  };
  sweep.repetitions = 2;
  sweep.finished = {{0, Status::ok}, {1, Status::ok}};
  SweepEstimate estimate(sweep);
  estimate.take_in(0, took(1, 10), 10);
  EXPECT_DOUBLE_EQ(estimate.case_s(2), 0);
  EXPECT_NEAR(estimate.total_s(), estimate.case_s(0) + estimate.case_s(1), 1e-9);
  EXPECT_NEAR(estimate.after_s(3), estimate.case_s(1), 1e-9);
}

TEST_F(Estimated, TheTimeLeftOfALongSweepFollowsItsFirstCasesAtOnce) {
  constexpr int kCases = 1000;
  for (int i = 0; i < kCases; ++i) add(1);
  SweepEstimate estimate(sweep);
  EXPECT_GT(estimate.total_s(), 1000);  // a second each before the first
  for (int place = 0; place < kCases; ++place) {
    const double expected_s = 0.25 * (kCases - place);  // 15 steps of 10 ms, and 0.1 s of set-up
    if (place > 0) {
      EXPECT_NEAR(estimate.after_s(place - 1), expected_s, 0.01 * expected_s + 1e-6) << place;
    }
    estimate.take_in(place, took(0.01, 15), 0.25);
  }
  EXPECT_NEAR(estimate.after_s(kCases - 1), 0, 1e-9);
}

TEST_F(Estimated, TheTimeLeftFollowsTheFirstCaseOfAnotherArithmetic) {
  spec.arithmetic = [](const Case& c) { return c.integer("n") == 1 ? "fp32" : "bf16"; };
  for (int i = 0; i < 100; ++i) add(1);
  for (int i = 0; i < 100; ++i) add(2);
  SweepEstimate estimate(sweep);
  for (int place = 0; place < 100; ++place) {
    estimate.take_in(place, took(0.01, 15), 0.25);
    estimate.after_s(place);
  }
  CaseResult slow = took(1, 15);
  slow.work.amounts = {amounts::model_flop(2e9)};
  estimate.take_in(100, slow, 15.1);
  EXPECT_GT(estimate.after_s(100), 99 * 15.0);
}

TEST_F(Estimated, AnotherArithmeticKeepsItsOwnSpeed) {
  spec.arithmetic = [](const Case& c) { return c.integer("n") == 2 ? "bf16" : "fp32"; };
  add(1), add(2), add(1);
  SweepEstimate estimate(sweep);
  const double bf16_s = estimate.case_s(1);
  estimate.take_in(0, took(10, 10), 100);
  EXPECT_GT(estimate.case_s(2), 60);
  EXPECT_LT(estimate.case_s(1), 10 * bf16_s + 20);
}

TEST_F(Estimated, AWorkloadThatKnowsItsStepNeedsNoWork) {
  spec.work = nullptr;
  spec.step_s = [](const Case& c) { return double(c.integer("n")); };
  add(2, {.warmup_steps = 3, .steps = 4});
  const SweepEstimate estimate(sweep);
  EXPECT_NEAR(estimate.total_s(), 2 * 7 + 5, 0.01);  // and the assumed second and two steps
}

}  // namespace
}  // namespace bench::scheduler
