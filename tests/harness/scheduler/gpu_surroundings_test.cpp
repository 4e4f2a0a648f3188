#include "harness/scheduler/gpu_surroundings.hpp"

#include <gtest/gtest.h>

#include "harness/scheduler/run_case.hpp"
#include "tests/harness/machine/fake_nvml.hpp"
#include "tests/support/scripted_worker.hpp"

namespace bench::scheduler {
namespace {

using machine::FakeNvml;

// One case on a scripted worker while a made-up GPU does something.
struct OnAMadeUpGpu : testing::Test {
  CaseResult run() {
    const machine::Nvml nvml(fake.functions, nullptr);
    GpuSurroundings surroundings(nvml, 0);
    const registry::PlannedCase planned{.configuration = {.workload = "made-up", .values = {}},
                                        .policy = {.warmup_steps = 3, .steps = 4}};
    worker.step_ns = [this](int step) {
      during(step);
      return std::int64_t{1'000'000'000};  // one sample a chunk
    };
    return run_case(worker, planned, {.surroundings = &surroundings}, clock, [](const CaseState&) {}).result;
  }
  std::function<void(int)> during = [](int) {};
  FakeNvml fake;
  support::FakeClock clock;
  support::ScriptedWorker worker{clock};
};

TEST_F(OnAMadeUpGpu, EnergyIsThatOfTheSamplesAlone) {
  during = [this](int) { fake.devices[0].energy_mj += 500'000; };  // 500 J a step, warm-up too
  const CaseResult result = run();
  EXPECT_EQ(result.counters.at("gpu_energy_j"), 2000);
  EXPECT_EQ(result.counters.at("minor_faults"), 4);  // the worker's own stay
  EXPECT_TRUE(result.warnings.empty());
}

TEST_F(OnAMadeUpGpu, ASlowdownThatIsOverByTheLastSampleIsSeenBetweenThem) {
  during = [this](int step) {
    fake.devices[0].reasons = step == 4 ? machine::nvml::kReasonHardwareThermal : 0;
  };
  const CaseResult result = run();
  EXPECT_EQ(result.status, Status::ok);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].text.find("thermal slowdown (hardware)"), std::string::npos);
}

TEST_F(OnAMadeUpGpu, ASlowdownInWarmUpIsNoneOfTheSamples) {
  during = [this](int step) {
    fake.devices[0].reasons = step < 3 ? machine::nvml::kReasonHardwareThermal : 0;
  };
  EXPECT_TRUE(run().warnings.empty());
}

TEST_F(OnAMadeUpGpu, APowerCapIsANote) {
  during = [this](int) { fake.devices[0].power_ns += 1'000'000; };
  const CaseResult result = run();
  EXPECT_TRUE(result.warnings.empty());
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.counters.at("gpu_power_violation_ns"), 4e6);
}

}  // namespace
}  // namespace bench::scheduler
