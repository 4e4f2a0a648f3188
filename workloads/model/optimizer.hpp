#pragma once

#include <string_view>
#include <vector>

#include "workloads/model/adamw.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/loss_scaler.hpp"

namespace bench::model {

struct OptimizerRequest {
  std::string_view variant;  // a name of kOptimizerVariants
  AdamWSettings settings;
  bool captured = false;               // its updates go into a CUDA graph: nothing may be kept on the host
  const LossScaler* scaler = nullptr;  // whose gradients it gets; outlives it
};

class Optimizer {
 public:
  // Allocates its state here, so that the first update is as any other.
  Optimizer(const OptimizerRequest& request, std::vector<at::Tensor> parameters);

  // One update of every parameter from its gradient, under no_grad.
  void update();

  // Whether it divides scaled gradients by the scale itself.
  bool unscales() const { return function_ == adamw_fused; }

  // For fault_injection.cpp alone, which breaks it on request.
  AdamWState& state() { return state_; }

 private:
  AdamWState state_;
  AdamWFunction function_;
};

}  // namespace bench::model
