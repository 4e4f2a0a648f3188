#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/registry/expand.hpp"

namespace bench::cli {

// What is to be measured, whatever it came from: options, a preset, or a file.
struct Plan {
  const registry::WorkloadSpec* spec = nullptr;
  std::vector<registry::PlannedCase> cases;
  int repetitions = 1;
};

// From the options, and from --cases if there is one. `room`: what `max` may take. Throws Error(usage).
Plan make_plan(const RunRequest& request, const registry::MemoryRoom& room);

}  // namespace bench::cli
