#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "harness/core/result.hpp"

namespace bench::worker {

// |value - reference| / |reference| in the Euclidean norm, computed in fp64.
double relative_error(const at::Tensor& value, const at::Tensor& reference);
// |value - reference| / max(|reference|, 1): a loss near 0 carries the rounding of the logits that it came
// from.
double loss_error(double value, double reference);

// The norm of several tensors together.
double joint_norm(const std::vector<at::Tensor>& tensors);
// As relative_error; but a gradient below a millionth of `whole`, the norm of all gradients, is rounding
// noise (that of query and key at context 1) and its difference is taken relative to `whole`.
double gradient_error(const at::Tensor& value, const at::Tensor& reference, double whole);

// Collects comparisons and makes a Check of them.
class Comparisons {
 public:
  void add(std::string what, double error, double allowed);
  // The item closest to its bound (or furthest beyond it) first, at most `most` of them. An error that is not
  // a number fails and is shown as the largest double.
  Check check(std::size_t most = 20) const;
  const std::vector<CheckItem>& items() const { return items_; }

 private:
  std::vector<CheckItem> items_;
};

}  // namespace bench::worker
