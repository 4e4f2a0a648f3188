#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {

enum class Layout {
  contiguous,  // (B, H, S, D), or (B, S, D)
  transposed,  // views of (B, S, H, D), as a model has them, or of (S, B, D)
};

// Standard normal, in the problem's dtype. query, d_output: (..., Sq, D); key, value: (..., Sk, D).
struct Inputs {
  at::Tensor query, key, value;
  at::Tensor d_output;  // the gradient that comes in; undefined in mode forward

  std::vector<at::Tensor> learned() const { return {query, key, value}; }
};

// The same for the same seed and device.
Inputs random_inputs(const Problem& problem, std::uint64_t seed, c10::Device device,
                     Layout layout = Layout::contiguous);

Masking masking_of(const Problem& problem, c10::Device device);
at::ScalarType scalar_type_of(Dtype dtype);

}  // namespace bench::attention
