#include "harness/machine/counters.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/machine/memory.hpp"
#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

using Differences = std::map<std::string, double>;

TEST(ReadCounters, ReadsEachFromItsFile) {
  MadeUpMachine machine;
  // The program's name is hostile on purpose.
  machine.with("/proc/77/stat", "77 (a) S 1 (b c) R 1 77 77 0 -1 4194304 9001 0 12 0 5 6\n")
      .with("/proc/77/task/77/status", "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t30\n")
      .with("/proc/77/task/78/status", "voluntary_ctxt_switches:\t6\nnonvoluntary_ctxt_switches:\t4\n")
      .with("/proc/77/cgroup", "0::/a/b\n")
      .with("/sys/fs/cgroup/a/b/cpu.stat", "nr_throttled 3\n")
      .with("/sys/fs/cgroup/a/cpu.stat", "nr_throttled 2\n")
      .with("/proc/stat", "cpu  11166 608 7364 118479 659 0 451 471 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
  const CounterSnapshot snapshot = read_counters(77, machine.root());
  EXPECT_EQ(snapshot.minor_faults, 9001);
  EXPECT_EQ(snapshot.involuntary_switches, (std::map<pid_t, std::int64_t>{{77, 30}, {78, 4}}));
  EXPECT_EQ(snapshot.steal_ticks, 471);
  EXPECT_EQ(snapshot.cgroup_throttled_periods, 5);
}

TEST(ReadCounters, MissingAndMalformedFilesLeaveCountersAbsent) {
  const MadeUpMachine empty;
  MadeUpMachine malformed;
  malformed.with("/proc/77/stat", "77 (x) S 1\n")
      .with("/proc/77/task/77/status", "nonvoluntary_ctxt_switches:\tfew\n")
      .with("/proc/stat", "cpu  1 2 3\n");
  for (const std::string& root : {empty.root(), malformed.root()}) {
    const CounterSnapshot snapshot = read_counters(77, root);
    EXPECT_FALSE(snapshot.minor_faults.has_value());
    EXPECT_TRUE(snapshot.involuntary_switches.empty());
    EXPECT_FALSE(snapshot.steal_ticks.has_value());
    EXPECT_FALSE(snapshot.cgroup_throttled_periods.has_value());
    EXPECT_TRUE(difference(snapshot, snapshot).empty());
  }
}

TEST(KillsForMemory, AreTheKernelsCount) {
  MadeUpMachine machine;
  machine.with("/proc/vmstat", "pgfault 7\noom_kill_x 9\noom_kill 3\n");
  EXPECT_EQ(kills_for_memory(machine.root()), 3);
  EXPECT_EQ(kills_for_memory(MadeUpMachine().root()), std::nullopt);
}

TEST(ReadCounters, CountsTheFaultsOfFreshPagesOfThisProcess) {
  constexpr std::size_t kPages = 2000;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const CounterSnapshot before = read_counters(getpid());
  void* memory =
      mmap(nullptr, kPages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * page_bytes, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < kPages; ++page)
    static_cast<volatile char*>(memory)[page * page_bytes] = 1;
  const CounterSnapshot after = read_counters(getpid());
  munmap(memory, kPages * page_bytes);
  EXPECT_GE(difference(before, after).at("minor_faults"), static_cast<double>(kPages));
}

CounterSnapshot snapshot_of(std::int64_t faults, std::map<pid_t, std::int64_t> switches, std::int64_t steal,
                            std::int64_t throttled) {
  return {.minor_faults = faults,
          .involuntary_switches = std::move(switches),
          .steal_ticks = steal,
          .cgroup_throttled_periods = throttled};
}

TEST(Difference, SubtractsEachCounterAndTurnsTicksIntoMilliseconds) {
  const double ms_per_tick = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(difference(snapshot_of(100, {{1, 5}}, 471, 2), snapshot_of(150, {{1, 8}}, 475, 9)),
            (Differences{{"minor_faults", 50},
                         {"involuntary_switches", 3},
                         {"steal_ms", 4 * ms_per_tick},
                         {"cgroup_throttled_periods", 7}}));
}

TEST(Difference, ThreadsThatEndedTakeNothingAwayAndNewOnesCountFromZero) {
  // Thread 2 ended, 3 is new, 4 is a new thread with an old number.
  const auto grown = difference(snapshot_of(0, {{1, 5}, {2, 900}, {4, 70}}, 0, 0),
                                snapshot_of(0, {{1, 8}, {3, 11}, {4, 20}}, 0, 0));
  EXPECT_EQ(grown.at("involuntary_switches"), 3 + 11 + 20);
}

TEST(Difference, LeavesOutWhatOneSideCouldNotRead) {
  CounterSnapshot before = snapshot_of(1, {{1, 1}}, 1, 1), after = snapshot_of(2, {{1, 2}}, 2, 2);
  before.steal_ticks.reset();
  after.cgroup_throttled_periods.reset();
  after.involuntary_switches.clear();
  EXPECT_EQ(difference(before, after), (Differences{{"minor_faults", 1}}));
}

TEST(Difference, IsNeverNegative) {  // steal of a migrated virtual machine may jump back
  EXPECT_EQ(difference(snapshot_of(1, {{1, 1}}, 500, 1), snapshot_of(1, {{1, 1}}, 3, 1)).at("steal_ms"), 0);
}

}  // namespace
}  // namespace bench::machine
