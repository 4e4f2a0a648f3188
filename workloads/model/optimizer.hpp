#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

#include "workloads/model/configuration.hpp"

namespace bench::model {

// The lists are parallel.
struct AdamWState {
  AdamWSettings settings;
  std::vector<at::Tensor> parameters;      // fp32, each with a .grad() when updated
  std::vector<at::Tensor> first_moments;   // exp_avg, shaped as the parameter
  std::vector<at::Tensor> second_moments;  // exp_avg_sq
  std::vector<at::Tensor> steps;           // 0-d fp32: updates done
};

using OptimizerFunction = void (*)(AdamWState&);

class Optimizer {
 public:
  // `variant` is a name of kOptimizerVariants. Allocates its state here, so that the first update is as any
  // other.
  Optimizer(std::string_view variant, const AdamWSettings& settings, std::vector<at::Tensor> parameters);

  // One update of every parameter from its gradient, under no_grad.
  void update();

  // For faults.cpp alone, which breaks it on request.
  AdamWState& state() { return state_; }

 private:
  AdamWState state_;
  OptimizerFunction function_;
};

}  // namespace bench::model
