#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/registry/expand.hpp"

namespace bench::cli {

// What makes sense in an option and in a file alike.
inline constexpr int kMostSteps = 1'000'000;
inline constexpr int kMostRepetitions = 1000;
inline constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53;  // a number in every JSON reader
inline constexpr double kLongestS = 30 * 86400;

// What is to be measured, whatever it came from: options, a preset, or a file.
struct Plan {
  const registry::WorkloadSpec* spec = nullptr;
  std::vector<registry::PlannedCase> cases;
  int repetitions = 1;
};

// From the options, and from --cases if there is one. `room`: what `max` may take. Throws Error(usage).
Plan make_plan(const RunRequest& request, const registry::MemoryRoom& room);

}  // namespace bench::cli
