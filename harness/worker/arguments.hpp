#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench::worker {

struct Arguments {
  // Started by bench:
  int command_fd = -1, event_fd = -1;
  int parent_pid = 0;
  // Alone: one case, its events printed.
  std::string case_id;
  int steps = 10;
  int warmup = -1;  // -1: what the case id says
  bool check = true;
  std::uint64_t seed = 0;
  std::string inject_fault;
  // Both:
  std::string device;                    // empty: this program's own
  std::int64_t memory_budget_bytes = 0;  // 0: none
  std::int64_t memory_limit_bytes = 0;   // of cases, not of their checks; 0: none
  bool host_defaults = false;            // leave denormals and the like as the libraries have them
  bool help = false;
};

// Throws Error(usage).
Arguments parse_arguments(int argc, char** argv);
std::string usage_text(std::string_view program);

}  // namespace bench::worker
