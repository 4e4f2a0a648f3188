#pragma once

#include "harness/worker/yardstick.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {

// What is compared with the fp64 reference.
enum class Quantity {
  output,          // |difference| / |reference| in the Euclidean norm of the whole tensor
  largest_output,  // largest |difference| / largest |reference|, which a few wrong rows cannot hide from
  log_sum_exp,     // largest |difference|, absolute
  // dQ, dK or dV likewise, but relative to all three together: one of them may be nothing but cancellation
  // (dQ and dK are 0 with one key).
  gradient,
  largest_gradient,
};

using worker::Bounds;  // the yardstick: naive in the same dtype

Bounds bounds(Quantity quantity, Dtype dtype);

}  // namespace bench::attention
