#include "workloads/model/optimizer_check.hpp"

#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <utility>

#include "workloads/model/optimizer.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

constexpr int kUpdates = 3;
constexpr double kFp32Roundoff = 0x1p-24;
constexpr double kGradientRatio = -0.5;  // from one update to the next

at::Tensor formula(const at::Tensor& start, const at::Tensor& gradient, const AdamWSettings& settings) {
  reference::AdamWMoments moments;
  at::Tensor parameter = start;
  double scale = 1;
  for (int step = 1; step <= kUpdates; ++step, scale *= kGradientRatio) {
    parameter = reference::adamw(parameter, gradient.mul(scale), moments, step, settings);
  }
  return parameter;
}

double norm(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor).item<double>();
}

}  // namespace

std::vector<UpdateError> update_errors(const Configuration& configuration, const Parameters& weights,
                                       const std::vector<at::Tensor>& gradients, Fault fault) {
  std::vector<at::Tensor> parameters;
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    parameters.push_back(weights.tensors[i].clone());
    parameters[i].mutable_grad() = gradients[i].to(at::kFloat);
  }
  Optimizer optimizer(configuration.optimizer, configuration.adamw, parameters);
  break_new_optimizer(optimizer, fault);
  for (int step = 1; step <= kUpdates; ++step) {
    break_before_update(optimizer, fault);
    optimizer.update();
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad().mul_(kGradientRatio);
  }

  std::vector<UpdateError> errors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor start = weights.tensors[i].to(at::kDouble);
    const at::Tensor gradient = gradients[i].to(at::kFloat).to(at::kDouble);
    const at::Tensor right = formula(start, gradient, configuration.adamw);
    const double moved = norm(right.sub(start));
    const double off = norm(parameters[i].to(at::kDouble).sub(right));
    const double largest = std::max(norm(start), norm(right));
    errors.push_back(moved == 0 ? UpdateError{off, kFp32Roundoff}
                                : UpdateError{off / moved, kFp32Roundoff * largest / moved});
  }
  return errors;
}

}  // namespace bench::model
