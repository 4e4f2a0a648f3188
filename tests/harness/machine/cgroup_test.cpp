#include "harness/machine/cgroup.hpp"

#include <gtest/gtest.h>

#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(CgroupV2, HasQuotaLimitAndWhatIsLeft) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/user.slice/run-7.scope\n")
      .with("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n")
      .with("/sys/fs/cgroup/user.slice/run-7.scope/cpu.max", "150000 100000\n")
      .with("/sys/fs/cgroup/user.slice/run-7.scope/cpu.stat",
            "usage_usec 5\nnr_periods 90\nnr_throttled 12\n")
      .with("/sys/fs/cgroup/user.slice/run-7.scope/memory.max", "8589934592\n")
      .with("/sys/fs/cgroup/user.slice/run-7.scope/memory.current", "3221225472\n")
      .with("/sys/fs/cgroup/user.slice/run-7.scope/memory.stat",
            "anon 1\nactive_file 5\ninactive_file 1073741824\n");
  const Cgroup cgroup = read_cgroup(machine.root());
  EXPECT_EQ(cgroup.quota_cpus, 1.5);
  EXPECT_EQ(cgroup.memory_limit_bytes, 8 * kGiB);
  EXPECT_EQ(cgroup.memory_left_bytes, 6 * kGiB);  // 8 - 3 + 1
  EXPECT_EQ(cgroup.throttled_periods, 12);
}

TEST(CgroupV2, TheTightestOfAllParentsWins) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/a/b/c\n")
      .with("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n")
      .with("/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n")
      .with("/sys/fs/cgroup/a/cpu.max", "50000 20000\n")
      .with("/sys/fs/cgroup/a/b/c/memory.max", "max\n")
      .with("/sys/fs/cgroup/a/b/memory.max", "4294967296\n")
      .with("/sys/fs/cgroup/a/b/memory.current", "1073741824\n")
      .with("/sys/fs/cgroup/a/memory.max", "8589934592\n")
      .with("/sys/fs/cgroup/a/memory.current", "7516192768\n");
  const Cgroup cgroup = read_cgroup(machine.root());
  EXPECT_EQ(cgroup.quota_cpus, 2.5);
  EXPECT_EQ(cgroup.memory_limit_bytes, 4 * kGiB);
  EXPECT_EQ(cgroup.memory_left_bytes, 1 * kGiB);  // of the wider, but fuller parent
}

TEST(CgroupV2, MemoryHighIsALimitToo) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/a\n")
      .with("/sys/fs/cgroup/a/memory.max", "max\n")
      .with("/sys/fs/cgroup/a/memory.high", "2147483648\n");
  EXPECT_EQ(read_cgroup(machine.root()).memory_limit_bytes, 2 * kGiB);
}

TEST(CgroupV2, InAContainerTheTopOfTheMountHoldsTheLimits) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/\n")
      .with("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n")
      .with("/sys/fs/cgroup/cpu.max", "200000 100000\n")
      .with("/sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(read_cgroup(machine.root()).quota_cpus, 2.0);
  EXPECT_EQ(read_cgroup(machine.root()).memory_limit_bytes, kGiB);
}

TEST(CgroupV2, APathOutsideTheNamespaceFallsBackToTheTopOfTheMount) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/../../other\n")
      .with("/sys/fs/cgroup/cpu.max", "200000 100000\n")
      .with("/sys/other/cpu.max", "100000 100000\n");  // where /sys/fs/cgroup/../../other leads
  EXPECT_EQ(read_cgroup(machine.root()).quota_cpus, 2.0);
}

// As on the machine that this was written on: version 1 with an idle version 2 beside it.
constexpr std::string_view kHybridMounts =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

