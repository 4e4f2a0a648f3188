#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "workloads/model/configuration.hpp"
#include "workloads/model/eager.hpp"
#include "workloads/model/faults.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/optimizer.hpp"

namespace bench::model {

// A model with what its mode needs, and the parts of its step. The check runs the same code that is timed.
// Nothing here synchronises with the device.
class ModelRun {
 public:
  // Takes the parameters as its own and updates them in place. Allocates the optimizer's state.
  ModelRun(const Configuration& configuration, Parameters parameters, Fault fault = Fault::none);

  at::Tensor logits(const at::Tensor& tokens);  // inference: no_grad. (B, T) -> (B, T, V)
  at::Tensor loss(const Batch& batch);          // 0-d, with its graph
  void backward(const at::Tensor& loss);
  void update();          // train_step only
  void zero_gradients();  // to none

  const Parameters& parameters() const { return model_.parameters(); }

 private:
  Configuration configuration_;
  Fault fault_;
  EagerModel model_;
  std::optional<Optimizer> optimizer_;
  FaultyOutput faulty_;  // unused without a fault
};

}  // namespace bench::model
