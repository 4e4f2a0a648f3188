#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace bench::model {

// For its lifetime every gradient counts as gradients from the moment that autograd has accumulated it. For
// the memory pass: the hooks cost time, so no timed step has them.
class GradientTags {
 public:
  explicit GradientTags(std::vector<at::Tensor> parameters);
  ~GradientTags();
  GradientTags(const GradientTags&) = delete;
  GradientTags& operator=(const GradientTags&) = delete;

 private:
  std::vector<at::Tensor> parameters_;
};

}  // namespace bench::model
