#include "workloads/model/check_file.hpp"

#include <ATen/ops/tensor.h>

#include <vector>

#include "harness/core/error.hpp"
#include "harness/worker/safetensors.hpp"
#include "workloads/model/optimizer_check.hpp"

namespace bench::model {
namespace {

void add_all(worker::NamedTensors& file, const std::string& prefix, const std::vector<std::string>& names,
             const std::vector<at::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) file.emplace_back(prefix + names[i], tensors[i]);
}

// The bounds of one quantity, in the order of its deviations.
void add_allowed(worker::NamedTensors& file, const std::string& name, const CheckBasis& basis,
                 Quantity quantity) {
  std::vector<double> allowed;
  for (const auto& deviation : basis.of_yardstick)
    if (deviation.quantity == quantity)
      allowed.push_back(worker::allowed(deviation, [&](Quantity of) { return basis.bounds_of(of); }));
  file.emplace_back("allowed." + name, at::tensor(allowed, at::kDouble));
}

}  // namespace

void write_check_file(const CheckRequest& request, const std::string& path) {
  std::int64_t done = 0;
  const CheckBasis basis = make_check_basis(request, [&] {
    if (request.progress) request.progress("check", done++, 3);
  });
  if (const Check check = basis.comparisons.check(); !check.passed)
    throw Error(ErrorKind::internal, "the reference of the check is off: " + check.reason);

  const std::vector<std::string>& names = basis.weights.names;
  worker::NamedTensors file;
  add_all(file, "weight.", names, basis.weights.tensors);
  file.emplace_back("tokens", basis.batch.tokens);
  file.emplace_back("targets", basis.batch.targets);
  if (basis.small.mode == Mode::forward) {
    file.emplace_back("logits", basis.reference.logits);
    add_allowed(file, "logits", basis, Quantity::logits);
  } else {
    file.emplace_back("losses", at::tensor(basis.reference.losses, at::kDouble));
    add_all(file, "gradient.", names, basis.reference.gradients);
    add_allowed(file, "losses", basis, Quantity::loss);
    add_allowed(file, "gradients", basis, Quantity::gradient);
  }
  if (basis.small.mode == Mode::train_step) {
    const AdamWSettings& of_steps = basis.small.adamw;
    file.emplace_back("adamw", at::tensor(std::vector<double>{of_steps.lr, of_steps.beta1, of_steps.beta2,
                                                              of_steps.eps, of_steps.weight_decay},
                                          at::kDouble));
    add_all(file, "updated.", names, expected_updates(basis.weights, basis.reference.gradients, basis.asked));
    add_allowed(file, "updates", basis, Quantity::update);
  }
  worker::write_safetensors(path, file);
  if (request.progress) request.progress("check", 3, 3);
}

}  // namespace bench::model
