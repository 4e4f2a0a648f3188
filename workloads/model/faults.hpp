#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "workloads/model/attention.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/optimizer.hpp"

// Deliberate mistakes, so that tests can see the check and the verification refuse them. They reach the timed
// implementation only, never the yardstick or the reference.
namespace bench::model {

enum class Fault {
  none,
  zero_output,      // attention returns zeros
  swapped_heads,    // every head's output in its neighbour's place
  mask_off_by_one,  // each query also sees the next key
  stale_weight,     // the optimizer leaves the head as it was
  wrong_optimizer,  // AdamW without bias correction
  stale_output,     // the first output again, whatever the input
  nan_loss,
  drifting_output,  // logits move a little with every call
};

// "" is none. Throws Error(usage) for an unknown name, listing all, and for one that this configuration
// cannot show.
Fault parse_fault(std::string_view name, const Configuration& configuration);

// The faults that only a longer run shows are left for the verification to find.
Fault seen_by_check(Fault fault);

Attention with_fault(Attention attention, Fault fault);
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
