#pragma once

#include <optional>
#include <string>

#include "harness/core/case.hpp"
#include "harness/registry/workload_spec.hpp"

namespace bench::model {

// What the tensors of a step of `eager` take at their peak, from the shapes alone: what autograd keeps for
// each layer, what the loss and the optimizer take besides. memory.cpp derives it; a test holds it against
// measured peaks. nullopt: an implementation that decides for itself what it keeps.
std::optional<registry::MemoryPrediction> predict_memory(const Case& configuration,
                                                         const std::string& device);

}  // namespace bench::model
