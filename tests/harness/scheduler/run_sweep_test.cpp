#include "harness/scheduler/run_sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scripted_worker.hpp"
#include "tests/support/texts.hpp"

namespace bench::scheduler {
namespace {

using support::FakeClock;
using support::ScriptedSource;
using support::ScriptedWorker;

struct SilentProgress final : Progress {
  void begin_run(const RunExpectation&) override {}
  void begin_case(std::size_t, const std::string&, const CaseExpectation&) override {}
  void state(const CaseState&) override {}
  void end_case(const CaseResult&, double) override {}
  void note(const std::string&) override {}
};

struct RunSweep : testing::Test {
  RunSweep() {
    spec.name = "made-up";
    spec.supports = [](const Case& c, const std::string&, const machine::Machine&) -> registry::Support {
      return {c.integer("n") != 13, "13 brings bad luck"};
    };
    spec.work = [](const Case&) {
      return Work{.amounts = {amounts::tokens(100), amounts::model_flop(2e6)}, .formula = "as made up"};
    };
    sweep.spec = &spec;
    sweep.device = "cpu";
  }
  void add(std::int64_t n, Policy policy = {}) {
    sweep.cases.push_back({{.workload = "made-up", .values = {{"n", Value{n}}}}, policy});
  }
  SweepEnd run(std::vector<ScriptedWorker*> workers) {
    source = std::make_unique<ScriptedSource>(std::move(workers));
    WorkerPrograms programs({{"", source.get()}});
    return run_with(programs);
  }
  SweepEnd run_with(WorkerPrograms& programs) {
    return run_sweep(sweep, programs, clock, progress,
                     [&](CaseResult&& r) { results.push_back(std::move(r)); });
  }
  std::vector<Status> statuses() const {
    std::vector<Status> all;
    for (const CaseResult& result : results) all.push_back(result.status);
    return all;
  }

  registry::WorkloadSpec spec;
  Sweep sweep;
  FakeClock clock;
  SilentProgress progress;
  ScriptedWorker first{clock}, second{clock};
  std::unique_ptr<ScriptedSource> source;
  std::vector<CaseResult> results;
};

TEST_F(RunSweep, GoesOnAfterACrashWithAFreshWorker) {
  add(1), add(2), add(3);
  first.instead["warm-up"] = {ScriptedWorker::ended(Reply::Kind::crashed, "gone")};
  EXPECT_EQ(run({&first, &second}), SweepEnd::finished);
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::crashed, Status::ok, Status::ok}));
  EXPECT_EQ(source->discarded, 1u);
  EXPECT_EQ(second.prepared.size(), 2u);
}

TEST_F(RunSweep, AWorkerThatSaysItIsUnusableIsReplaced) {
  add(1), add(2), add(3);
  first.instead["sample"] = {ScriptedWorker::failed(Status::failed, "samples: an illegal address", true)};
  second.instead["memory"] = {ScriptedWorker::failed(Status::failed, "memory pass: as above", true)};
  ScriptedWorker third(clock);
  run({&first, &second, &third});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::failed, Status::ok, Status::ok}));
  EXPECT_EQ(results[0].reason.text, "samples: an illegal address");
  EXPECT_EQ(source->discarded, 2u);
  EXPECT_EQ(third.prepared.size(), 1u);
}

TEST_F(RunSweep, AnOrdinaryFailureKeepsTheWorker) {
  add(1), add(2);
  first.instead["sample"] = {ScriptedWorker::failed(Status::failed, "samples: shapes differ")};
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::failed, Status::ok}));
  EXPECT_EQ(source->discarded, 0u);
}

TEST_F(RunSweep, GraphsAreSkippedOnTheCpuAndAskedForElsewhere) {
  add(1, {.timing = Timing::graph});
  EXPECT_TRUE(programs_of(sweep).empty());
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::skipped}));
  EXPECT_EQ(results[0].reason.text, "CUDA graphs need a CUDA device");

  results.clear();
  sweep.device = "cuda:0";
  first.phase_names.clear();
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok}));
  EXPECT_EQ(first.prepared.at(0).timing, Timing::graph);
  EXPECT_EQ(results[0].steps_per_sample, 10);  // counted as back-to-back: 1 ms each
  EXPECT_TRUE(results[0].phase_names.empty());
}

