#include "harness/machine/cpu.hpp"

#include <gtest/gtest.h>

#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

TEST(CountCpuList, CountsRangesAndSingles) {
  EXPECT_EQ(count_cpu_list("0"), 1);
  EXPECT_EQ(count_cpu_list("0-3,8\n"), 5);
  EXPECT_EQ(count_cpu_list("0-1,64-127"), 66);
}

TEST(CountCpuList, RefusesWhatIsNoList) {
  for (const char* text : {"", "x", "0-", "-1", "3-1", "0,,1", "0-99999999999", "0-3 8"}) {
    EXPECT_FALSE(count_cpu_list(text).has_value()) << text;
  }
}

TEST(CpusOnline, ComeFromSysThenFromCpuinfo) {
  MadeUpMachine machine;
  EXPECT_EQ(read_cpus_online(machine.root()), 1);
  machine.with("/proc/cpuinfo", "processor\t: 0\nmodel name\t: X\n\nprocessor\t: 1\n\nprocessor\t: 2\n");
  EXPECT_EQ(read_cpus_online(machine.root()), 3);
  machine.with("/sys/devices/system/cpu/online", "garbage\n");
  EXPECT_EQ(read_cpus_online(machine.root()), 3);
  machine.with("/sys/devices/system/cpu/online", "0-7\n");
  EXPECT_EQ(read_cpus_online(machine.root()), 8);
}

TEST(CpusInAffinity, AreThoseOfTheStatusFileButNoMoreThanAreOnline) {
  MadeUpMachine machine;
  EXPECT_EQ(read_cpus_in_affinity(machine.root(), 8), 8);
  machine.with("/proc/self/status", "Name:\tx\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-7\n");
  EXPECT_EQ(read_cpus_in_affinity(machine.root(), 8), 4);
  machine.with("/proc/self/status", "Cpus_allowed_list:\t0-127\n");  // possible CPUs, most of them absent
  EXPECT_EQ(read_cpus_in_affinity(machine.root(), 8), 8);
}

TEST(CpusInAffinity, OfThisMachineAreAtLeastOne) {
  const int online = read_cpus_online("");
  EXPECT_GE(read_cpus_in_affinity("", online), 1);
  EXPECT_LE(read_cpus_in_affinity("", online), online);
}

TEST(CpuModel, IsTheNameOnX86AndTheCodesOnArm) {
  MadeUpMachine x86, arm, empty;
  x86.with("/proc/cpuinfo", "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654 96-Core Processor\n");
  EXPECT_EQ(read_cpu_model(x86.root()), "AMD EPYC 9654 96-Core Processor");
  arm.with("/proc/cpuinfo",
           "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(read_cpu_model(arm.root()), "aarch64 implementer 0x41 part 0xd40");
  EXPECT_FALSE(read_cpu_model(empty.root()).has_value());
}

TEST(Virtualization, IsTheHypervisorFlagOnX86) {
  MadeUpMachine guest, host;
  guest.with("/proc/cpuinfo", "flags\t\t: fpu rdrand hypervisor lahf_lm\n");
  EXPECT_EQ(read_virtualization(guest.root()), "hypervisor flag of the CPU");
  host.with("/proc/cpuinfo", "flags\t\t: fpu rdrand lahf_lm\n")
      .with("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  EXPECT_FALSE(read_virtualization(host.root()).has_value());
}

TEST(Virtualization, IsInTheFirmwaresNamesOnArm) {
  MadeUpMachine machine;
  machine.with("/proc/cpuinfo", "Features\t: fp asimd\n");
  EXPECT_FALSE(read_virtualization(machine.root()).has_value());
  machine.with("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
      .with("/sys/class/dmi/id/product_name", "c7g.metal\n");
  EXPECT_FALSE(read_virtualization(machine.root()).has_value());
  machine.with("/sys/class/dmi/id/product_name", "c7g.4xlarge\n");
  EXPECT_EQ(read_virtualization(machine.root()), "Amazon EC2");
  machine.with("/proc/device-tree/hypervisor/compatible", std::string_view("linux,kvm\0", 10));
  EXPECT_EQ(read_virtualization(machine.root()), "linux,kvm");
  machine.with("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(read_virtualization(machine.root()), "xen");
}

TEST(Governor, IsListedOncePerKind) {
  MadeUpMachine machine;
  machine.with_folder("/sys/devices/system/cpu/cpufreq").with_folder("/sys/devices/system/cpu/cpuidle");
  EXPECT_FALSE(read_governor(machine.root()).has_value());
  machine.with("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
      .with("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(read_governor(machine.root()), "performance");
  machine.with("/sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(read_governor(machine.root()), "performance, powersave");
}

TEST(Turbo, IsInvertedInIntelsFile) {
  MadeUpMachine intel, amd, unknown;
  intel.with("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(read_turbo(intel.root()), "off");
  intel.with("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read_turbo(intel.root()), "on");
  amd.with("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(read_turbo(amd.root()), "on");
  amd.with("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(read_turbo(amd.root()), "off");
  EXPECT_FALSE(read_turbo(unknown.root()).has_value());
}

TEST(Smt, IsOnWhenActive) {
  MadeUpMachine machine;
  EXPECT_FALSE(read_smt(machine.root()).has_value());
  machine.with("/sys/devices/system/cpu/smt/active", "1\n");
  EXPECT_EQ(read_smt(machine.root()), "on");
  machine.with("/sys/devices/system/cpu/smt/active", "0\n");
  EXPECT_EQ(read_smt(machine.root()), "off");
}

}  // namespace
}  // namespace bench::machine
