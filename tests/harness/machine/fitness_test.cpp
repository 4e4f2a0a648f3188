#include "harness/machine/fitness.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bench::machine {
namespace {

Machine quiet_machine() {
  return {.cpus_online = 8,
          .cpus_allowed = 8,
          .shared_cpus = false,
          .memory_available_bytes = std::int64_t{12} << 30,
          .nvidia_devices = 0};
}

Environment quiet_environment() {
  Environment environment;
  environment.facts = {{"governor", "performance"},
                       {"load_average", "0.10 0.20 0.30"},
                       {"turbo", "off"},
                       {"clock_source", "tsc"},
                       {"affinity", "0-7"}};
  return environment;
}

Fitness find(const std::vector<Fitness>& findings, const std::string& subject) {
  const auto found = std::ranges::find(findings, subject, &Fitness::subject);
  EXPECT_NE(found, findings.end()) << subject;
  return found == findings.end() ? Fitness{} : *found;
}

bool is_note(const Fitness& finding) {
  return finding.fit && !finding.remedy.empty();
}

TEST(Judge, AQuietBareMachineIsFitWithoutANote) {
  for (const Fitness& finding : fitness_of(quiet_machine(), quiet_environment())) {
    EXPECT_TRUE(finding.fit) << finding.subject;
    EXPECT_EQ(finding.remedy, "") << finding.subject;
    EXPECT_NE(finding.finding, "") << finding.subject;
  }
}

TEST(Judge, WhatCannotBeReadIsNotHeldAgainstTheMachine) {
  const auto findings = fitness_of(Machine{}, Environment{});
  EXPECT_EQ(findings.size(), 7U);
  for (const Fitness& finding : findings) EXPECT_TRUE(finding.fit) << finding.subject;
  EXPECT_EQ(find(findings, "governor").finding, "cannot be read here");
}

TEST(Judge, AnyGovernorButPerformanceIsUnfitAndTheRemedySaysHowToChangeIt) {
  for (const char* governor : {"powersave", "performance, powersave", "schedutil"}) {
    Environment environment = quiet_environment();
    environment.facts["governor"] = governor;
    const Fitness finding = find(fitness_of(quiet_machine(), environment), "governor");
    EXPECT_FALSE(finding.fit);
    EXPECT_NE(finding.remedy.find("cpupower frequency-set --governor performance"), std::string::npos);
  }
}

TEST(Judge, ALoadAboveHalfTheCpusIsUnfit) {
  Environment environment = quiet_environment();
  environment.facts["load_average"] = "4.00 0.00 0.00";
  EXPECT_TRUE(find(fitness_of(quiet_machine(), environment), "load").fit);
  environment.facts["load_average"] = "4.01 0.00 0.00";
  const Fitness finding = find(fitness_of(quiet_machine(), environment), "load");
  EXPECT_FALSE(finding.fit);
  EXPECT_EQ(finding.finding, "4.01 over the last minute on 8 CPUs");
  EXPECT_NE(finding.remedy, "");
}

TEST(Judge, AQuotaIsUnfitUnlessItExceedsTheCpusInReach) {
  Environment environment = quiet_environment();
  environment.facts["cgroup_cpu_quota_cpus"] = "7.5";
  const Fitness finding = find(fitness_of(quiet_machine(), environment), "cgroup quota");
  EXPECT_FALSE(finding.fit);
  EXPECT_NE(finding.remedy.find("--cpuset-cpus"), std::string::npos);
  environment.facts["cgroup_cpu_quota_cpus"] = "8";
  EXPECT_TRUE(find(fitness_of(quiet_machine(), environment), "cgroup quota").fit);
  environment.facts["cgroup_cpu_quota_cpus"] = "2";
  environment.facts["affinity"] = "0-1";
  EXPECT_TRUE(find(fitness_of(quiet_machine(), environment), "cgroup quota").fit);
}

TEST(Judge, AVirtualMachineIsANote) {
  Environment environment = quiet_environment();
  environment.virtual_machine = true;
  environment.facts["virtualization"] = "Amazon EC2";
  const Fitness finding = find(fitness_of(quiet_machine(), environment), "shared CPUs");
  EXPECT_TRUE(is_note(finding));
  EXPECT_EQ(finding.finding, "a virtual machine (Amazon EC2)");
}

TEST(Judge, LessThanTwoGibibytesOfMemoryIsUnfit) {
  Machine machine = quiet_machine();
  machine.memory_available_bytes = std::int64_t{2} << 30;
  EXPECT_TRUE(find(fitness_of(machine, quiet_environment()), "memory").fit);
  machine.memory_available_bytes -= 1;
  EXPECT_FALSE(find(fitness_of(machine, quiet_environment()), "memory").fit);
}

TEST(Judge, TurboIsANote) {
  Environment environment = quiet_environment();
  environment.facts["turbo"] = "on";
  EXPECT_TRUE(is_note(find(fitness_of(quiet_machine(), environment), "turbo")));
}

TEST(Judge, AClockThatNeedsASystemCallIsUnfit) {
  Environment environment = quiet_environment();
  environment.facts["clock_source"] = "hpet";
  EXPECT_FALSE(find(fitness_of(quiet_machine(), environment), "clock source").fit);
  environment.facts["clock_source"] = "kvm-clock";
  EXPECT_TRUE(find(fitness_of(quiet_machine(), environment), "clock source").fit);
}

}  // namespace
}  // namespace bench::machine
