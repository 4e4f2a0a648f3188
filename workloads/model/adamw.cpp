#include "workloads/model/adamw.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/scalar_tensor.h>

#include <cmath>
#include <optional>

namespace bench::model {
namespace {

std::vector<at::Tensor> gradients_of(const AdamWState& state) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(state.parameters.size());
  for (const at::Tensor& parameter : state.parameters) gradients.push_back(parameter.grad());
  return gradients;
}

// 1 - beta^step, 0-d fp64, from scalars that go into kernels as arguments.
at::Tensor correction(double beta, const at::Tensor& step) {
  return step.mul(std::log(beta)).exp().neg().add(1);
}

}  // namespace

void adamw_loop(AdamWState& state) {
  if (state.found_inf.defined() && state.found_inf.item<float>() != 0) return;
  const AdamWSettings& s = state.settings;
  for (std::size_t i = 0; i < state.parameters.size(); ++i) {
    const at::Tensor& parameter = state.parameters[i];
    const at::Tensor& gradient = parameter.grad();
    state.steps[i].add_(1);
    if (s.weight_decay != 0) parameter.mul_(1 - s.lr * s.weight_decay);
    state.first_moments[i].lerp_(gradient, 1 - s.beta1);
    state.second_moments[i].mul_(s.beta2).addcmul_(gradient, gradient, 1 - s.beta2);

    const double step =
        state.steps[i].item<double>();  // the step counters live on the CPU: waits for nothing
    const double correction1 = 1 - std::pow(s.beta1, step);
    const double correction2 = 1 - std::pow(s.beta2, step);
    const at::Tensor denominator = state.second_moments[i].sqrt().div(std::sqrt(correction2)).add_(s.eps);
    parameter.addcdiv_(state.first_moments[i], denominator, -s.lr / correction1);
  }
}

void adamw_foreach(AdamWState& state) {
  const AdamWSettings& s = state.settings;
  const std::vector<at::Tensor> gradients = gradients_of(state);
  at::_foreach_add_(state.steps, at::scalar_tensor(1.0), /*alpha=*/1.0);
  if (s.weight_decay != 0) at::_foreach_mul_(state.parameters, 1 - s.lr * s.weight_decay);
  at::_foreach_lerp_(state.first_moments, gradients, 1 - s.beta1);
  at::_foreach_mul_(state.second_moments, s.beta2);
  at::_foreach_addcmul_(state.second_moments, gradients, gradients, 1 - s.beta2);

  std::vector<at::Scalar> step_sizes, roots_of_correction2;
  for (const at::Tensor& counter : state.steps) {
    const double step = counter.item<double>();  // on the CPU: waits for nothing
    step_sizes.emplace_back(-(s.lr / (1 - std::pow(s.beta1, step))));
    roots_of_correction2.emplace_back(std::sqrt(1 - std::pow(s.beta2, step)));
  }
  const std::vector<at::Tensor> denominators = at::_foreach_sqrt(state.second_moments);
  at::_foreach_div_(denominators, roots_of_correction2);
  at::_foreach_add_(denominators, s.eps);
  at::_foreach_addcdiv_(state.parameters, state.first_moments, denominators, step_sizes);
}

void adamw_capturable(AdamWState& state) {
  const AdamWSettings& s = state.settings;
  const bool may_skip = state.found_inf.defined();
  const std::vector<at::Tensor> gradients = gradients_of(state);
  at::Tensor keep;  // 0-d fp32: 0 where this update is skipped, else 1
  if (may_skip) {
    const at::Tensor skip = state.found_inf.to(at::kBool);
    keep = state.found_inf.neg().add(1);
    // As 0·inf would be NaN. In place, as a second copy of all gradients would be the peak of memory. Not
    // where(): it would copy its scalar from the host, and wait.
    for (const at::Tensor& gradient : gradients) gradient.masked_fill_(skip, 0);
    at::_foreach_add_(state.steps, std::vector<at::Tensor>(state.steps.size(), keep));
    if (s.weight_decay != 0) at::_foreach_mul_(state.parameters, keep.mul(-s.lr * s.weight_decay).add(1));
    // lerp's sum with its two factors apart, as both must be neutral
    at::_foreach_mul_(state.first_moments, keep.mul(s.beta1 - 1).add(1));
    at::_foreach_add_(state.first_moments, gradients, 1 - s.beta1);
    at::_foreach_mul_(state.second_moments, keep.mul(s.beta2 - 1).add(1));
  } else {
    at::_foreach_add_(state.steps, 1);
    if (s.weight_decay != 0) at::_foreach_mul_(state.parameters, 1 - s.lr * s.weight_decay);
    at::_foreach_lerp_(state.first_moments, gradients, 1 - s.beta1);
    at::_foreach_mul_(state.second_moments, s.beta2);
  }
  at::_foreach_addcmul_(state.second_moments, gradients, gradients, 1 - s.beta2);

  // At least 1: a skipped first update would divide by 1 - beta^0.
  const at::Tensor step = state.steps.front().to(at::kDouble).clamp_min(1);
  at::Tensor step_size = correction(s.beta1, step).reciprocal().mul(-s.lr).to(at::kFloat);
  if (may_skip) step_size = step_size.mul(keep);  // the division by it below then gives m/inf
  const at::Tensor root_of_correction2 = correction(s.beta2, step).sqrt().to(at::kFloat);

  const std::vector<at::Tensor> denominators = at::_foreach_sqrt(state.second_moments);
  at::_foreach_div_(denominators, root_of_correction2);
  at::_foreach_add_(denominators, s.eps);
  at::_foreach_div_(denominators, step_size);
  at::_foreach_addcdiv_(state.parameters, state.first_moments, denominators);
}

void adamw_fused(AdamWState& state) {
  const AdamWSettings& s = state.settings;
  const std::vector<at::Tensor> gradients = gradients_of(state);
  std::optional<at::Tensor> grad_scale, found_inf;
  if (state.found_inf.defined()) {
    grad_scale = state.grad_scale;
    found_inf = state.found_inf;
  }
  at::_foreach_add_(state.steps, 1);
  at::_fused_adamw_(state.parameters, gradients, state.first_moments, state.second_moments, {}, state.steps,
                    s.lr, s.beta1, s.beta2, s.weight_decay, s.eps, /*amsgrad=*/false, /*maximize=*/false,
                    grad_scale, found_inf);
  if (found_inf) at::_foreach_sub_(state.steps, std::vector<at::Tensor>(state.steps.size(), *found_inf));
}

}  // namespace bench::model
