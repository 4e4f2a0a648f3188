#include "workloads/model/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/worker/comparison.hpp"
#include "workloads/model/check_bounds.hpp"
#include "workloads/model/check_reference.hpp"
#include "workloads/model/graph_check.hpp"
#include "workloads/model/model_run.hpp"
#include "workloads/model/optimizer_check.hpp"

namespace bench::model {
namespace {

using worker::Comparisons;
using worker::gradient_error;
using worker::loss_error;
using worker::relative_error;

constexpr std::int64_t kCheckLayers = 2;
constexpr std::int64_t kCheckBatch = 2;
constexpr std::int64_t kCheckContextCpu = 256;
constexpr std::int64_t kCheckContextCuda = 2048;

// The bounds were measured with 24 tokens and more. Errors of single tokens average out as one over the root
// of their number, so fewer are allowed as much more.
double few_tokens(const Dimensions& dimensions) {
  constexpr double kTokensSeen = 24;
  return std::sqrt(std::max(1.0, kTokensSeen / double(dimensions.batch * dimensions.context)));
}

// Training skips updates until its scale fits; here every one counts, so the backward is redone instead.
void settle_scale(ModelRun& run, const Batch& batch) {
  LossScaler* const scaler = run.scaler();
  constexpr int kHalvings = 24;  // from 65,536 to below 1: what overflows then does so without a scale
  for (int i = 0; scaler && i < kHalvings && LossScaler::overflowed(run.parameters().tensors); ++i) {
    run.zero_gradients();
    scaler->lower();
    run.backward(run.loss(batch));
  }
}

at::Tensor unscaled_gradient(ModelRun& run, std::size_t index) {
  const at::Tensor& gradient = run.parameters().tensors[index].grad();
  return run.scaler() ? gradient.to(at::kDouble).div(run.scaler()->scale().to(at::kDouble)) : gradient;
}

// What one implementation gets wrong, in an order that does not depend on the implementation.
Deviations deviations(const Configuration& configuration, const Parameters& weights, const Batch& batch,
                      const Reference& reference, Fault fault) {
  Deviations result;
  const auto copy = [](const at::Tensor& tensor) { return tensor.clone(); };
  ModelRun run(configuration, converted(weights, configuration.dimensions, copy), fault);
  if (configuration.mode == Mode::forward) {
    result.push_back(
        {Quantity::logits, "logits", relative_error(run.logits(batch.tokens), reference.logits)});
    return result;
  }
  for (std::size_t step = 0; step < reference.losses.size(); ++step) {
    const at::Tensor loss = run.loss(batch);
    result.push_back({Quantity::loss, fmt::format("loss of step {}", step + 1),
                      loss_error(loss.item<double>(), reference.losses[step]),
                      few_tokens(configuration.dimensions)});
    if (step + 1 == reference.losses.size() && step > 0) break;
    run.backward(loss);
    settle_scale(run, batch);
    if (step == 0) {
      for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
        result.push_back(
            {Quantity::gradient, "gradient of " + weights.names[i],
             gradient_error(unscaled_gradient(run, i), reference.gradients[i], reference.gradient_norm),
             few_tokens(configuration.dimensions)});
      }
    }
    if (configuration.mode == Mode::train_step) run.update();
    run.zero_gradients();
  }
  return result;
}

void append_update_deviations(Deviations& result, Configuration configuration, const AdamWSettings& asked,
                              const Parameters& weights, const Reference& reference, Fault fault) {
  if (configuration.mode != Mode::train_step) return;
  configuration.adamw = asked;
  const std::vector<UpdateError> errors = update_errors(configuration, weights, reference.gradients, fault);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    result.push_back(
        {Quantity::update, "update of " + weights.names[i], errors[i].error, errors[i].rounding});
  }
}

// For the losses of steps two and three. An update moves a logit by about lr times the width. A tenth moves
// the loss far more than rounding does, and is so small that rounding does not grow in the steps: with lr
// 1e-3 at d-model 2560 two right fp32 implementations differ by 7e-6 in the third loss.
AdamWSettings settings_of_steps(std::int64_t d_model) {
  return {.lr = 0.1 / double(d_model)};
}

Configuration yardstick_of(Configuration configuration) {
  configuration.attention = "naive";
  configuration.optimizer = "adamw";
  configuration.captured = false;
  return configuration;
}

bool same_implementation(const Configuration& a, const Configuration& b) {
  return a.attention == b.attention && a.captured == b.captured &&
         (a.mode != Mode::train_step || a.optimizer == b.optimizer);
}

}  // namespace

Configuration small_version(const Configuration& configuration, c10::Device device) {
  Configuration small = configuration;
  small.dimensions.layers = kCheckLayers;
  small.dimensions.batch = kCheckBatch;
  small.dimensions.context =
      std::min(small.dimensions.context, device.is_cuda() ? kCheckContextCuda : kCheckContextCpu);
  return small;
}

CheckBasis make_check_basis(const CheckRequest& request, const std::function<void()>& between) {
  CheckBasis basis;
  basis.small = small_version(request.configuration, request.device);
  basis.asked = std::exchange(basis.small.adamw, settings_of_steps(basis.small.dimensions.d_model));
  const Configuration yardstick = yardstick_of(basis.small);

  at::Generator generator = seeded_generator(request.seed, request.device);
  basis.weights = in_precision(initialized_parameters(basis.small.dimensions, generator, {}),
                               basis.small.dimensions, basis.small.precision);
  basis.batch = random_batch(basis.small.dimensions, generator);

  between();
  basis.reference = make_reference(basis.small, basis.weights, basis.batch, basis.comparisons, between);

  between();
  basis.of_yardstick = deviations(yardstick, basis.weights, basis.batch, basis.reference, Fault::none);
  append_update_deviations(basis.of_yardstick, yardstick, basis.asked, basis.weights, basis.reference,
                           Fault::none);
  worker::compare_yardstick(
      basis.comparisons, basis.of_yardstick, [&](Quantity quantity) { return basis.bounds_of(quantity); },
      fmt::format("eager, naive, {}: ", to_text(basis.small.precision)));
  return basis;
}

Comparisons compare_with_reference(const CheckRequest& request) {
  const Configuration small = small_version(request.configuration, request.device);
  const Fault fault = seen_by_check(request.fault);
  const bool is_yardstick = same_implementation(small, yardstick_of(small)) && fault == Fault::none;
  const std::int64_t runs = is_yardstick ? 3 : 4;
  std::int64_t done = 0;
  const auto report = [&] {
    if (request.progress) request.progress("check", done++, runs);
  };

  CheckBasis basis = make_check_basis(request, report);
  if (!is_yardstick) {
    report();
    Deviations of_candidate = deviations(basis.small, basis.weights, basis.batch, basis.reference, fault);
    append_update_deviations(of_candidate, basis.small, basis.asked, basis.weights, basis.reference, fault);
    worker::compare_candidate(basis.comparisons, of_candidate, basis.of_yardstick,
                              [&](Quantity quantity) { return basis.bounds_of(quantity); });
  }
  if (basis.small.captured && request.harness_device != nullptr)
    compare_graph_with_eager(basis.small, basis.weights, basis.batch, *request.harness_device,
                             basis.comparisons);
  if (request.progress) request.progress("check", runs, runs);
  return std::move(basis.comparisons);
}

Check check_model(const CheckRequest& request) {
  return compare_with_reference(request).check();
}

}  // namespace bench::model
