#include "harness/worker/session.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace bench::worker {
namespace {

// A device whose clock ticks once a mark, and that counts what was asked of it.
struct FakeDevice final : Device {
  std::string name() const override { return "fake"; }
  void synchronize() override { happened += "sync "; }
  int mark() override { return marks++; }
  std::int64_t between_ns(int first, int second) override { return second - first; }
  void forget_marks() override {}
  std::int64_t allocated_bytes() override { return 64; }
  void reset_peak() override {}
  MemoryReport memory_since_reset() override {
    MemoryReport report{.before_bytes = 1, .peak_allocated_bytes = 2};
    if (!peaks.empty()) {
      report.peak_allocated_bytes = peaks.front();
      peaks.erase(peaks.begin());
    }
    return report;
  }
  void empty_cache() override { ++emptied; }
  void evict_caches() override { ++evicted; }
  bool has_own_clock() const override { return own_clock; }
  bool has_passed(int) override { return passes; }
  std::string broken() override { return why_broken; }
  std::map<std::string, double> counters() override { return {{"device_mallocs", mallocs}}; }
  // Replays by doing the work again.
  std::unique_ptr<CapturedStep> capture(const std::function<void()>& work) override {
    struct Again final : CapturedStep {
      explicit Again(std::function<void()> what) : work(std::move(what)) {}
      void replay() override { work(); }
      std::function<void()> work;
    };
    if (!refusal.empty()) throw std::runtime_error(refusal);
    work();
    return std::make_unique<Again>(work);
  }
  bool own_clock = false, passes = false;
  std::string why_broken, refusal;
  int marks = 0, emptied = 0, evicted = 0;
  double mallocs = 0;
  std::string happened;
  std::vector<std::int64_t> peaks;  // of successive memory_since_reset
};

struct Script {
  bool right = true, drifts = true, speechless = false, fell_short = false;
  bool fails_in_check = false, fails_in_timed_state = false;
  int fail_at_step = -1;
  int steps = 0, alive = 0, prepared = 0;
  int emptied_before_timed = 0;
};
Script script;
FakeDevice* device_of_script = nullptr;

struct FakeWorkload final : Workload {
  explicit FakeWorkload(const Setup& setup)
      : step_name(setup.configuration.has("step") ? setup.configuration.text("step") : "step") {
    ++script.alive;
  }
  ~FakeWorkload() override { --script.alive; }
  std::vector<std::string> phase_names() const override { return {"forward", "backward"}; }
  Check check() override {
    if (script.fails_in_check) throw std::runtime_error("boom");
    return {.passed = script.right, .reason = script.right ? "" : "off by one", .items = {}};
  }
  void prepare_timed() override {
    if (script.fails_in_timed_state) throw std::runtime_error("boom");
    ++script.prepared;
    script.emptied_before_timed = device_of_script->emptied;
  }
  void step(Phases& phases) override {
    if (script.steps++ == script.fail_at_step) throw std::runtime_error("boom");
    device_of_script->happened += step_name + " ";
    ++device_of_script->mallocs;
    phases.begin(0);
    phases.begin(1);
    phases.end();
  }
  bool sample_fell_short() override { return std::exchange(script.fell_short, false); }
  Check verify() override {
    return {.passed = !script.drifts, .reason = script.drifts ? "drifted" : "", .items = {}};
  }
  std::vector<std::string> notes() override {
    if (script.speechless) throw std::runtime_error("no name for it");
    return {"ran it"};
  }
  std::string step_name;
};

const WorkloadRegistration registration("made-up", [](const Setup& setup) -> std::unique_ptr<Workload> {
  return std::make_unique<FakeWorkload>(setup);
});

struct Sessions : testing::Test {
  void SetUp() override {
    script = {};
    device_of_script = &device;
  }
  // The events of one command.
  std::vector<protocol::Event> ask(const protocol::Command& command) {
    events.clear();
    session.handle(command);
    return events;
  }
  template <class T>
  static const T& last(const std::vector<protocol::Event>& events) {
    return std::get<T>(events.back());
  }
  protocol::Prepare prepare(int slot = 0) {
    return {.slot = slot, .configuration = {.workload = "made-up", .values = {}}};
  }

