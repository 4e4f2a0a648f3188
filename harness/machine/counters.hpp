#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace bench::machine {

// What disturbed a process so far. Only differences mean anything. Absent: could not be read.
struct CounterSnapshot {
  std::optional<std::int64_t> minor_faults;  // of the whole process, threads that have ended included
  std::map<pid_t, std::int64_t> involuntary_switches;  // by thread, of those alive: the kernel keeps no sum
  std::optional<std::int64_t>
      steal_ticks;  // of the whole machine: time that a hypervisor gave to others while we waited
  std::optional<std::int64_t>
      cgroup_throttled_periods;  // of the process's control groups, others in them included
};

// Reads /proc of `pid`, which may be the caller's own. Never throws. Costs one small file per thread and a
// few more.
CounterSnapshot read_counters(pid_t pid, const std::string& root = "");

// after - before: minor_faults, involuntary_switches, steal_ms, cgroup_throttled_periods; a key is absent
// where either side could not read it. Switches of a thread that started between count from 0; those of one
// that ended are lost. Never negative.
std::map<std::string, double> difference(const CounterSnapshot& before, const CounterSnapshot& after);

}  // namespace bench::machine
