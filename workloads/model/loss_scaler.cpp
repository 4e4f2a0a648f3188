#include "workloads/model/loss_scaler.hpp"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

namespace bench::model {
namespace {

// torch/amp/grad_scaler.py
constexpr double kInitialScale = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  return gradients;
}

}  // namespace

LossScaler::LossScaler(c10::Device device) {
  const auto options = at::TensorOptions(at::kFloat).device(device);
  scale_ = at::full({}, kInitialScale, options);
  growth_tracker_ = at::zeros({}, options.dtype(at::kInt));
  found_inf_ = at::zeros({}, options);
  one_ = at::full({}, 1.0, options);
  skipped_ = at::zeros({}, options.dtype(at::kLong));
}

at::Tensor LossScaler::scaled(const at::Tensor& loss) const {
  return loss.mul(scale_);
}

void LossScaler::inspect(const std::vector<at::Tensor>& parameters, bool unscale) {
  const c10::NoGradGuard no_grad;
  found_inf_.zero_();
  // In fp64, as PyTorch does.
  const at::Tensor inverse = unscale ? scale_.to(at::kDouble).reciprocal().to(at::kFloat) : one_;
  at::_amp_foreach_non_finite_check_and_unscale_(gradients_of(parameters), found_inf_, inverse);
}

void LossScaler::adjust() {
  const c10::NoGradGuard no_grad;
  skipped_.add_(found_inf_.to(at::kLong));
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowth, kBackoff, kGrowthInterval);
}

std::int64_t LossScaler::skipped_updates() const {
  return skipped_.item<std::int64_t>();
}

bool LossScaler::overflowed(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& gradient : gradients_of(parameters))
    if (!at::isfinite(gradient).all().item<bool>()) return true;
  return false;
}

void LossScaler::lower() {
  scale_.mul_(kBackoff);
}

}  // namespace bench::model
