#pragma once

#include "harness/worker/comparison.hpp"
#include "harness/worker/device.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

// From one state, five replays of a captured step against five steps outside the graph: every parameter, and
// the loss or the logits. Bit for bit where kernels are deterministic; otherwise within twice what two runs
// outside the graph differ by.
void compare_graph_with_eager(const Configuration& small, const Parameters& weights, const Batch& batch,
                              worker::Device& device, worker::Comparisons& comparisons);

}  // namespace bench::model
