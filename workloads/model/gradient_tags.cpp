#include "workloads/model/gradient_tags.hpp"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

#include "harness/worker/allocation_category.hpp"

namespace bench::model {
namespace {

class TagGradient final : public torch::autograd::PostAccumulateGradHook {
 public:
  void operator()(const at::Tensor& parameter) override {
    worker::retag(parameter.grad(), worker::AllocationCategory::gradients);
  }
};

}  // namespace

GradientTags::GradientTags(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {
  for (const at::Tensor& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, std::make_unique<TagGradient>());
  }
}

GradientTags::~GradientTags() {
  for (const at::Tensor& parameter : parameters_)
    torch::autograd::impl::post_acc_grad_hooks(parameter).reset();
}

}  // namespace bench::model
