#pragma once

#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/registry/expand.hpp"

namespace bench::cli {

// The cases that the options ask for. `room`: what `max` may take. Throws Error(usage).
std::vector<registry::PlannedCase> plan_cases(const registry::WorkloadSpec& spec, const RunRequest& request,
                                              const registry::MemoryRoom& room);

}  // namespace bench::cli
