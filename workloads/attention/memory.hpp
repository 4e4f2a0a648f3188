#pragma once

#include <optional>
#include <string>

#include "harness/core/case.hpp"
#include "harness/registry/workload_spec.hpp"

namespace bench::attention {

// What the tensors of a step take at their peak, from the shapes alone: inputs, what autograd keeps, and what
// the implementation holds besides. Not in it: cuBLAS's workspaces (32 MiB on an H200 for each thread that
// multiplies), and what sdpa-flash holds for each thread of a CPU, or to split the keys of a few matrices
// over an idle GPU. nullopt: torch-compile, which decides for itself what it keeps.
std::optional<registry::MemoryPrediction> predict_memory(const Case& configuration,
                                                         const std::string& device);

}  // namespace bench::attention