TEST_F(RunSweep, SamplesThatFallShortAreKeptMarkedAndTakenAgain) {
  add(1);
  first.replaced = 3;
  first.step_ns = [](int step) { return step < 8 ? std::int64_t{9'000'000} : std::int64_t{1'000'000}; };
  run({&first});
  ASSERT_EQ(results[0].status, Status::ok);
  EXPECT_EQ(std::ranges::count(results[0].samples, SampleKind::replaced, &Sample::kind), 3);
  EXPECT_EQ(std::ranges::count(results[0].samples, SampleKind::measured, &Sample::kind), 10);
  EXPECT_EQ(results[0].summaries.at(0).n, 10);
  EXPECT_EQ(results[0].summaries.at(0).mean, 1'000'000);  // the slow ones were those replaced
  EXPECT_TRUE(std::ranges::any_of(results[0].warnings, [](const Remark& warning) {
    return warning.text.starts_with("in 3 samples the loss scaler skipped the optimizer");
  }));
}

TEST_F(RunSweep, ACaseThatReplacesMostOfItsSamplesFails) {
  add(1);
  first.replaced = 1'000'000;
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::failed}));
  EXPECT_TRUE(results[0].reason.text.starts_with("samples: the loss scaler skipped the optimizer in 1"))
      << results[0].reason.text;
}

TEST_F(RunSweep, OutOfMemoryIsTriedOnceMoreInAFreshWorkerBeforeItIsBelieved) {
  add(1), add(2);
  first.instead["prepare"] = {ScriptedWorker::failed(Status::out_of_memory, "fragmented")};
  run({&first, &second});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok, Status::ok}));

  results.clear();
  const auto refusal = ScriptedWorker::failed(Status::out_of_memory, "too large");
  ScriptedWorker third(clock);
  first.instead["prepare"] = {refusal};
  second.instead["prepare"] = {refusal};
  run({&first, &second, &third});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::out_of_memory, Status::ok}));
  EXPECT_EQ(results[0].reason.text, "too large");
  EXPECT_EQ(third.prepared.size(), 1u);
}

TEST_F(RunSweep, UnsupportedCasesAreSkippedWithTheirReasonAndNeedNoWorker) {
  add(13);
  EXPECT_TRUE(programs_of(sweep).empty());
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::skipped}));
  EXPECT_EQ(results[0].reason.text, "13 brings bad luck");
  EXPECT_TRUE(first.asked.empty());
}

TEST_F(RunSweep, AWrongResultKeepsTheWorker) {
  add(1), add(2);
  first.verification = {.passed = false, .reason = "wrong", .items = {}};
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::incorrect, Status::incorrect}));
  EXPECT_EQ(source->discarded, 0u);
}

TEST_F(RunSweep, CasesWithLittleWarmUpGetAFreshWorkerEach) {
  add(1), add(2, {.warmup_steps = 0}), add(3, {.warmup_steps = 2}), add(4);
  run({&first});
  EXPECT_EQ(source->discarded, 2u);
}

TEST_F(RunSweep, AnInterruptEndsItWithTheFinishedCasesOnly) {
  add(1), add(2), add(3);
  first.instead["verify"] = {
      {.kind = Reply::Kind::answered, .event = protocol::Done{.check = Check{}}, .reason = {}},
      ScriptedWorker::ended(Reply::Kind::interrupted, "")};
  EXPECT_EQ(run({&first}), SweepEnd::interrupted);
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok}));
}

// Cases of the program "peer" have n of 100 and more; those of one hundred share a reference.
struct RunSweepWithAPeer : RunSweep {
  RunSweepWithAPeer() {
    spec.program = [](const Case& c) { return std::string(c.integer("n") < 100 ? "" : "peer"); };
    spec.reference_case = [](const Case& c) {
      Case reference = c;
      reference.set("n", c.integer("n") / 100);
      return reference;
    };
    sweep.check_path = "check";
    peer.compile_ns = 7'000'000'000;
  }
  SweepEnd run_both() {
    source = std::make_unique<ScriptedSource>(std::vector<ScriptedWorker*>{&first});
    peers = std::make_unique<ScriptedSource>(std::vector<ScriptedWorker*>{&peer});
    WorkerPrograms programs({{"", source.get()}, {"peer", peers.get()}});
    return run_with(programs);
  }
  ScriptedWorker peer{clock};
  std::unique_ptr<ScriptedSource> peers;
};

TEST_F(RunSweepWithAPeer, TheNativeWorkerWritesTheCheckAndEndsBeforeThePeerRuns) {
  add(100);
  EXPECT_EQ(programs_of(sweep), (std::set<std::string>{"", "peer"}));
  run_both();
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok}));
  EXPECT_EQ(first.asked, (std::vector<std::string>{"write_check"}));
  EXPECT_EQ(first.checks_written.at(0).configuration.integer("n"), 1);
  EXPECT_EQ(first.checks_written.at(0).path, "check");
  EXPECT_EQ(source->discarded, 1u);
  EXPECT_EQ(peer.prepared.at(0).configuration.integer("n"), 100);
  EXPECT_EQ(peer.prepared.at(0).check_file, "check");
}

