#pragma once

#include "workloads/attention/attention.hpp"
#include "workloads/attention/fault_names.hpp"

namespace bench::attention {

// What the faults of fault_names.hpp do. They reach the timed implementation only, never the yardstick or the
// reference.
Attention with_fault(Attention attention, Fault fault, const Masking& masking);

}  // namespace bench::attention
