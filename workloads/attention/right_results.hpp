#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/check_bounds.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/problem.hpp"
#include "workloads/attention/reference.hpp"

namespace bench::attention {

using Deviations = worker::Deviations<Quantity>;

// The largest difference; infinity where one is -inf and the other is not.
double log_sum_exp_error(const at::Tensor& value, const at::Tensor& reference);

// Knows what is right for these inputs, and tells what an implementation gets wrong.
class RightResults {
 public:
  // `inputs` outlives it.
  RightResults(const Problem& problem, const Inputs& inputs, const Masking& masking);

  // In an order that does not depend on the implementation.
  Deviations deviations(const Attention& attention) const;
  // Of the scores as naive rounds them, though naive returns none.
  double naive_log_sum_exp_error() const;

  const reference::Results& reference() const { return reference_; }

 private:
  void append(Deviations& to, const std::string& of, Quantity quantity, const at::Tensor& value,
              const at::Tensor& reference) const;
  void poison_free_memory() const;

  Mode mode_;
  const Inputs& inputs_;
  Masking masking_;
  reference::Results reference_;
  std::vector<std::pair<std::string, at::Tensor>> gradients_;  // of the reference, named
  double gradient_norm_ = 0, largest_gradient_ = 0;            // of all three together
};

}  // namespace bench::attention
