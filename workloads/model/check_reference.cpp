#include "workloads/model/check_reference.hpp"

#include <c10/core/GradMode.h>

#include <utility>

#include "workloads/model/check_bounds.hpp"
#include "workloads/model/model_run.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

using worker::Comparisons;
using worker::gradient_error;
using worker::joint_norm;
using worker::relative_error;

Parameters in_fp64(const Parameters& weights, const Dimensions& dimensions) {
  return converted(weights, dimensions, [](const at::Tensor& tensor) { return tensor.to(at::kDouble); });
}

std::vector<at::Tensor> take_gradients(const Parameters& parameters) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters.tensors) {
    gradients.push_back(parameter.grad());
    parameter.mutable_grad().reset();
  }
  return gradients;
}

// Logits or the first step's loss and gradients, by the independent model.
Reference independent(const Configuration& small, const Parameters& weights, const Batch& batch) {
  Reference result;
  const bool learns = small.mode != Mode::forward;
  const Parameters parameters = in_fp64(weights, small.dimensions);
  reference::Weights by_name;
  for (std::size_t i = 0; i < parameters.tensors.size(); ++i) {
    by_name[parameters.names[i]] = parameters.tensors[i].set_requires_grad(learns);
  }
  const c10::AutoGradMode gradients(learns);
  const at::Tensor logits = reference::logits(small.dimensions, by_name, batch.tokens);
  if (!learns) {
    result.logits = logits;
    return result;
  }
  const at::Tensor loss = reference::loss(logits, batch.targets);
  loss.backward();
  result.losses.push_back(loss.item<double>());
  result.gradients = take_gradients(parameters);
  return result;
}

void update(const at::Tensor& parameter, const at::Tensor& gradient,
            std::vector<reference::AdamWMoments>& moments, int step, const AdamWSettings& settings) {
  const std::vector<at::Tensor> values = reference::pieces(parameter);
  const std::vector<at::Tensor> slopes = reference::pieces(gradient);
  moments.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].copy_(reference::adamw(values[i], slopes[i], moments[i], step, settings));
  }
}

// Steps two and three: AdamW's formula, then the loss again.
void add_later_losses(Reference& result, ModelRun& run, const Configuration& small, const Batch& batch) {
  const std::vector<at::Tensor>& parameters = run.parameters().tensors;
  std::vector<std::vector<reference::AdamWMoments>> moments(
      parameters.size());  // per piece of each parameter
  std::vector<at::Tensor> gradients = result.gradients;
  for (int step = 1; step < kCheckedSteps; ++step) {
    {
      const c10::NoGradGuard no_grad;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        update(parameters[i], gradients[i], moments[i], step, small.adamw);
        gradients[i].reset();
      }
    }
    const at::Tensor loss = run.loss(batch);
    result.losses.push_back(loss.item<double>());
    if (step + 1 == kCheckedSteps) break;
    run.backward(loss);
    gradients = take_gradients(run.parameters());
  }
}

void compare(const Reference& eager, const Reference& other, const Parameters& weights,
             Comparisons& comparisons) {
  const std::string prefix = "fp64 eager against the independent fp64 model: ";
  if (eager.logits.defined()) {
    comparisons.add(prefix + "logits", relative_error(eager.logits, other.logits), kReferencesAgree);
    return;
  }
  comparisons.add(prefix + "loss", worker::loss_error(eager.losses[0], other.losses[0]), kReferencesAgree);
  for (std::size_t i = 0; i < weights.names.size(); ++i) {
    comparisons.add(prefix + "gradient of " + weights.names[i],
                    gradient_error(eager.gradients[i], other.gradients[i], eager.gradient_norm),
                    kReferencesAgree);
  }
}

}  // namespace

Reference make_reference(const Configuration& small, const Parameters& weights, const Batch& batch,
                         Comparisons& comparisons, const std::function<void()>& between) {
  Reference other = independent(small, weights, batch);
  if (between) between();

  Configuration eager = small;
  eager.precision = Precision::fp64;
  eager.attention = "naive";
  if (eager.mode == Mode::train_step) eager.mode = Mode::forward_backward;  // its update is the formula's
  ModelRun run(eager, in_fp64(weights, eager.dimensions));

  Reference result;
  if (small.mode == Mode::forward) {
    result.logits = run.logits(batch.tokens);
    compare(result, other, weights, comparisons);
    return result;
  }
  {
    const at::Tensor loss = run.loss(batch);
    run.backward(loss);
    result.losses.push_back(loss.item<double>());
    result.gradients = take_gradients(run.parameters());
    result.gradient_norm = joint_norm(result.gradients);
  }
  compare(result, other, weights, comparisons);
  other = {};
  if (small.mode == Mode::train_step) add_later_losses(result, run, small, batch);
  return result;
}

}  // namespace bench::model
