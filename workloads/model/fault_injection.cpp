#include "workloads/model/fault_injection.hpp"

#include <limits>
#include <utility>

#include "workloads/attention/fault_injection.hpp"

namespace bench::model {
attention::Attention with_fault(attention::Attention attention, Fault fault,
                                const attention::Masking& masking) {
  switch (fault) {
    case Fault::zero_output:
      return attention::with_fault(std::move(attention), attention::Fault::zero_output, masking);
    case Fault::swapped_heads:
      return attention::with_fault(std::move(attention), attention::Fault::swapped_heads, masking);
    case Fault::mask_off_by_one:
      return attention::with_fault(std::move(attention), attention::Fault::mask_off_by_one, masking);
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