TEST_F(RunSweepWithAPeer, ThePeerIsToldTheCaseSpelledOutAndWhichClockLeads) {
  spec.headline = Headline::device_time;
  spec.spell_out = [](const Case& configuration) {
    Case spelled_out = configuration;
    spelled_out.set("half", configuration.integer("n") / 2);
    return spelled_out;
  };
  add(100);
  run_both();
  EXPECT_EQ(peer.prepared.at(0).configuration.integer("half"), 50);
  EXPECT_EQ(peer.prepared.at(0).headline, Headline::device_time);
  EXPECT_FALSE(results.at(0).configuration.has("half"));  // the result is the case's, as it was asked for
}

TEST_F(RunSweepWithAPeer, CasesOfOneReferenceShareTheFileAndTheWorker) {
  add(100), add(101), add(200), add(201, {.seed = 5});
  run_both();
  EXPECT_EQ(first.checks_written.size(), 3u);
  EXPECT_EQ(peer.prepared.size(), 4u);
  EXPECT_EQ(peers->discarded, 2u);
}

TEST_F(RunSweepWithAPeer, NativeCasesGetNoCheckFileAndNeverRunBesideAPeer) {
  add(1), add(100), add(2);
  run_both();
  EXPECT_EQ(statuses(), (std::vector<Status>(3, Status::ok)));
  EXPECT_EQ(first.prepared.size(), 2u);
  EXPECT_EQ(first.prepared.at(1).check_file, "");
  EXPECT_EQ(source->discarded, 1u);
  EXPECT_EQ(peers->discarded, 1u);
}

TEST_F(RunSweepWithAPeer, CompilationIsANumberOfItsOwn) {
  add(1), add(100);
  run_both();
  const auto compile_of = [&](const CaseResult& result) {
    for (const Summary& summary : result.summaries)
      if (summary.metric == "compile" && summary.unit == "ns") return summary.value;
    return -1.0;
  };
  EXPECT_EQ(compile_of(results.at(0)), -1.0);
  EXPECT_EQ(compile_of(results.at(1)), 7e9);
}

TEST_F(RunSweepWithAPeer, WithoutItsCheckAPeerGetsNoTime) {
  add(100), add(101);
  first.instead["write_check"] = {ScriptedWorker::failed(Status::out_of_memory, "check: too large"),
                                  ScriptedWorker::failed(Status::out_of_memory, "check: too large"),
                                  ScriptedWorker::ended(Reply::Kind::crashed, "gone")};
  run_both();
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::out_of_memory, Status::crashed}));
  EXPECT_EQ(results[0].reason.text, "the native worker's part: check: too large");
  EXPECT_TRUE(peer.asked.empty());
}

TEST_F(RunSweepWithAPeer, APeerThatIsNotHereIsASkippedRowWithTheRemedy) {
  add(1), add(100);
  sweep.unavailable["peer"] = "no peer: scripts/setup --peers";
  EXPECT_EQ(programs_of(sweep), (std::set<std::string>{""}));
  run_both();
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok, Status::skipped}));
  EXPECT_EQ(results[1].reason.text, "no peer: scripts/setup --peers");
  EXPECT_TRUE(first.checks_written.empty());
}

TEST_F(RunSweep, ACaseThatCannotFitIsNotTriedAndSaysWhatWould) {
  spec.parameters = {{.name = "n", .kind = ParameterKind::integer, .minimum = 1, .has_max = true}};
  spec.memory = [](const Case& c, const std::string&) {
    return registry::MemoryPrediction{{{"activations", c.integer("n") << 20}}};
  };
  sweep.room = {.device = "cpu", .bytes = 20 << 20};
  add(4), add(100);
  run({&first});
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::ok, Status::out_of_memory}));
  EXPECT_EQ(results[1].reason.text,
            "predicted 100 MiB (activations 100 MiB), and 20.0 MiB can be had; --n 16 would fit");
  EXPECT_EQ(first.prepared.size(), 1u);
}

