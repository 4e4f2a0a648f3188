#pragma once

#include <cstdint>

#include "harness/core/result.hpp"
#include "workloads/attention/attention.hpp"
#include "workloads/attention/check_bounds.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {

// What the last timed step left behind; undefined where the mode has none.
struct Timed {
  Attended attended;
  at::Tensor d_query, d_key, d_value;
};

// How far off sampled rows of this problem may be.
struct AllowedAfterTiming {
  double output;
  double log_sum_exp;
  double d_query;
  double d_key_value;
};
AllowedAfterTiming allowed_after_timing(const Problem& problem);

// Everything finite; rows of a few matrices against the fp64 reference: of output, log-sum-exp and dQ in up
// to four, of dK and dV in one. Rows are drawn from the seed, the first and the last always among them.
Check verify_rows(const Problem& problem, const Inputs& inputs, const Timed& timed, std::uint64_t seed);

}  // namespace bench::attention
