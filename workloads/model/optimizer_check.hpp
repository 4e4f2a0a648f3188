#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "workloads/model/configuration.hpp"
#include "workloads/model/fault_injection.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

struct UpdateError {
  double error;     // |w - w_fp64| / |w_fp64 - w_start|: of the update, not of the much larger weight
  double rounding;  // what rounding each weight once to its dtype amounts to, in the same unit
};

// What AdamW's formula makes of the weights after three updates from these gradients, in fp64: those that
// update_errors() feeds. Gradients are rounded to the weights' dtype first.
std::vector<at::Tensor> expected_updates(const Parameters& weights, const std::vector<at::Tensor>& gradients,
                                         const AdamWSettings& settings);

// Feeds the configuration's optimizer three given gradients per parameter (`gradients` times 1, -1/2, 1/4:
// exact, and different enough that wrong decays show, which bias correction hides at the first step), and its
// fp64 formula the same.
std::vector<UpdateError> update_errors(const Configuration& configuration, const Parameters& weights,
                                       const std::vector<at::Tensor>& gradients, Fault fault);

}  // namespace bench::model
