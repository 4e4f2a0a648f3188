#pragma once

#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/worker/comparison.hpp"
#include "harness/worker/workload.hpp"
#include "workloads/attention/attention.hpp"
#include "workloads/attention/fault_names.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/problem.hpp"
#include "workloads/attention/right_results.hpp"

namespace bench::attention {

struct CheckRequest {
  Problem problem;
  Fault fault = Fault::none;
  std::uint64_t seed = 0;
  c10::Device device = c10::Device(c10::kCPU);
  worker::ProgressSink progress;
};

// At most two sequences and four heads, queries and keys scaled down together to 256 on the CPU and 2,048 on
// CUDA, so that what is left over behind the last whole 64 of each stays.
Problem small_version(const Problem& problem, c10::Device device);

// The inputs that a small version is checked with.
inline constexpr std::array kCheckedLayouts{Layout::contiguous, Layout::transposed};
Inputs checked_inputs(const Problem& small, std::uint64_t seed, c10::Device device, Layout layout);

// Runs the small version against the fp64 reference. How, and what may differ: README.md, "The check".
Check check_attention(const CheckRequest& request);
// The same with every comparison, for measuring where the bounds should lie.
worker::Comparisons compare_with_reference(const CheckRequest& request);

}  // namespace bench::attention
