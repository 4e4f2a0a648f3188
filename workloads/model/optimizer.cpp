#include "workloads/model/optimizer.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/core/error.hpp"
#include "workloads/model/variants.hpp"

namespace bench::model {
namespace {

// The operators of torch 2.11's _single_tensor_adam (torch/optim/adam.py) with decoupled weight decay, in its
// order.
void adamw(AdamWState& state) {
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

// As torch 2.11's _fused_adam: one call for the counters, one for the update.
void adamw_fused(AdamWState& state) {
  const AdamWSettings& s = state.settings;
  std::vector<at::Tensor> gradients;
  gradients.reserve(state.parameters.size());
  for (const at::Tensor& parameter : state.parameters) gradients.push_back(parameter.grad());
  at::_foreach_add_(state.steps, 1);
  at::_fused_adamw_(state.parameters, gradients, state.first_moments, state.second_moments, {}, state.steps,
                    s.lr, s.beta1, s.beta2, s.weight_decay, s.eps, /*amsgrad=*/false, /*maximize=*/false);
}

struct Binding {
  std::string_view name;
  OptimizerFunction function;
  bool steps_on_device;  // where PyTorch keeps the counters of this variant
};
constexpr std::array kBindings{Binding{"adamw", adamw, false}, Binding{"adamw-fused", adamw_fused, true}};
static_assert(std::ranges::equal(kBindings, kOptimizerVariants, {}, &Binding::name, &Variant::name),
              "every row of kOptimizerVariants needs its function here, in the same order");

const Binding& binding(std::string_view name) {
  const auto found = std::ranges::find(kBindings, name, &Binding::name);
  if (found == kBindings.end())
    throw Error(ErrorKind::internal, fmt::format("no optimizer is named {}", name));
  return *found;
}

}  // namespace

Optimizer::Optimizer(std::string_view variant, const AdamWSettings& settings,
                     std::vector<at::Tensor> parameters)
    : function_(binding(variant).function) {
  state_.settings = settings;
  state_.parameters = std::move(parameters);
  for (const at::Tensor& parameter : state_.parameters) {
    const c10::Device device = binding(variant).steps_on_device ? parameter.device() : c10::Device(at::kCPU);
    state_.first_moments.push_back(at::zeros_like(parameter));
    state_.second_moments.push_back(at::zeros_like(parameter));
    state_.steps.push_back(at::zeros({}, at::TensorOptions(at::kFloat).device(device)));
  }
}

void Optimizer::update() {
  const c10::NoGradGuard no_grad;
  function_(state_);
}

}  // namespace bench::model
