#pragma once

#include <string>

#include "workloads/attention/check.hpp"

namespace bench::attention {

// Writes the basis of a check for programs that have no reference of their own (workloads/peers), as
// safetensors. For the inputs of each layout N = 0, 1:
//
//   N.query, N.key, N.value, N.d_output     in the case's dtype; no d_output in mode forward
//   N.output, N.d_query, N.d_key, N.d_value fp64, of the reference
//   N.allowed                               fp64: for O, then dQ, dK, dV, the norm of the error over that of
//   the
//                                           reference (of all three gradients together), and the same of the
//                                           largest entries: twice naive's, or the floor
//   verification                            fp64: what sampled rows of O, of dQ, and of dK and dV may be off
//                                           after timing
//
// Throws Error(internal) when naive itself is off.
void write_check_file(const CheckRequest& request, const std::string& path);

}  // namespace bench::attention
