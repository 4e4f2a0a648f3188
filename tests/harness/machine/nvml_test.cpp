#include "harness/machine/nvml.hpp"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_nvml.hpp"

namespace bench::machine {
namespace {

struct NvmlOfAFake : testing::Test {
  NvmlOfAFake() { unsetenv("CUDA_VISIBLE_DEVICES"); }
  Gpu only_gpu() {
    return Nvml(fake.functions, [this] { return own; }).gpus().at(0);
  }
  GpuSnapshot snapshot() {
    return Nvml(fake.functions, [this] { return own; }).snapshot(0);
  }

  FakeNvml fake;
  FakeNvml::Device& device = fake.devices[0];
  std::set<std::int64_t> own{100, 101};  // bench and its worker
};

TEST_F(NvmlOfAFake, AGpuIsDescribed) {
  const Gpu expected{.index = 0,
                     .cuda_index = 0,
                     .name = "NVIDIA H200",
                     .uuid = "GPU-0a",
                     .pci_bus_id = "00000000:19:00.0",
                     .driver_version = "580.159.03",
                     .cuda_driver_version = "13.0",
                     .memory_total_bytes = 150'754'820'096,
                     .memory_free_bytes = 150'000'000'000,
                     .power_limit_w = 700,
                     .power_limit_default_w = 700,
                     .sm_clock_max_mhz = 1980,
                     .memory_clock_max_mhz = 3201,
                     .ecc = true,
                     .mig = false,
                     .persistence = true,
                     .compute_mode = "default",
                     .temperature_c = 31,
                     .other_processes = 0,
                     .other_processes_bytes = 0,
                     .slowdowns = {}};
  EXPECT_EQ(only_gpu(), expected);
  EXPECT_EQ(fake.initialised, 0);  // shut down as often as initialised
}

TEST_F(NvmlOfAFake, ALibraryWithoutOptionalFunctionsLeavesTheirFactsAbsent) {
  nvml::Functions few;
  few.init = fake.functions.init;
  few.device_count = fake.functions.device_count;
  few.device_by_index = fake.functions.device_by_index;
  const Nvml nvml(few, nullptr);
  Gpu expected;
  expected.cuda_index = 0;
  EXPECT_EQ(nvml.gpus(), std::vector{expected});
  EXPECT_EQ(nvml.snapshot(0), GpuSnapshot{});
}

TEST_F(NvmlOfAFake, WithoutALibraryOrADriverThereAreNoGpus) {
  const Nvml absent(nvml::Functions{}, nullptr);
  EXPECT_TRUE(absent.gpus().empty());
  EXPECT_EQ(absent.snapshot(0), GpuSnapshot{});
  fake.functions.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
  const Nvml unloaded(fake.functions, nullptr);
  EXPECT_TRUE(unloaded.gpus().empty());
  EXPECT_EQ(fake.initialised, 0);
}

TEST_F(NvmlOfAFake, FactsThatThisGpuRefusesAreAbsent) {
  fake.functions.ecc_mode = [](nvml::Device, unsigned*, unsigned*) { return 3; };  // not supported
  fake.functions.field_values = [](nvml::Device, int, nvml::FieldValue* field) {
    field->status = 3;
    return nvml::kSuccess;
  };
  EXPECT_FALSE(only_gpu().ecc);
  EXPECT_FALSE(snapshot().power_brake_ns);
}

TEST_F(NvmlOfAFake, OwnProcessesAreNoOthers) {
  device.compute = {{101, 5'000, 0, 0}, {7, 300, 0, 0}};
  device.graphics = {{7, 300, 0, 0}, {8, nvml::kNotAvailable, 0, 0}};  // 7 is listed under both
  EXPECT_EQ(only_gpu().other_processes, 2);
  EXPECT_EQ(only_gpu().other_processes_bytes, 300);
}

TEST_F(NvmlOfAFake, InAnotherProcessNamespaceAsManyAsWeHaveWorkersAreOurs) {
  device.compute = {{90'001, 5'000, 0, 0}};
  EXPECT_EQ(only_gpu().other_processes, 0);
  EXPECT_EQ(only_gpu().other_processes_bytes, 0);
  device.compute.push_back({90'002, 300, 0, 0});
  EXPECT_EQ(only_gpu().other_processes, 1);
  EXPECT_FALSE(only_gpu().other_processes_bytes);  // which of the two is ours is not known
  own = {100};                                     // no worker yet
  EXPECT_EQ(only_gpu().other_processes, 2);
}

TEST_F(NvmlOfAFake, ALongListOfProcessesIsReadWhole) {
  for (unsigned pid = 1000; pid < 1200; ++pid) device.compute.push_back({pid, 1, 0, 0});
  EXPECT_EQ(only_gpu().other_processes, 199);  // one is taken for our worker
}

TEST_F(NvmlOfAFake, ASnapshotHoldsWhatChanges) {
  device.reasons = nvml::kReasonSoftwarePowerCap;
  device.power_ns = 5;
  device.power_brake_ns = 7;
  const GpuSnapshot now = snapshot();
  EXPECT_EQ(now.sm_clock_mhz, 1980);
  EXPECT_EQ(now.energy_mj, 1000);
  EXPECT_EQ(now.clock_event_reasons, nvml::kReasonSoftwarePowerCap);
  EXPECT_EQ(now.power_cap_ns, 5);
  EXPECT_EQ(now.power_brake_ns, 7);
  EXPECT_EQ(Nvml(fake.functions, nullptr).snapshot(1), GpuSnapshot{});
}

TEST(InstalledNvml, IsOpenedOrAbsentAndNeverThrows) {
  EXPECT_NO_THROW(this_nvml().gpus());
}

// ---- difference ---------------------------------------------------------------------------------

TEST_F(NvmlOfAFake, QuietSamplesGiveCountersAndNoWarning) {
  const GpuSnapshot before = snapshot();
  device.energy_mj += 70'500;
  device.sm_mhz = 1755;
  device.celsius = 45;
  const GpuConditions seen = difference(before, snapshot(), 0);
  EXPECT_TRUE(seen.warnings.empty());
  EXPECT_TRUE(seen.notes.empty());
  EXPECT_EQ(seen.counters.at("gpu_energy_j"), 70.5);
  EXPECT_EQ(seen.counters.at("gpu_sm_clock_before_mhz"), 1980);
  EXPECT_EQ(seen.counters.at("gpu_sm_clock_after_mhz"), 1755);
  EXPECT_EQ(seen.counters.at("gpu_temperature_after_c"), 45);
  EXPECT_EQ(seen.counters.at("gpu_power_violation_ns"), 0);
}

TEST_F(NvmlOfAFake, EachSlowdownMarksTheCase) {
  const GpuSnapshot before = snapshot();
  const auto warning = [&](std::uint64_t between = 0) {
    const GpuConditions seen = difference(before, snapshot(), between);
    return seen.warnings.size() == 1 ? seen.warnings[0].text : "";
  };
  EXPECT_EQ(
      warning(nvml::kReasonHardwareThermal | nvml::kReasonHardwareSlowdown),
      "the GPU was held down during the samples: thermal slowdown (hardware); `nvidia-smi -q -d PERFORMANCE` "
      "says more");
  EXPECT_NE(warning(nvml::kReasonHardwareSlowdown).find("hardware slowdown"), std::string::npos);
  EXPECT_NE(warning(nvml::kReasonPowerBrake).find("power brake"), std::string::npos);
  device.software_thermal_ns = 2'000'000;
  EXPECT_NE(warning(nvml::kReasonSoftwareThermal).find("thermal slowdown (software) for 2"),
            std::string::npos);
  device.software_thermal_ns = 0;
  device.thermal_ns = 3'000'000;  // an older driver knows no more
  EXPECT_NE(warning().find("thermal slowdown for 3"), std::string::npos);
}

TEST_F(NvmlOfAFake, APowerCapIsANote) {
  const GpuSnapshot before = snapshot();
  EXPECT_EQ(difference(before, before, nvml::kReasonSoftwarePowerCap).notes.size(), 1u);
  device.power_ns = 1'500'000'000;
  const GpuConditions seen = difference(before, snapshot(), 0);
  EXPECT_TRUE(seen.warnings.empty());
  ASSERT_EQ(seen.notes.size(), 1u);
  EXPECT_NE(seen.notes[0].text.find("for 1.50 s"), std::string::npos) << seen.notes[0].text;
}

TEST_F(NvmlOfAFake, ASlowdownThatEndedBeforeTheSamplesIsNoWarning) {
  device.reasons = nvml::kReasonHardwareThermal;
  const GpuSnapshot before = snapshot();
  device.reasons = 0;
  EXPECT_TRUE(difference(before, snapshot(), 0).warnings.empty());
}

TEST_F(NvmlOfAFake, OtherProcessesAreAWarning) {
  const GpuSnapshot before = snapshot();
  device.compute = {{101, 1, 0, 0}, {7, 1, 0, 0}};
  const GpuConditions seen = difference(before, snapshot(), 0);
  ASSERT_EQ(seen.warnings.size(), 1u);
  EXPECT_EQ(seen.warnings[0].text,
            "1 other process used the GPU during the samples; `nvidia-smi` shows them");
}

TEST(GpuDifference, OfUnreadableSnapshotsIsEmpty) {
  const GpuConditions seen = difference({}, {}, 0);
  EXPECT_TRUE(seen.counters.empty());
  EXPECT_TRUE(seen.warnings.empty());
}

TEST(GpuDifference, IsNeverNegative) {  // a reset GPU counts anew
  EXPECT_EQ(difference({.energy_mj = 500}, {.energy_mj = 3}, 0).counters.at("gpu_energy_j"), 0);
}

}  // namespace
}  // namespace bench::machine