  FakeDevice device;
  std::vector<protocol::Event> events;
  Session session{device, [this](const protocol::Event& event) { events.push_back(event); }};
};

TEST_F(Sessions, PreparedTellsCheckPhasesAndMemory) {
  const auto events_of_prepare = ask(prepare());
  const auto& prepared = last<protocol::Prepared>(events_of_prepare);
  EXPECT_TRUE(prepared.check.passed);
  EXPECT_EQ(prepared.phase_names, (std::vector<std::string>{"forward", "backward"}));
  EXPECT_EQ(prepared.allocated_bytes, 64);
}

TEST_F(Sessions, AWrongCaseIsNeverBuiltForTiming) {
  script.right = false;
  EXPECT_FALSE(last<protocol::Prepared>(ask(prepare())).check.passed);
  EXPECT_EQ(script.prepared, 0);
}

TEST_F(Sessions, SamplesHoldTheStepsAskedForAndNothingSynchronisesInsideThem) {
  ask(prepare());
  const auto answers = ask(protocol::Measure{.samples = 3, .steps_per_sample = 4});
  const auto& samples = std::get<protocol::Samples>(answers.front()).samples;
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].steps, 4);
  EXPECT_EQ(samples[0].kind, SampleKind::measured);
  EXPECT_EQ(samples[0].phase_ns.size(), 2u);
  EXPECT_EQ(script.steps, 12);
  const std::string sample = "sync step step step step sync ";
  EXPECT_EQ(device.happened, sample + sample + sample);
  EXPECT_TRUE(last<protocol::Done>(answers).counters.contains("minor_faults"));
}

TEST_F(Sessions, CountersAreTheGrowthOfABatch) {
  device.mallocs = 100;
  ask(prepare());
  ask(protocol::Measure{.samples = 2});
  const auto counters = last<protocol::Done>(ask(protocol::Measure{.samples = 3})).counters;
  EXPECT_EQ(counters.at("device_mallocs"), 3);
  EXPECT_FALSE(counters.contains("launch_cpu_ns"));  // this host computes
}

TEST_F(Sessions, OfADeviceWithItsOwnClockTheHostsLaunchingIsWatched) {
  device.own_clock = true;
  ask(prepare());
  const auto answers = ask(protocol::Measure{.samples = 3});
  const double launching_ns = last<protocol::Done>(answers).counters.at("launch_cpu_ns");
  double host_ns = 0;
  for (const Sample& sample : std::get<protocol::Samples>(answers.front()).samples)
    host_ns += static_cast<double>(sample.host_ns);
  EXPECT_GT(launching_ns, 0);
  EXPECT_LT(launching_ns, 2 * host_ns + 1e6);  // one thread, and two clocks

  protocol::Prepare held_back = prepare();  // there the host waits behind a delay
  held_back.headline = Headline::device_time;
  ask(held_back);
  EXPECT_FALSE(last<protocol::Done>(ask(protocol::Measure{})).counters.contains("launch_cpu_ns"));
}

TEST_F(Sessions, TheMemoryPassTellsThePeakOfEachPhaseAndOfTheStep) {
  ask(prepare());
  device.peaks = {10, 30, 5, 20, 0};  // before, in forward, between, in backward, after
  const auto answers = ask(protocol::Observe{});
  const MemoryReport& memory = *last<protocol::Done>(answers).memory;
  EXPECT_EQ(memory.peak_allocated_bytes, 30);
  EXPECT_EQ(memory.before_bytes, 64);
  EXPECT_EQ(memory.phases, (std::vector<PhaseMemory>{{"forward", 64, 30}, {"backward", 64, 20}}));
}

TEST_F(Sessions, APassThatTheWorkerDoesNotHaveFailsByName) {
  ask(prepare());
  const auto answers = ask(protocol::Observe{.pass = protocol::Pass::trace});
  EXPECT_EQ(last<protocol::Failed>(answers).status, Status::failed);
  EXPECT_EQ(last<protocol::Failed>(answers).reason, "trace pass: this worker has no pass \"trace\"");
}

TEST_F(Sessions, PhaseTimesAddUpOverTheStepsOfASample) {
  ask(prepare());
  const auto answers = ask(protocol::Measure{.samples = 1, .steps_per_sample = 3});
  const auto& sample = std::get<protocol::Samples>(answers.front()).samples[0];
  EXPECT_EQ(sample.phase_ns[0], sample.phase_ns[1]);
  EXPECT_EQ(sample.phase_ns[0] % 3, 0);
  EXPECT_GT(sample.phase_ns[0], 0);
}

TEST_F(Sessions, AColdCacheIsEvictedBeforeEverySample) {
  protocol::Prepare cold = prepare();
  cold.cache = CacheState::cold;
  ask(cold);
  ask(protocol::Measure{.samples = 3, .steps_per_sample = 5});
  EXPECT_EQ(device.evicted, 3);
}

TEST_F(Sessions, AFailingStepEndsTheCaseAndFreesIt) {
  ask(prepare());
  script.fail_at_step = 1;
  const auto answers = ask(protocol::Measure{.samples = 5});
  EXPECT_EQ(last<protocol::Failed>(answers).reason, "samples: boom");
  EXPECT_EQ(script.alive, 0);
  ask(prepare());
  EXPECT_EQ(script.alive, 1);
}

