#include "workloads/model/optimizer_check.hpp"

#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/model/optimizer.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

constexpr int kUpdates = 3;
constexpr double kFp32Roundoff = 0x1p-24;
constexpr double kBf16Roundoff = 0x1p-9;
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

double square_sum(const at::Tensor& tensor) {
  return std::pow(at::linalg_vector_norm(tensor).item<double>(), 2);
}

UpdateError update_error(const at::Tensor& start, const at::Tensor& gradient, const at::Tensor& updated,
                         const AdamWSettings& settings) {
  double off = 0, moved = 0, before = 0, after = 0;  // sums of squares
  const std::vector<at::Tensor> starts = reference::pieces(start);
  const std::vector<at::Tensor> slopes = reference::pieces(gradient);
  const std::vector<at::Tensor> ends = reference::pieces(updated);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const at::Tensor from = starts[i].to(at::kDouble);
    const at::Tensor right = formula(from, slopes[i].to(at::kDouble), settings);
    off += square_sum(ends[i].to(at::kDouble).sub(right));
    moved += square_sum(right.sub(from));
    before += square_sum(from);
    after += square_sum(right);
  }
  const double roundoff = start.scalar_type() == at::kBFloat16 ? kBf16Roundoff : kFp32Roundoff;
  const double unit = moved == 0 ? 1 : std::sqrt(moved);
  return {std::sqrt(off) / unit, roundoff * std::sqrt(std::max(before, after)) / unit};
}

}  // namespace

std::vector<at::Tensor> expected_updates(const Parameters& weights, const std::vector<at::Tensor>& gradients,
                                         const AdamWSettings& settings) {
  std::vector<at::Tensor> updated;
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    updated.push_back(weights.tensors[i].to(at::kDouble));
    const at::Tensor gradient = gradients[i].to(weights.tensors[i].scalar_type()).to(at::kDouble);
    const std::vector<at::Tensor> ends = reference::pieces(updated[i]);
    const std::vector<at::Tensor> slopes = reference::pieces(gradient);
    for (std::size_t piece = 0; piece < ends.size(); ++piece)
      ends[piece].copy_(formula(ends[piece], slopes[piece], settings));
  }
  return updated;
}

std::vector<UpdateError> update_errors(const Configuration& configuration, const Parameters& weights,
                                       const std::vector<at::Tensor>& gradients, Fault fault) {
  std::vector<at::Tensor> parameters;
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    parameters.push_back(weights.tensors[i].clone());
    parameters[i].mutable_grad() = gradients[i].to(parameters[i].scalar_type());
  }
  Optimizer optimizer({.variant = configuration.optimizer,
                       .settings = configuration.adamw,
                       .captured = configuration.captured},
                      parameters);
  break_new_optimizer(optimizer, fault);
  for (int step = 1; step <= kUpdates; ++step) {
    break_before_update(optimizer, fault);
    optimizer.update();
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad().mul_(kGradientRatio);
  }

  std::vector<UpdateError> errors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    errors.push_back(update_error(weights.tensors[i], gradients[i].to(weights.tensors[i].scalar_type()),
                                  parameters[i], configuration.adamw));
  }
  return errors;
}

}  // namespace bench::model