TEST(CgroupV1, HasQuotaLimitAndWhatIsLeft) {
  MadeUpMachine machine;
  machine.with("/proc/self/mountinfo", kHybridMounts)
      .with("/proc/self/cgroup", "4:memory:/jobs/7\n3:cpuset:/\n2:cpu,cpuacct:/jobs\n0::/\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "150000\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 7\n")
      .with("/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "4294967296\n")
      .with("/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "3221225472\n")
      .with("/sys/fs/cgroup/memory/jobs/7/memory.stat", "inactive_file 1\ntotal_inactive_file 1073741824\n");
  const Cgroup cgroup = read_cgroup(machine.root());
  EXPECT_EQ(cgroup.quota_cpus, 1.5);
  EXPECT_EQ(cgroup.memory_limit_bytes, 4 * kGiB);
  EXPECT_EQ(cgroup.memory_left_bytes, 2 * kGiB);
  EXPECT_EQ(cgroup.throttled_periods, 4);
}

TEST(CgroupV1, TheLargestNumberMeansNoLimitAndMinusOneNoQuota) {
  MadeUpMachine machine;
  machine.with("/proc/self/mountinfo", kHybridMounts)
      .with("/proc/self/cgroup", "4:memory:/\n2:cpu,cpuacct:/\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .with("/sys/fs/cgroup/memory/memory.usage_in_bytes", "3221225472\n");
  const Cgroup cgroup = read_cgroup(machine.root());
  EXPECT_FALSE(cgroup.quota_cpus.has_value());
  EXPECT_FALSE(cgroup.memory_limit_bytes.has_value());
  EXPECT_FALSE(cgroup.memory_left_bytes.has_value());
}

TEST(CgroupV1, AContainerSeesItsOwnGroupAsTheTopOfTheMount) {
  MadeUpMachine machine;
  machine
      .with("/proc/self/mountinfo",
            "35 31 0:32 /docker/f00 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
            "32 31 0:29 /docker/f00 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n")
      .with("/proc/self/cgroup", "4:memory:/docker/f00\n2:cpu:/docker/f00/inner\n")
      .with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n")
      .with("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "300000\n")
      .with("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup(machine.root()).memory_limit_bytes, kGiB);
  EXPECT_EQ(read_cgroup(machine.root()).quota_cpus, 3.0);
}

TEST(CgroupV1, AHierarchicalLimitOfAGroupOutOfSightCounts) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "4:memory:/a\n")
      .with("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n")
      .with("/sys/fs/cgroup/memory/a/memory.stat", "hierarchical_memory_limit 1073741824\n");
  EXPECT_EQ(read_cgroup(machine.root()).memory_limit_bytes, kGiB);
}

TEST(Cgroup, AMountPointWithASpaceIsFound) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/\n")
      .with("/proc/self/mountinfo", "29 23 0:26 / /sys/my\\040groups rw - cgroup2 cgroup2 rw\n")
      .with("/sys/my groups/cpu.max", "100000 100000\n");
  EXPECT_EQ(read_cgroup(machine.root()).quota_cpus, 1.0);
}

TEST(Cgroup, AnotherProcessHasItsOwnGroup) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/a\n")
      .with("/proc/77/cgroup", "0::/b\n")
      .with("/sys/fs/cgroup/a/cpu.max", "100000 100000\n")
      .with("/sys/fs/cgroup/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(read_cgroup(machine.root(), "77").quota_cpus, 2.0);
}

TEST(Cgroup, MoreUsedThanAllowedLeavesNothing) {
  MadeUpMachine machine;
  machine.with("/proc/self/cgroup", "0::/a\n")
      .with("/sys/fs/cgroup/a/memory.max", "1000\n")
      .with("/sys/fs/cgroup/a/memory.current", "2000\n");
  EXPECT_EQ(read_cgroup(machine.root()).memory_left_bytes, 0);
}

TEST(Cgroup, MissingAndMalformedFilesLeaveTheFactsAbsent) {
  const MadeUpMachine empty;
  EXPECT_FALSE(read_cgroup(empty.root()).quota_cpus.has_value());

  for (const char* cpu_max : {"", "max", "150000", "x y", "150000 0", "-5 100000", "1 2 3", "1e5 100000"}) {
    MadeUpMachine machine;
    machine.with("/proc/self/cgroup", "no colons here\n::\n1:cpu\n0::/a\n")
        .with("/proc/self/mountinfo",
              "short line\n1 2 3 4 5 6\n- - - -\n29 23 0:26 / /sys/fs/cgroup rw - cgroup2\n")
        .with("/sys/fs/cgroup/a/cpu.max", cpu_max)
        .with("/sys/fs/cgroup/a/cpu.stat", "nr_throttled many\n")
        .with("/sys/fs/cgroup/a/memory.max", "-3\n")
        .with("/sys/fs/cgroup/a/memory.stat", "inactive_file\n");
    const Cgroup cgroup = read_cgroup(machine.root());
    EXPECT_FALSE(cgroup.quota_cpus.has_value()) << cpu_max;
    EXPECT_FALSE(cgroup.memory_limit_bytes.has_value());
    EXPECT_FALSE(cgroup.memory_left_bytes.has_value());
    EXPECT_FALSE(cgroup.throttled_periods.has_value());
  }
}

}  // namespace
}  // namespace bench::machine
