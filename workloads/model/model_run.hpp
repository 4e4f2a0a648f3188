#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "workloads/model/configuration.hpp"
#include "workloads/model/eager.hpp"
#include "workloads/model/fault_injection.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/loss_scaler.hpp"
#include "workloads/model/optimizer.hpp"

namespace bench::model {

// A model with what its mode needs, and the parts of its step. The check runs the same code that is timed.
// Nothing here synchronises with the device.
class ModelRun {
 public:
  // Takes the parameters as its own and updates them in place; they have the dtype of the precision
  // (initialization.hpp). Allocates the optimizer's state. Not to be copied or moved: parts point to others.
  ModelRun(const Configuration& configuration, Parameters parameters, Fault fault = Fault::none);

  ModelRun(const ModelRun&) = delete;
  ModelRun& operator=(const ModelRun&) = delete;

  at::Tensor logits(const at::Tensor& tokens);  // inference: no_grad. (B, T) -> (B, T, V)
  at::Tensor loss(const Batch& batch);          // 0-d, with its graph
  void backward(const at::Tensor& loss);        // of the scaled loss in fp16_mixed
  void update();                                // train_step only
  void zero_gradients();                        // to none

  // In fp16_mixed whoever compares gradients divides by the scale and redoes a backward that overflowed.
  LossScaler* scaler() { return scaler_ ? &*scaler_ : nullptr; }
  std::int64_t skipped_updates() const { return scaler_ ? scaler_->skipped_updates() : 0; }  // waits

  const Parameters& parameters() const { return model_.parameters(); }

 private:
  Configuration configuration_;
  Fault fault_;
  EagerModel model_;
  std::optional<LossScaler> scaler_;  // fp16_mixed, outside forward
  std::optional<Optimizer> optimizer_;
  FaultyOutput faulty_;  // unused without a fault
};

}  // namespace bench::model
