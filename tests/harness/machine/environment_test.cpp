#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "harness/core/recorded_conditions.hpp"
#include "harness/machine/machine.hpp"
#include "harness/machine/variables.hpp"
#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

TEST(ReadEnvironment, RecordsWhatAMachineSays) {
  MadeUpMachine made_up;
  made_up
      .with("/etc/os-release", "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .with("/proc/sys/kernel/osrelease", "6.1.0-31-amd64\n")
      .with("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654\nflags\t\t: fpu hypervisor\n")
      .with("/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")
      .with("/proc/loadavg", "0.02 0.09 0.06 1/131 4242\n")
      .with("/proc/self/status", "Cpus_allowed_list:\t0-3,8\n")
      .with("/proc/self/cgroup", "0::/\n")
      .with("/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:00:00 UTC 2025\n")
      .with_folder("/proc/driver/nvidia/gpus/0000:19:00.0")
      .with("/sys/fs/cgroup/cpu.max", "250000 100000\n")
      .with("/sys/fs/cgroup/memory.max", "4294967296\n")
      .with("/sys/devices/system/cpu/online", "0-15\n")
      .with("/sys/devices/system/cpu/isolated", "\n")
      .with("/sys/devices/system/cpu/smt/active", "1\n")
      .with("/sys/devices/system/cpu/cpufreq/boost", "1\n")
      .with("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n")
      .with("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n")
      .with("/sys/devices/system/node/online", "0-1\n")
      .with("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
      .with("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const Environment environment = read_environment(made_up.root());
  EXPECT_EQ(environment.host_os, "Debian GNU/Linux 12 (bookworm), Linux 6.1.0-31-amd64");
  EXPECT_EQ(environment.cpu_model, "AMD EPYC 9654");
  EXPECT_EQ(environment.cpus_online, 16);
  EXPECT_EQ(environment.cpus_allowed, 2);
  EXPECT_TRUE(environment.virtual_machine);
  EXPECT_EQ(environment.memory_total_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(environment.memory_available_bytes, std::int64_t{4} << 30);
  const std::map<std::string, std::string> facts = {{"affinity", "0-3,8"},
                                                    {"cgroup_cpu_quota_cpus", "2.5"},
                                                    {"cgroup_memory_limit_bytes", "4294967296"},
                                                    {"cgroup_memory_left_bytes", "4294967296"},
                                                    {"clock_source", "tsc"},
                                                    {"frequency_driver", "acpi-cpufreq"},
                                                    {"governor", "schedutil"},
                                                    {"load_average", "0.02 0.09 0.06"},
                                                    {"numa_nodes", "2"},
                                                    {"nvidia_devices", "1"},
                                                    {"nvidia_driver", "580.65.06"},
                                                    {"smt", "on"},
                                                    {"transparent_hugepages", "madvise"},
                                                    {"turbo", "on"},
                                                    {"virtualization", "hypervisor flag of the CPU"}};
  EXPECT_EQ(environment.facts, facts);
}

TEST(ReadEnvironment, ReadsTheFactsThatHaveARowAmongTheConditions) {
  std::set<std::string> rows;
  for (const ConditionRow& row : condition_rows())
    if (row.place == ConditionPlace::fact && row.name != "*") rows.emplace(row.name);
  const std::vector<std::string> read = fact_names();
  EXPECT_EQ(std::set<std::string>(read.begin(), read.end()), rows);
}

TEST(ReadEnvironment, OfAnEmptyRootHasNoFacts) {
  const MadeUpMachine made_up;
  const Environment environment = read_environment(made_up.root());
  EXPECT_TRUE(environment.facts.empty());
  EXPECT_EQ(environment.host_os, "");
  EXPECT_EQ(environment.cpu_model, "");
  EXPECT_FALSE(environment.virtual_machine);
}

TEST(ReadEnvironment, MalformedFilesLeaveTheirFactsAbsent) {
  MadeUpMachine made_up;
  made_up.with("/proc/loadavg", "high\n")
      .with("/proc/self/status", "Cpus_allowed_list:\tmany\n")
      .with("/proc/driver/nvidia/version", "no number here\n")
      .with("/sys/devices/system/cpu/smt/active", "perhaps\n")
      .with("/sys/devices/system/cpu/cpufreq/boost", "\n")
      .with("/sys/devices/system/node/online", "?\n")
      .with("/sys/kernel/mm/transparent_hugepage/enabled", "]always[\n")
      .with("/etc/os-release", "garbage");
  EXPECT_TRUE(read_environment(made_up.root()).facts.empty());
}

TEST(ReadEnvironment, OfThisMachineNamesItsKernel) {
  EXPECT_NE(read_environment().host_os.find("Linux "), std::string::npos);
}

class SetVariable {
 public:
  SetVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~SetVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(ReadVariables, TakesThoseOnTheListAndNothingElse) {
  const SetVariable threads("OMP_NUM_THREADS", "3");
  const SetVariable mmap("MALLOC_MMAP_MAX_", "0");
  const SetVariable token("BENCH_TEST_SECRET_TOKEN", "not for result files");
  const SetVariable kind("ONEDNN_VERBOSE", "1");
  const SetVariable unknown("XOMP_TEST_NOT_ON_THE_LIST", "1");
  const auto variables = read_variables();
  EXPECT_EQ(variables.at("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(variables.at("MALLOC_MMAP_MAX_"), "0");
  EXPECT_EQ(variables.count("BENCH_TEST_SECRET_TOKEN"), 0U);
  EXPECT_EQ(variables.at("ONEDNN_VERBOSE"), "1") << "all of a library's, without a list";
  EXPECT_EQ(variables.count("XOMP_TEST_NOT_ON_THE_LIST"), 0U);
  EXPECT_EQ(variables.count("PATH"), 0U);
  EXPECT_EQ(variables.count("HOME"), 0U);
}

TEST(ReadVariables, KeepsNoControlCharacters) {
  const SetVariable places("OMP_PLACES", "cores\x1b[2J");
  EXPECT_EQ(read_variables().at("OMP_PLACES"), "cores?[2J");
}

}  // namespace
}  // namespace bench::machine
