#include "workloads/attention/fault_injection.hpp"

#include <ATen/ops/empty_like.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace bench::attention {
namespace {

using Tensor = const at::Tensor&;

Attention changed(Attention attention, std::function<at::Tensor(Tensor)> change) {
  return
      [attention = std::move(attention), change = std::move(change)](Tensor query, Tensor key, Tensor value) {
        Attended result = attention(query, key, value);
        result.output = change(result.output);
        return result;
      };
}

// The log-sum-exp of other keys, in the tensor that the backward has kept.
Attention stale(Attention attention) {
  return [attention = std::move(attention)](Tensor query, Tensor key, Tensor value) {
    Attended result = attention(query, key, value);
    result.log_sum_exp.variable_data().copy_(attention(query, key.roll(1, -2).neg(), value).log_sum_exp);
    return result;
  };
}

}  // namespace

Attention with_fault(Attention attention, Fault fault, const Masking& masking) {
  switch (fault) {
    case Fault::none:
      break;
    case Fault::zero_output:
      return changed(std::move(attention), [](Tensor output) { return output.mul(0); });
    case Fault::wrong_scale:
      return [attention = std::move(attention)](Tensor query, Tensor key, Tensor value) {
        return attention(query.mul(scale_of(query)), key, value);
      };
    case Fault::mask_off_by_one: {
      Masking wider = masking;
      *wider.diagonal += 1;
      return make_attention("naive", wider);
    }
    case Fault::swapped_heads:
      return changed(std::move(attention), [](Tensor output) { return output.roll(1, 1); });
    case Fault::stale_log_sum_exp:
      return stale(std::move(attention));
    case Fault::unwritten_row:
      return changed(std::move(attention), [](Tensor output) {
        const std::int64_t written = output.size(-2) - 1;
        at::Tensor result = at::empty_like(output);
        result.narrow(-2, 0, written).copy_(output.narrow(-2, 0, written));
        return result;
      });
    case Fault::stale_output:
      return changed(std::move(attention), [first = std::make_shared<at::Tensor>()](Tensor output) {
        if (!first->defined()) *first = output.detach().clone();
        return output.mul(0).add(*first);
      });
    case Fault::drifting_output:
      return changed(std::move(attention), [calls = std::make_shared<int>(0)](Tensor output) {
        return output.add(0.05 * (*calls)++);
      });
  }
  return attention;
}

}  // namespace bench::attention
