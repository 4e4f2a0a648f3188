#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/remark.hpp"
#include "harness/registry/workload_spec.hpp"

// Whether a case fits in memory, by its workload's formula.
namespace bench::registry {

// Formulas are tested to be within 15% of what is measured. A case is refused unseen only where it would not
// fit even if the formula were too high by this factor; every other case is tried.
inline constexpr double kMemoryDoubt = 1.2;

// Where cases are to run, and what they may take there. bytes 0: not known.
struct MemoryRoom {
  std::string device;
  std::int64_t bytes = 0;
};

// nullopt: the workload has no formula for this case.
std::optional<MemoryPrediction> predict_memory(const WorkloadSpec& spec, const Case& configuration,
                                               const std::string& device);

// True only beyond doubt; false also where nothing is known.
bool cannot_fit(const std::optional<MemoryPrediction>& prediction, const MemoryRoom& room);

// "predicted 51.3 GiB (parameters 12.7 GiB, ...), and 22.4 GiB can be had; --batch 1 or --context 64 would
// fit". Names the largest value of each parameter with has_max, alone, that is predicted to fit.
Remark explain_misfit(const WorkloadSpec& spec, const Case& configuration, const MemoryPrediction& prediction,
                      const MemoryRoom& room);

// The powers of two that the parameter may have, largest first.
std::vector<std::int64_t> powers_of_two(const Parameter& parameter);

// Whether the workload finds nothing wrong with the combination.
bool is_possible(const WorkloadSpec& spec, const Case& configuration);

}  // namespace bench::registry
