#include "workloads/model/model_run.hpp"

#include <c10/core/GradMode.h>

#include <utility>

#include "harness/trace/range.hpp"
#include "harness/worker/allocation_category.hpp"
#include "harness/worker/autocast_guard.hpp"
#include "harness/worker/tf32_scope.hpp"

namespace bench::model {
namespace {

using worker::AllocationCategory;
using worker::CategoryScope;

// What the precision asks of the forward: autocast, or TF32.
class PrecisionScope {
 public:
  PrecisionScope(Precision precision, c10::Device device) : tf32_(precision == Precision::tf32) {
    if (precision == Precision::bf16_mixed) autocast_.emplace(device.type(), at::kBFloat16);
    if (precision == Precision::fp16_mixed) autocast_.emplace(device.type(), at::kHalf);
  }

 private:
  worker::Tf32Scope tf32_;
  std::optional<worker::AutocastGuard> autocast_;
};

EagerModel make_model(const Configuration& configuration, Parameters parameters, Fault fault) {
  const std::int64_t context = configuration.dimensions.context;
  const attention::Masking causal{
      .queries = context, .keys = context, .diagonal = 0, .device = parameters.embedding.device()};
  attention::Attention attention =
      with_fault(attention::make_attention(configuration.attention, causal), fault, causal);
  return EagerModel(configuration.dimensions, std::move(parameters), std::move(attention));
}

}  // namespace

ModelRun::ModelRun(const Configuration& configuration, Parameters parameters, Fault fault)
    : configuration_(configuration),
      fault_(fault),
      model_(make_model(configuration, std::move(parameters), fault)) {
  if (configuration_.mode == Mode::forward) return;
  for (const at::Tensor& parameter : model_.parameters().tensors) parameter.set_requires_grad(true);
  if (configuration_.precision == Precision::fp16_mixed)
    scaler_.emplace(model_.parameters().embedding.device());
  if (configuration_.mode == Mode::train_step) {
    const CategoryScope category(AllocationCategory::optimizer);
    optimizer_.emplace(OptimizerRequest{.variant = configuration_.optimizer,
                                        .settings = configuration_.adamw,
                                        .captured = configuration_.captured,
                                        .scaler = scaler()},
                       model_.parameters().tensors);
    break_new_optimizer(*optimizer_, fault_);
  }
}

at::Tensor ModelRun::logits(const at::Tensor& tokens) {
  const trace::Range range(trace::Name::FWD_STEP);
  const CategoryScope category(AllocationCategory::activations);
  const c10::NoGradGuard no_grad;
  const PrecisionScope precision(configuration_.precision, tokens.device());
  at::Tensor logits = model_.logits(tokens);
  return fault_ == Fault::none ? logits : faulty_.logits(logits, fault_);
}

at::Tensor ModelRun::loss(const Batch& batch) {
  const trace::Range range(trace::Name::FWD_STEP);
  const CategoryScope category(AllocationCategory::activations);
  const PrecisionScope precision(configuration_.precision, batch.tokens.device());
  at::Tensor loss = cross_entropy(model_.logits(batch.tokens), batch.targets);
  return fault_ == Fault::none ? loss : faulty_.loss(loss, fault_);
}

void ModelRun::backward(const at::Tensor& loss) {
  const trace::Range range(trace::Name::BWD_STEP);
  const worker::Tf32Scope tf32(configuration_.precision == Precision::tf32);
  if (scaler_)
    scaler_->scaled(loss).backward();
  else
    loss.backward();
}

void ModelRun::update() {
  const trace::Range range(trace::Name::OPTIM_STEP);
  const CategoryScope category(AllocationCategory::optimizer);
  if (fault_ != Fault::none) break_before_update(*optimizer_, fault_);
  if (scaler_) scaler_->inspect(parameters().tensors, /*unscale=*/!optimizer_->unscales());
  optimizer_->update();
  if (scaler_) scaler_->adjust();
}

void ModelRun::zero_gradients() {
  for (const at::Tensor& parameter : model_.parameters().tensors) parameter.mutable_grad().reset();
}

}  // namespace bench::model