// Rows of n, of which the last is `max`, whose formula allows `largest`.
struct RunSweepWithMax : RunSweep {
  void plan(const std::vector<std::int64_t>& named, std::int64_t largest) {
    spec.parameters = {{.name = "n", .kind = ParameterKind::integer, .minimum = 1, .has_max = true}};
    for (const std::int64_t n : named) add(n);
    add(largest);
    registry::PlannedCase& last = sweep.cases.back();
    last.maximum = {.parameter = "n", .asked = last.configuration, .named = {"n"}};
  }
  // So many tries of a case are too large; each case is tried twice.
  void refuse(ScriptedWorker& worker, std::size_t tries) {
    worker.instead["prepare"].assign(tries, ScriptedWorker::failed(Status::out_of_memory, "too large"));
  }
  // "n:4 ok" and the like
  std::vector<std::string> rows() const {
    std::vector<std::string> all;
    for (const CaseResult& result : results)
      all.push_back(fmt::format("n:{} {}", result.configuration.integer("n"), to_text(result.status)));
    return all;
  }
};

using Texts = std::vector<std::string>;

TEST_F(RunSweepWithMax, IsHalvedUntilItFitsAndTheNoteSaysSo) {
  plan({}, 16);
  refuse(first, 4);  // 16 and 8
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:4 ok"}));
  EXPECT_EQ(support::texts(results[0].notes),
            (Texts{"n max: 4; the formula did not rule 16 out, which then did not fit"}));
}

TEST_F(RunSweepWithMax, ThatIsARowOfItsOwnIsNotMeasuredTwiceAndThatRowSaysSo) {
  plan({4, 16}, 16);
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:4 ok", "n:16 ok"}));
  EXPECT_TRUE(results[0].notes.empty());
  EXPECT_EQ(support::texts(results[1].notes),
            (Texts{"n max: 16 is the largest power of two that the memory formula does not rule out"}));
}

TEST_F(RunSweepWithMax, GoesOnBelowARowOfItsOwnThatRanOutOfMemory) {
  plan({16}, 16);
  refuse(first, 4);  // 16, as a row of its own, and 8
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:16 out_of_memory", "n:4 ok"}));
  EXPECT_EQ(support::texts(results[1].notes),
            (Texts{"n max: 4; the formula did not rule 16 out, which then did not fit"}));
}

TEST_F(RunSweepWithMax, ComesNoFurtherDownThanToARowOfItsOwnThatFits) {
  plan({8}, 32);
  sweep.finished.emplace(0, Status::ok);
  refuse(first, 4);  // 32 and 16
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:16 out_of_memory"}));
}

TEST_F(RunSweepWithMax, AllOfWhoseCasesAreRowsThatRanOutOfMemoryHasNoneItself) {
  plan({1, 2}, 2);
  refuse(first, 4);
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:1 out_of_memory", "n:2 out_of_memory"}));
}

TEST_F(RunSweepWithMax, IsInLaterRepetitionsWhatItCameToInTheFirst) {
  plan({}, 16);
  sweep.repetitions = 2;
  refuse(first, 2);
  run({&first});
  EXPECT_EQ(rows(), (Texts{"n:8 ok", "n:8 ok"}));
  EXPECT_EQ(support::texts(results[1].notes), (Texts{"n max: 8, as in the repetition before"}));
}

TEST_F(RunSweep, RepetitionsRunInFreshProcessesAndAreNumbered) {
  add(1), add(2);
  sweep.repetitions = 2;
  run({&first, &second});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(source->discarded, 1u);
  EXPECT_EQ(results[1].repetition, 0);
  EXPECT_EQ(results[2].repetition, 1);
  EXPECT_EQ(results[2].configuration, results[0].configuration);
}

TEST_F(RunSweep, WhatIsFinishedIsNotRunAgain) {
  add(1), add(2), add(3);
  sweep.repetitions = 2;
  for (const std::size_t place : {0, 2, 4}) sweep.finished.emplace(place, Status::ok);
  run({&first});
  std::vector<std::string> ran;
  for (const CaseResult& result : results) ran.push_back(case_key(result.configuration, result.repetition));
  EXPECT_EQ(ran, (std::vector<std::string>{"made-up/n:2 0", "made-up/n:1 1", "made-up/n:3 1"}));
}

// What was expected of the rest after each case, and when.
struct Foretelling final : Progress {
  explicit Foretelling(Clock& the_clock) : clock(the_clock) {}
  void begin_run(const RunExpectation&) override {}
  void begin_case(std::size_t, const std::string&, const CaseExpectation&) override {}
  void state(const CaseState&) override {}
  void end_case(const CaseResult&, double after_s) override { told.emplace_back(clock.now_ns(), after_s); }
  void note(const std::string&) override {}
  Clock& clock;
  std::vector<std::pair<std::int64_t, double>> told;
};

