#include "workloads/attention/check.hpp"

#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/check_bounds.hpp"
#include "workloads/attention/faults.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/naive.hpp"
#include "workloads/attention/reference.hpp"

namespace bench::attention {
namespace {

constexpr std::int64_t kCheckBatch = 2;
constexpr std::int64_t kCheckHeads = 4;
constexpr std::int64_t kCheckLengthCpu = 256;
constexpr std::int64_t kCheckLengthCuda = 2048;

// The largest length up to `most` that leaves over as much behind its last whole 64 as `length` does.
std::int64_t shortened(std::int64_t length, std::int64_t most) {
  constexpr std::int64_t kTile = 64;
  if (length <= most) return length;
  const std::int64_t rest = length % kTile;
  return most < rest ? std::max<std::int64_t>(1, most) : most - (most - rest) % kTile;
}

struct Deviation {
  Quantity quantity;
  std::string of;
  double error;
};

double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>();
}

// Both must be -inf, or neither.
double log_sum_exp_error(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor wide = value.to(at::kDouble);
  if (wide.isneginf().ne(reference.isneginf()).any().item<bool>())
    return std::numeric_limits<double>::infinity();
  return largest(wide.sub(reference).masked_fill(reference.isneginf(), 0));
}

// What one implementation gets wrong, in an order that does not depend on it.
class Judge {
 public:
  Judge(const Problem& problem, const Inputs& inputs, const Masking& masking)
      : problem_(problem),
        inputs_(inputs),
        reference_(reference::attention(inputs, masking)),
        gradients_{{"dQ", reference_.d_query}, {"dK", reference_.d_key}, {"dV", reference_.d_value}} {
    if (problem.mode == Mode::forward) gradients_.clear();
    std::vector<at::Tensor> all;
    for (const auto& [name, gradient] : gradients_) {
      all.push_back(gradient);
      largest_gradient_ = std::max(largest_gradient_, largest(gradient));
    }
    gradient_norm_ = worker::joint_norm(all);
  }

  std::vector<Deviation> deviations(const Attention& attention) const {
    std::vector<Deviation> result;
    poison_free_memory();
    const bool learns = problem_.mode != Mode::forward;
    std::vector<at::Tensor> leaves;
    for (const at::Tensor& input : inputs_.learned())
      leaves.push_back(input.detach().set_requires_grad(learns));
    const c10::AutoGradMode grad_mode(learns);
    Attended attended = attention(leaves[0], leaves[1], leaves[2]);
    if (learns) attended.output.backward(inputs_.d_output);
    append(result, "O", Quantity::output, attended.output.detach(), reference_.output);
    if (attended.log_sum_exp.defined())
      result.push_back({Quantity::log_sum_exp, "log-sum-exp",
                        log_sum_exp_error(attended.log_sum_exp, reference_.log_sum_exp)});
    for (std::size_t i = 0; i < gradients_.size(); ++i)
      append(result, gradients_[i].first, Quantity::gradient, leaves[i].grad(), gradients_[i].second);
    return result;
  }

  double naive_log_sum_exp_error(const Masking& masking) const {
    return log_sum_exp_error(naive_log_sum_exp(inputs_.query, inputs_.key, masking), reference_.log_sum_exp);
  }

 private:
  void append(std::vector<Deviation>& to, const std::string& of, Quantity quantity, const at::Tensor& value,
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

  // What an implementation forgets to write then shows: allocators hand out again what was freed last.
  void poison_free_memory() const {
    std::vector<at::Tensor> poison;
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < 2; ++i)
      for (const at::Tensor& tensor : {inputs_.query, inputs_.key})
        for (const at::ScalarType dtype : {tensor.scalar_type(), at::kFloat})
          poison.push_back(at::full(tensor.sizes(), kNan, tensor.options().dtype(dtype)));
    poison.push_back(at::full(reference_.log_sum_exp.sizes(), kNan, reference_.log_sum_exp.options().dtype(at::kFloat)));
  }

  const Problem& problem_;
  const Inputs& inputs_;
  reference::Results reference_;
  std::vector<std::pair<std::string, at::Tensor>> gradients_;
  double gradient_norm_ = 0, largest_gradient_ = 0;
};

}  // namespace

Problem small_version(const Problem& problem, c10::Device device) {
  Problem small = problem;
  small.batch = std::min(problem.batch, kCheckBatch);
  small.heads = std::min(problem.heads, kCheckHeads);
  const std::int64_t most = device.is_cuda() ? kCheckLengthCuda : kCheckLengthCpu;
  const std::int64_t longest = std::max(problem.queries, problem.keys);
  if (longest <= most) return small;
  small.queries = shortened(problem.queries, std::max<std::int64_t>(1, problem.queries * most / longest));
  small.keys = shortened(problem.keys, std::max<std::int64_t>(1, problem.keys * most / longest));
  return small;
}

worker::Comparisons compare_with_reference(const CheckRequest& request) {
  const Problem small = small_version(request.problem, request.device);
  const Masking masking = masking_of(small, request.device);
  const Attention naive = make_attention("naive", masking);
  const Fault fault = seen_by_check(request.fault);
  const bool is_yardstick = small.implementation == "naive" && fault == Fault::none;
  const Attention candidate = with_fault(make_attention(small.implementation, masking), fault, masking);

  worker::Comparisons comparisons;
  std::int64_t done = 0;
  for (const Layout layout : {Layout::contiguous, Layout::transposed}) {
    if (request.progress) request.progress("check", done++, 2);
    const std::string where = layout == Layout::contiguous ? "" : ", transposed inputs";
    const Inputs inputs =
        random_inputs(small, request.seed + static_cast<std::uint64_t>(layout), request.device, layout);
    const Judge judge(small, inputs, masking);
    std::vector<Deviation> of_naive = judge.deviations(naive);
    const auto bounds_of = [&](Quantity quantity) { return bounds(quantity, small.dtype); };
    for (const Deviation& deviation : of_naive)
      comparisons.add(fmt::format("naive, {}: {}{}", to_text(small.dtype), deviation.of, where), deviation.error,
                      bounds_of(deviation.quantity).yardstick);
    if (is_yardstick) continue;
    for (const Deviation& deviation : judge.deviations(candidate)) {
      double of_yardstick = 0;
      if (deviation.quantity == Quantity::log_sum_exp)
        of_yardstick = judge.naive_log_sum_exp_error(masking);
      else
        of_yardstick = std::ranges::find(of_naive, deviation.of, &Deviation::of)->error;
      comparisons.add(deviation.of + where, deviation.error,
                      std::max(2 * of_yardstick, bounds_of(deviation.quantity).floor));
    }
  }
  if (request.progress) request.progress("check", 2, 2);
  return comparisons;
}

Check check_attention(const CheckRequest& request) {
  return compare_with_reference(request).check();
}

}  // namespace bench::attention
