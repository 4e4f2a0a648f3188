#include "workloads/model/faults.hpp"

#include <ATen/ops/scaled_dot_product_attention.h>

#include <limits>
#include <utility>

namespace bench::model {
namespace {

at::Tensor off_by_one(const AttentionInput& in) {
  const at::Tensor allowed = in.future.triu(2).logical_not();  // key <= query + 1
  return at::scaled_dot_product_attention(in.query, in.key, in.value, allowed);
}

}  // namespace

Attention with_fault(Attention attention, Fault fault) {
  switch (fault) {
    case Fault::zero_output:
      return [attention](const AttentionInput& in) { return attention(in).mul(0); };
    case Fault::swapped_heads:
      return [attention](const AttentionInput& in) { return attention(in).roll(1, 1); };
    case Fault::mask_off_by_one:
      return off_by_one;
    default:
      return attention;
  }
}

void break_new_optimizer(Optimizer& optimizer, Fault fault) {
  if (fault != Fault::stale_weight) return;
  AdamWState& state = optimizer.state();
  state.parameters.pop_back();
  state.first_moments.pop_back();
  state.second_moments.pop_back();
  state.steps.pop_back();
}

void break_before_update(Optimizer& optimizer, Fault fault) {
  if (fault != Fault::wrong_optimizer) return;
  for (const at::Tensor& step : optimizer.state().steps) step.fill_(1e6);  // where 1 - beta^step is 1
}

at::Tensor FaultyOutput::logits(const at::Tensor& right, Fault fault) {
  if (!first_.defined()) first_ = right;
  if (fault == Fault::stale_output) return first_;
  if (fault == Fault::drifting_output) return right.add(0.01 * double(calls_++));
  return right;
}

at::Tensor FaultyOutput::loss(const at::Tensor& right, Fault fault) {
  return fault == Fault::nan_loss ? right.mul(std::numeric_limits<double>::quiet_NaN()) : right;
}

}  // namespace bench::model
