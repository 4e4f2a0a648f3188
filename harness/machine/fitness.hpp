#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"
#include "harness/machine/machine.hpp"

namespace bench::machine {

// One finding of `bench env --check`.
//   fit, no remedy: as it should be, or cannot be read here
//   fit, a remedy:  a note; measuring is possible, and the remedy says what to mind
//   not fit:        times taken now would mislead; the remedy says what to change
inline constexpr const char* kCannotBeRead = "cannot be read here";  // a finding

struct Fitness {
  std::string subject;  // "governor"
  std::string finding;  // "powersave"
  std::string remedy;   // one sentence, or empty
  bool fit = true;
};

// Always the same subjects in the same order: governor, load, cgroup quota, shared CPUs, memory, turbo, clock
// source; then those of each GPU that CUDA shows (gpu_fitness.hpp).
std::vector<Fitness> fitness_of(const Machine& machine, const Environment& environment);

}  // namespace bench::machine
