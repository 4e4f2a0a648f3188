#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/attention/problem.hpp"

// The deliberate mistakes that a person can ask for, torch-free: what they do is in fault_injection.hpp.
namespace bench::attention {

enum class Fault {
  none,
  zero_output,
  wrong_scale,        // 1/d instead of 1/√d
  mask_off_by_one,    // each query also sees the next key
  swapped_heads,      // every head's output in its neighbour's place
  stale_log_sum_exp,  // that of other keys, in the result and in the backward
  unwritten_row,      // the last query's output is whatever memory held
  stale_output,       // the first output again, whatever the inputs
  drifting_output,    // moves a little with every call
};

// Why this problem cannot show that fault: an unknown name (with the nearest), or what it would need.
// nullopt: it can; "" is no fault.
std::optional<std::string> refuse_fault(std::string_view name, const Problem& problem);

// "" is none. Throws Error(usage) with refuse_fault's sentence.
Fault parse_fault(std::string_view name, const Problem& problem);

// The fault that only a longer run shows is left for the verification to find.
Fault seen_by_check(Fault fault);

}  // namespace bench::attention