TEST_F(Sessions, VerificationTravelsAsItIs) {
  ask(prepare());
  const auto answers = ask(protocol::Verify{});
  EXPECT_EQ(last<protocol::Done>(answers).check->reason, "drifted");
}

TEST_F(Sessions, NotesOnWhatRanFollowAVerificationThatPassed) {
  ask(prepare());
  EXPECT_TRUE(last<protocol::Done>(ask(protocol::Verify{})).notes.empty());
  script.drifts = false;
  EXPECT_EQ(last<protocol::Done>(ask(protocol::Verify{})).notes, std::vector<std::string>{"ran it"});
  script.speechless = true;  // which costs nothing that was measured
  const auto answers = ask(protocol::Verify{});
  EXPECT_TRUE(last<protocol::Done>(answers).check->passed);
  EXPECT_EQ(last<protocol::Done>(answers).notes,
            std::vector<std::string>{"notes on what ran: no name for it"});
}

TEST_F(Sessions, ADeviceThatBeganBeforeAllWasLaunchedIsSaidToHaveWaited) {
  device.own_clock = true;
  protocol::Prepare of_operator = prepare();
  of_operator.headline = Headline::device_time;
  const auto notes = [&](bool warm_up_passes, bool passes) {
    script.drifts = false;
    ask(of_operator);
    device.passes = warm_up_passes;
    ask(protocol::Measure{.kind = SampleKind::warm_up, .samples = 5});
    device.passes = passes;
    ask(protocol::Measure{.samples = 2});
    return last<protocol::Done>(ask(protocol::Verify{})).notes;
  };
  EXPECT_EQ(notes(true, false), std::vector<std::string>{"ran it"});  // the first never has a delay
  ASSERT_EQ(notes(false, true).size(), 2u);
  EXPECT_NE(notes(false, true)[1].find("the device may have waited"), std::string::npos);
}

TEST_F(Sessions, TheMemoryPassBeginsWithoutWhatTheVerificationLeft) {
  ask(prepare());
  ask(protocol::Measure{});
  ask(protocol::Verify{});
  const int before = device.emptied;
  ask(protocol::Observe{});
  EXPECT_EQ(device.emptied, before + 1);
}

TEST_F(Sessions, SlotsAreApartAndReleasedOneByOne) {
  ask(prepare(0));
  ask(prepare(1));
  EXPECT_EQ(script.alive, 2);
  EXPECT_EQ(last<protocol::Done>(ask(protocol::Release{.slot = 0})).slot, 0);
  EXPECT_EQ(script.alive, 1);
  const auto answers = ask(protocol::Measure{.slot = 1, .samples = 1});
  EXPECT_EQ(std::get<protocol::Samples>(answers.front()).slot, 1);
}

TEST_F(Sessions, TwoSlotsAreMeasuredByTurns) {
  const auto prepare_with = [&](int slot, const char* step) {
    protocol::Prepare command = prepare(slot);
    command.configuration.set("step", std::string(step));
    return last<protocol::Prepared>(ask(command)).slot;
  };
  EXPECT_EQ(prepare_with(0, "a"), 0);
  EXPECT_EQ(prepare_with(1, "b"), 1);
  for (int round = 0; round < 2; ++round)
    for (const int slot : {0, 1}) {
      const auto answers = ask(protocol::Measure{.slot = slot, .samples = 1, .steps_per_sample = 2});
      const auto& batch = std::get<protocol::Samples>(answers.front());
      EXPECT_EQ(batch.slot, slot);
      EXPECT_EQ(batch.samples.at(0).phase_ns, (std::vector<std::int64_t>{2, 2}));  // of its own two steps
      EXPECT_EQ(last<protocol::Done>(answers).counters.at("device_mallocs"), 2);
    }
  EXPECT_EQ(device.happened, "sync a a sync sync b b sync sync a a sync sync b b sync ");
  ask(protocol::Release{.slot = 0});
  EXPECT_EQ(last<protocol::Done>(ask(protocol::Verify{.slot = 1})).slot, 1);
}

TEST_F(Sessions, AFailureNamesThePhaseThatItHappenedIn) {
  script.fails_in_check = true;
  EXPECT_EQ(last<protocol::Failed>(ask(prepare())).reason, "check: boom");
  script.fails_in_check = false;
  script.fails_in_timed_state = true;
  EXPECT_EQ(last<protocol::Failed>(ask(prepare())).reason, "set-up of the timed state: boom");
  EXPECT_EQ(events.size(), 1u);
  EXPECT_EQ(script.alive, 0);
}

