#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "workloads/model/configuration.hpp"
#include "workloads/model/faults.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

struct UpdateError {
  double error;     // |w - w_fp64| / |w_fp64 - w_start|: of the update, not of the much larger weight
  double rounding;  // what rounding each weight once to its dtype amounts to, in the same unit
};

// Feeds the configuration's optimizer three given gradients per parameter (`gradients` times 1, -1/2, 1/4:
// exact, and different enough that wrong decays show, which bias correction hides at the first step), and its
// fp64 formula the same.
std::vector<UpdateError> update_errors(const Configuration& configuration, const Parameters& weights,
                                       const std::vector<at::Tensor>& gradients, Fault fault);

}  // namespace bench::model
