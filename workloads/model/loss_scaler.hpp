#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace bench::model {

// torch.amp.GradScaler with its default settings, entirely on the device: no step waits to learn whether its
// gradients overflowed.
class LossScaler {
 public:
  explicit LossScaler(c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const;
  // Notes whether any gradient is not finite, and divides them by the scale in place if `unscale`.
  void inspect(const std::vector<at::Tensor>& parameters, bool unscale);
  // After the update: a lower scale if it was skipped, a higher one after 2,000 that were not.
  void adjust();

  // 0-d fp32, the same tensors for the scaler's life.
  const at::Tensor& scale() const { return scale_; }
  const at::Tensor& found_inf() const { return found_inf_; }

  // These read from the device, or write to it, and wait: not for use in a step.
  std::int64_t skipped_updates() const;
  // Whether the gradients as they are have an element that is not finite.
  static bool overflowed(const std::vector<at::Tensor>& parameters);
  void lower();

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;  // 0-d int32: updates since the scale last changed
  at::Tensor found_inf_;       // 1 or 0
  at::Tensor one_;
  at::Tensor skipped_;  // 0-d int64
};

}  // namespace bench::model
