#include "workloads/attention/right_results.hpp"

#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>

#include "harness/worker/comparison.hpp"
#include "harness/worker/counting_allocator.hpp"
#include "workloads/attention/naive.hpp"
#include "workloads/attention/sdpa.hpp"

namespace bench::attention {
namespace {

double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>();
}

}  // namespace

double log_sum_exp_error(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor wide = value.to(at::kDouble);
  if (wide.isneginf().ne(reference.isneginf()).any().item<bool>())
    return std::numeric_limits<double>::infinity();
  return largest(wide.sub(reference).masked_fill(reference.isneginf(), 0));
}

RightResults::RightResults(const Problem& problem, const Inputs& inputs, const Masking& masking)
    : mode_(problem.mode),
      inputs_(inputs),
      masking_(masking),
      reference_(reference::attention(inputs, masking)) {
  if (mode_ == Mode::forward) return;
  gradients_ = {{"dQ", reference_.d_query}, {"dK", reference_.d_key}, {"dV", reference_.d_value}};
  std::vector<at::Tensor> all;
  for (const auto& [name, gradient] : gradients_) {
    all.push_back(gradient);
    largest_gradient_ = std::max(largest_gradient_, largest(gradient));
  }
  gradient_norm_ = worker::joint_norm(all);
}

Deviations RightResults::deviations(const Attention& attention) const {
  Deviations result;
  const worker::BlocksPoisoned poisoned;  // the CPU's
  if (inputs_.query.is_cuda()) poison_free_memory();
  const bool learns = mode_ != Mode::forward;
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs_.learned())
    leaves.push_back(input.detach().set_requires_grad(learns));
  const c10::AutoGradMode grad_mode(learns);
  Attended attended = attention(leaves[0], leaves[1], leaves[2]);
  try {
    if (learns) attended.output.backward(inputs_.d_output);
  } catch (const c10::Error& error) {
    throw_if_refusal(error);
    throw;
  }
  append(result, "O", Quantity::output, attended.output.detach(), reference_.output);
  if (attended.log_sum_exp.defined())
    result.push_back({Quantity::log_sum_exp, "log-sum-exp",
                      log_sum_exp_error(attended.log_sum_exp, reference_.log_sum_exp)});
  for (std::size_t i = 0; i < gradients_.size(); ++i)
    append(result, gradients_[i].first, Quantity::gradient, leaves[i].grad(), gradients_[i].second);
  return result;
}

double RightResults::naive_log_sum_exp_error() const {
  return log_sum_exp_error(naive_log_sum_exp(inputs_.query, inputs_.key, masking_), reference_.log_sum_exp);
}

void RightResults::append(Deviations& to, const std::string& of, Quantity quantity, const at::Tensor& value,
                          const at::Tensor& reference) const {
  if (!value.defined()) {
    to.push_back({quantity, of, std::numeric_limits<double>::infinity()});
    return;
  }
  const bool is_output = quantity == Quantity::output;
  const at::Tensor difference = value.to(at::kDouble).sub(reference);
  const double norm = is_output ? worker::joint_norm({reference}) : gradient_norm_;
  const double most = is_output ? largest(reference) : largest_gradient_;
  const auto relative = [](double error, double to_what) { return error == 0 ? 0 : error / to_what; };
  to.push_back({quantity, of, relative(worker::joint_norm({difference}), norm)});
  to.push_back({is_output ? Quantity::largest_output : Quantity::largest_gradient, "largest entry of " + of,
                relative(largest(difference), most)});
}

// What an implementation forgets to write then shows most of the time: allocators hand out again what was
// freed last.
void RightResults::poison_free_memory() const {
  std::vector<at::Tensor> poison;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 2; ++i)
    for (const at::Tensor& tensor : {inputs_.query, inputs_.key})
      for (const at::ScalarType dtype : {tensor.scalar_type(), at::kFloat})
        poison.push_back(at::full(tensor.sizes(), kNan, tensor.options().dtype(dtype)));
  poison.push_back(
      at::full(reference_.log_sum_exp.sizes(), kNan, reference_.log_sum_exp.options().dtype(at::kFloat)));
}

}  // namespace bench::attention
