#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bench::machine {

// What the control groups of a process allow it: the tightest of its own group and all that hold it, in the
// hierarchies of version 1 and version 2 alike (a controller lives in one of them). Absent: no limit, or none
// that can be read.
struct Cgroup {
  std::optional<double> quota_cpus;  // CPU time per wall time: 1.5 throttles two busy threads
  std::optional<std::int64_t> memory_limit_bytes;
  // The least, over the groups with a limit, of limit - usage + inactive_file (page cache that the kernel
  // gives back).
  std::optional<std::int64_t> memory_left_bytes;
  std::optional<std::int64_t>
      throttled_periods;  // nr_throttled, summed over the groups; grows while they live
};

// `process` is a folder of /proc: "self" or a process id.
Cgroup read_cgroup(const std::string& root, const std::string& process = "self");

}  // namespace bench::machine
