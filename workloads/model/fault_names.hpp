#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/model/configuration.hpp"

// The deliberate mistakes that a person can ask for, torch-free: what they do is in fault_injection.hpp.
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

// Why this configuration cannot show that fault: an unknown name (with the nearest), or a mode that it does
// not reach. nullopt: it can; "" is no fault.
std::optional<std::string> refuse_fault(std::string_view name, const Configuration& configuration);

// "" is none. Throws Error(usage) with refuse_fault's sentence.
Fault parse_fault(std::string_view name, const Configuration& configuration);

// The faults that only a longer run shows are left for the verification to find.
Fault seen_by_check(Fault fault);

}  // namespace bench::model
