#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "workloads/attention/attention.hpp"
#include "workloads/model/fault_names.hpp"
#include "workloads/model/optimizer.hpp"

// What the faults of fault_names.hpp do. They reach the timed implementation only, never the yardstick or the
// reference.
namespace bench::model {

attention::Attention with_fault(attention::Attention attention, Fault fault,
                                const attention::Masking& masking);
void break_new_optimizer(Optimizer& optimizer, Fault fault);
void break_before_update(Optimizer& optimizer, Fault fault);

// Keeps what a faulty implementation would keep between calls.
class FaultyOutput {
 public:
  at::Tensor logits(const at::Tensor& right, Fault fault);
  at::Tensor loss(const at::Tensor& right, Fault fault);

 private:
  at::Tensor first_;
  std::int64_t calls_ = 0;
};

}  // namespace bench::model
