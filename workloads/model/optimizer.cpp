#include "workloads/model/optimizer.hpp"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/core/error.hpp"
#include "workloads/model/variants.hpp"

namespace bench::model {
namespace {

// What PyTorch runs of a variant on a device.
using Choose = AdamWFunction (*)(const OptimizerRequest&, c10::Device);

AdamWFunction choose_adamw(const OptimizerRequest& request, c10::Device device) {
  // On the host nothing has to be waited for; there is no graph of it either.
  if (device.is_cpu() && !request.captured) return adamw_loop;
  const bool host_would_wait = request.captured || request.scaler != nullptr;
  return host_would_wait ? adamw_capturable : adamw_foreach;
}

AdamWFunction choose_adamw_fused(const OptimizerRequest&, c10::Device) {
  return adamw_fused;
}

struct Binding {
  std::string_view name;
  Choose choose;
};
constexpr std::array kBindings{Binding{"adamw", choose_adamw}, Binding{"adamw-fused", choose_adamw_fused}};
static_assert(std::ranges::equal(kBindings, kOptimizerVariants, {}, &Binding::name, &Variant::name),
              "every row of kOptimizerVariants needs its function here, in the same order");

AdamWFunction function_for(const OptimizerRequest& request, c10::Device device) {
  const auto found = std::ranges::find(kBindings, request.variant, &Binding::name);
  if (found == kBindings.end())
    throw Error(ErrorKind::internal, fmt::format("no optimizer is named {}", request.variant));
  return found->choose(request, device);
}

bool keeps_steps_on_device(AdamWFunction function) {
  return function == adamw_fused || function == adamw_capturable;
}

}  // namespace

Optimizer::Optimizer(const OptimizerRequest& request, std::vector<at::Tensor> parameters)
    : function_(function_for(request, parameters.at(0).device())) {
  state_.settings = request.settings;
  state_.parameters = std::move(parameters);
  for (const at::Tensor& parameter : state_.parameters) {
    const c10::Device device = keeps_steps_on_device(function_) ? parameter.device() : c10::Device(at::kCPU);
    state_.first_moments.push_back(at::zeros_like(parameter));
    state_.second_moments.push_back(at::zeros_like(parameter));
    state_.steps.push_back(at::zeros({}, at::TensorOptions(at::kFloat).device(device)));
  }
  if (request.scaler != nullptr) {
    state_.found_inf = request.scaler->found_inf();
    state_.grad_scale = request.scaler->scale();
  }
}

void Optimizer::update() {
  const c10::NoGradGuard no_grad;
  function_(state_);
}

}  // namespace bench::model
