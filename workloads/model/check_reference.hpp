#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "harness/worker/comparison.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

inline constexpr int kCheckedSteps = 3;  // losses compared in train-step

// What fp64 eager computes from the same weights and batch. fp64 throughout.
struct Reference {
  at::Tensor logits;                  // forward only
  std::vector<double> losses;         // one, or kCheckedSteps in train_step with AdamW's formula between them
  std::vector<at::Tensor> gradients;  // of the first step, parallel to the parameters
  double gradient_norm = 0;           // of all of them together
};

// `small` gives dimensions, mode and AdamW settings. Adds to `comparisons` how far fp64 eager is from the
// independent model of reference.cpp. Calls `between` when that model is done and eager begins.
Reference make_reference(const Configuration& small, const Parameters& weights, const Batch& batch,
                         worker::Comparisons& comparisons, const std::function<void()>& between);

}  // namespace bench::model
