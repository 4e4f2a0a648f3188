#include "harness/machine/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/machine/nvml.hpp"
#include "tests/harness/machine/fake_nvml.hpp"
#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Eight cores of bare metal, 16 GiB of which 12 are available, group /a.
void make_bare_metal(MadeUpMachine& machine) {
  machine.with("/sys/devices/system/cpu/online", "0-7\n")
      .with("/proc/cpuinfo", "flags\t\t: fpu avx2\n")
      .with("/proc/self/status", "Cpus_allowed_list:\t0-7\n")
      .with("/proc/self/cgroup", "0::/a\n")
      .with("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:   12582912 kB\n");
}

TEST(ReadMachine, BareMetalHasAllItsCoresToItself) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  const Machine machine = read_machine(made_up.root());
  EXPECT_EQ(machine.cpus_online, 8);
  EXPECT_EQ(machine.cpus_allowed, 8);
  EXPECT_FALSE(machine.shared_cpus);
  EXPECT_EQ(machine.memory_available_bytes, 12 * kGiB);
  EXPECT_EQ(machine.nvidia_devices, 0);
}

TEST(ReadMachine, AQuotaIsRoundedDownToWholeCpusButNotToNone) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  made_up.with("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(read_machine(made_up.root()).cpus_allowed, 1);
  EXPECT_TRUE(read_machine(made_up.root()).shared_cpus);
  made_up.with("/sys/fs/cgroup/a/cpu.max", "390000 100000\n");
  EXPECT_EQ(read_machine(made_up.root()).cpus_allowed, 3);
  made_up.with("/sys/fs/cgroup/a/cpu.max", "20000 100000\n");
  EXPECT_EQ(read_machine(made_up.root()).cpus_allowed, 1);
}

TEST(ReadMachine, TheAffinityMaskCountsWhenItIsTighterThanTheQuota) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  made_up.with("/sys/fs/cgroup/a/cpu.max", "600000 100000\n")
      .with("/proc/self/status", "Cpus_allowed_list:\t2,5\n");
  EXPECT_EQ(read_machine(made_up.root()).cpus_allowed, 2);
}

TEST(ReadMachine, AVirtualMachineSharesItsCpus) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  made_up.with("/proc/cpuinfo", "flags\t\t: fpu hypervisor avx2\n");
  EXPECT_TRUE(read_machine(made_up.root()).shared_cpus);
}

TEST(ReadMachine, AvailableMemoryIsTheLesserOfTheMachinesAndTheCgroups) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  made_up.with("/sys/fs/cgroup/a/memory.max", "4294967296\n")
      .with("/sys/fs/cgroup/a/memory.current", "1073741824\n");
  EXPECT_EQ(read_machine(made_up.root()).memory_available_bytes, 3 * kGiB);
  made_up.with("/sys/fs/cgroup/a/memory.max", "68719476736\n");
  EXPECT_EQ(read_machine(made_up.root()).memory_available_bytes, 12 * kGiB);
}

TEST(ReadMachine, ACgroupLimitStandsInWhereMeminfoIsUnreadable) {
  MadeUpMachine made_up;
  made_up.with("/proc/meminfo", "MemAvailable: lots\n")
      .with("/proc/self/cgroup", "0::/a\n")
      .with("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  EXPECT_EQ(read_machine(made_up.root()).memory_available_bytes, kGiB);
}

TEST(ReadMachine, CountsNvidiaDevices) {
  MadeUpMachine made_up;
  make_bare_metal(made_up);
  made_up.with_folder("/proc/driver/nvidia/gpus/0000:19:00.0")
      .with_folder("/proc/driver/nvidia/gpus/0000:3b:00.0");
  EXPECT_EQ(read_machine(made_up.root()).nvidia_devices, 2);
}

TEST(ReadMachine, CountsDeviceNodesWhereASandboxShowsNothingInProc) {
  MadeUpMachine made_up;
  for (const char* node : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-caps", "nvidia"})
    made_up.with(std::string("/dev/") + node, "");
  EXPECT_EQ(read_machine(made_up.root()).nvidia_devices, 2);
}

TEST(ReadMachine, NvmlKnowsBetterThanFilesAndCudaVisibleDevicesHides) {
  MadeUpMachine made_up;
  made_up.with("/dev/nvidia0", "");
  FakeNvml fake;
  fake.devices.resize(4);
  const Nvml nvml(fake.functions, nullptr);
  EXPECT_EQ(read_machine(made_up.root(), &nvml).nvidia_devices, 4);
  setenv("CUDA_VISIBLE_DEVICES", "3,1", 1);
  EXPECT_EQ(read_machine(made_up.root(), &nvml).nvidia_devices, 2);
  const Environment environment = read_environment(made_up.root(), &nvml);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(read_machine(made_up.root()).nvidia_devices, 0);
  unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_EQ(environment.gpus.size(), 4u);
  EXPECT_EQ(environment.gpus[3].cuda_index, 0);
  EXPECT_FALSE(environment.gpus[0].cuda_index);
  EXPECT_EQ(environment.facts.at("nvidia_driver"), "580.159.03");
}

TEST(ReadMachine, OfAnEmptyRootHasTheDefaults) {
  const MadeUpMachine made_up;
  const Machine machine = read_machine(made_up.root());
  EXPECT_EQ(machine.cpus_online, 1);
  EXPECT_EQ(machine.cpus_allowed, 1);
  EXPECT_FALSE(machine.shared_cpus);
  EXPECT_EQ(machine.memory_available_bytes, 0);
}

TEST(ReadMachine, MalformedMemoryIsUnknown) {
  for (const char* value : {"MemAvailable:", "MemAvailable: 12", "MemAvailable: 12 MB", "MemAvailable: -5 kB",
                            "MemAvailable: 9223372036854775807 kB"}) {
    MadeUpMachine made_up;
    made_up.with("/proc/meminfo", value);
    EXPECT_EQ(read_machine(made_up.root()).memory_available_bytes, 0) << value;
  }
}

TEST(ReadMachine, ThisMachineHasCoresAndMemory) {
  const Machine machine = read_machine();
  EXPECT_GE(machine.cpus_allowed, 1);
  EXPECT_GE(machine.cpus_online, machine.cpus_allowed);
  EXPECT_GT(machine.memory_available_bytes, 0);
}

}  // namespace
}  // namespace bench::machine
