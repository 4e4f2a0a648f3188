#pragma once

#include <vector>

#include "harness/core/gpu.hpp"
#include "harness/machine/fitness.hpp"

namespace bench::machine {

// For each GPU that CUDA shows: "GPU 0 processes", memory, MIG, power limit, clocks, persistence, ECC. When
// the driver's GPUs cannot be matched with CUDA's, each has its findings.
std::vector<Fitness> fitness_of_gpus(const std::vector<Gpu>& gpus);

}  // namespace bench::machine