TEST_F(Sessions, PreparingASlotAgainReplacesItsCase) {
  ask(prepare());
  ask(prepare());
  EXPECT_EQ(script.alive, 1);
}

TEST_F(Sessions, UnknownSlotsAndWorkloadsFailInWords) {
  EXPECT_NE(
      last<protocol::Failed>(ask(protocol::Measure{.slot = 7})).reason.find("slot 7 holds no prepared case"),
      std::string::npos);
  protocol::Prepare other = prepare();
  other.configuration.workload = "no-such";
  EXPECT_NE(last<protocol::Failed>(ask(other)).reason.find("built without workload no-such"),
            std::string::npos);
}

TEST_F(Sessions, ADeviceWithItsOwnClockTimesTheWholeSample) {
  ask(prepare());
  EXPECT_FALSE(std::get<protocol::Samples>(ask(protocol::Measure{}).front()).samples[0].device_ns);
  device.own_clock = true;
  const auto answers = ask(protocol::Measure{.samples = 1, .steps_per_sample = 2});
  const auto& sample = std::get<protocol::Samples>(answers.front()).samples[0];
  EXPECT_EQ(sample.device_ns, 2 * 4 + 1);  // ticks between its two marks: four marks of phases a step
}

TEST_F(Sessions, AGraphIsCapturedAfterAFewStepsAndHasNoPhases) {
  protocol::Prepare graph = prepare();
  graph.timing = Timing::graph;
  const auto prepared = ask(graph);
  EXPECT_TRUE(last<protocol::Prepared>(prepared).phase_names.empty());
  EXPECT_EQ(script.steps, 4);  // three before, one captured
  device.happened.clear();
  const auto answers = ask(protocol::Measure{.samples = 1, .steps_per_sample = 6});
  const auto& sample = std::get<protocol::Samples>(answers.front()).samples[0];
  EXPECT_EQ(script.steps, 10);
  EXPECT_EQ(sample.steps, 6);
  EXPECT_TRUE(sample.phase_ns.empty());
  EXPECT_EQ(device.happened, "sync step step step step step step sync ");
}

TEST_F(Sessions, ACaptureThatFailsIsTheCasesFailureAndNothingElse) {
  protocol::Prepare graph = prepare();
  graph.timing = Timing::graph;
  device.refusal = "operation not permitted when stream is capturing";
  const auto answers = ask(graph);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(last<protocol::Failed>(answers).reason,
            "capture of the CUDA graph: operation not permitted when stream is capturing");
  EXPECT_EQ(script.alive, 0);
}

TEST_F(Sessions, ABrokenDeviceMakesTheWorkerUnusableAndIsNotAskedToFreeAnything) {
  ask(prepare());
  script.fail_at_step = 0;
  device.why_broken = "the CUDA context is lost";
  const int emptied = device.emptied;
  const auto failed = last<protocol::Failed>(ask(protocol::Measure{}));
  EXPECT_TRUE(failed.worker_unusable);
  EXPECT_EQ(failed.reason, "samples: boom (the CUDA context is lost)");
  EXPECT_EQ(device.emptied, emptied);
  EXPECT_EQ(script.alive, 1);  // leaked on purpose
}

TEST_F(Sessions, MemoryOfTheCheckIsGivenBackBeforeTheTimedStateIsMade) {
  protocol::Prepare unchecked = prepare();
  unchecked.check = false;
  ask(unchecked);
  const int of_release = script.emptied_before_timed;
  device.emptied = 0;
  ask(prepare());
  EXPECT_EQ(script.emptied_before_timed, of_release + 1);
}

TEST_F(Sessions, AMeasuredSampleThatFellShortIsMarked) {
  const auto kinds = [&](SampleKind kind) {
    script.fell_short = true;  // the first of the two
    std::vector<SampleKind> result;
    const auto answers = ask(protocol::Measure{.kind = kind, .samples = 2});
    for (const Sample& sample : std::get<protocol::Samples>(answers.front()).samples)
      result.push_back(sample.kind);
    return result;
  };
  ask(prepare());
  EXPECT_EQ(kinds(SampleKind::warm_up), (std::vector{SampleKind::warm_up, SampleKind::warm_up}));
  EXPECT_EQ(kinds(SampleKind::measured), (std::vector{SampleKind::replaced, SampleKind::measured}));
}

TEST_F(Sessions, QuitIsTheOnlyCommandThatEndsTheSession) {
  EXPECT_TRUE(session.handle(protocol::Release{}));
  EXPECT_FALSE(session.handle(protocol::Quit{}));
}

}  // namespace
}  // namespace bench::worker
