#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench::worker {

struct Arguments {
  // Started by bench:
  int command_fd = -1, event_fd = -1;
  int parent_pid = 0;
  // One of several ranks, started so:
  int rank = 0, ranks = 1;
  int local_rank = 0, local_ranks = 1;
  std::string store_host = "127.0.0.1", store_prefix;
  int store_port = 0;
  bool may_spin = false;             // each rank has cores of its own
  int store_fd = -1, pages_fd = -1;  // listens for the store; the memory that this host's ranks share
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