TEST_F(RunSweep, TheTimeLeftAfterTheFirstCaseIsRightWithinAThird) {
  // Three sizes in three modes, at speeds that differ by a fifth, within a budget that cuts the largest.
  spec.work = [](const Case& c) {
    return Work{.amounts = {amounts::model_flop(1e9 * double(c.integer("n")))}};
  };
  for (const std::int64_t size : {100, 350, 800})
    for (const std::int64_t mode : {1, 3, 3}) add(size * mode, {.time_budget_s = 60});
  first.step_ns = [&](int) {
    const std::int64_t n = first.prepared.back().configuration.integer("n");
    return n * 10'000'000 * (90 + n * 7 % 20) / 100;  // 1 to 24 s
  };
  Foretelling foretelling(clock);
  ScriptedSource workers({&first});
  WorkerPrograms programs({{"", &workers}});
  ASSERT_EQ(run_sweep(sweep, programs, clock, foretelling, [](CaseResult&&) {}), SweepEnd::finished);
  const double really_s = seconds_between(foretelling.told.front().first, clock.now_ns());
  EXPECT_NEAR(foretelling.told.front().second / really_s, 1, 1.0 / 3);
  EXPECT_EQ(foretelling.told.back().second, 0);
}

TEST_F(RunSweep, RatesComeFromTheMedianStep) {
  add(1);
  first.step_ns = [](int step) { return step == 7 ? 50'000'000 : 2'000'000; };
  run({&first});
  const auto value = [&](const std::string& metric) {
    for (const Summary& summary : results[0].summaries)
      if (summary.metric == metric) return summary.value;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value("step"), 2e6);
  EXPECT_DOUBLE_EQ(value("tokens_per_second"), 50'000);
  EXPECT_DOUBLE_EQ(value("model_flop_per_second"), 1e9);
  EXPECT_DOUBLE_EQ(value("peak_allocated"), 5000);
  EXPECT_EQ(results[0].work.formula, "as made up");
}

TEST_F(RunSweep, MfuIsTheShareOfTheDatasheetsPeakAndNamesItsSource) {
  add(1);
  spec.arithmetic = [](const Case&) { return "bf16"; };
  spec.work = [](const Case&) {
    return Work{.amounts = {amounts::model_flop(197.9e9)}, .formula = "as made up"};
  };
  sweep.gpu_name = "NVIDIA H200";
  run({&first});  // steps of 1 ms: 197.9 TFLOP/s
  const auto mfu = std::ranges::find(results[0].summaries, "mfu", &Summary::metric);
  ASSERT_NE(mfu, results[0].summaries.end());
  EXPECT_DOUBLE_EQ(mfu->value, 20);
  EXPECT_EQ(mfu->unit, "%");
  ASSERT_EQ(results[0].notes.size(), 1u);
  EXPECT_EQ(results[0].notes[0].text.substr(0, 80),
            "MFU: model FLOP/s over 989.5 TFLOP/s, the dense bf16 peak of NVIDIA H200; source");
}

TEST_F(RunSweep, FasterThanLightIsIncorrectAndGetsNoTime) {
  add(1);
  spec.arithmetic = [](const Case&) { return "fp32"; };
  spec.work = [](const Case&) {
    return Work{.amounts = {amounts::model_flop(68e9)}, .formula = "as made up"};
  };
  sweep.gpu_name = "NVIDIA H200";
  run({&first});  // 68 TFLOP/s of 67
  EXPECT_EQ(statuses(), (std::vector<Status>{Status::incorrect}));
  EXPECT_NE(results[0].reason.text.find("FLOP formula or timer wrong"), std::string::npos)
      << results[0].reason.text;
  EXPECT_TRUE(results[0].samples.empty());
  for (const Summary& summary : results[0].summaries) EXPECT_EQ(summary.metric, "peak_allocated");
}

TEST_F(RunSweep, AnUnknownGpuSaysSoAndTheCpuSaysNothing) {
  add(1);
  spec.arithmetic = [](const Case&) { return "bf16"; };
  sweep.gpu_name = "NVIDIA L4";
  run({&first});
  EXPECT_EQ(support::texts(results[0].notes),
            (std::vector<std::string>{"no MFU: the peak of NVIDIA L4 is unknown here"}));
  sweep.gpu_name.clear();
  run({&first});
  EXPECT_TRUE(results[1].notes.empty());
  for (const Summary& summary : results[1].summaries) EXPECT_NE(summary.metric, "mfu");
}

}  // namespace
}  // namespace bench::scheduler
