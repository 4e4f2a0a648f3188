#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bench::machine {

struct Memory {
  std::optional<std::int64_t> total_bytes;
  std::optional<std::int64_t>
      available_bytes;  // MemAvailable: free, and what the kernel can give back without swapping
};

// The whole machine's, from /proc/meminfo; a control group may allow less (cgroup.hpp).
Memory read_memory(const std::string& root);

// How many processes the kernel has killed for want of memory since it started, in control groups too.
// nullopt: it does not say (/proc/vmstat, Linux 4.13).
std::optional<std::int64_t> kills_for_memory(const std::string& root = "");

}  // namespace bench::machine
