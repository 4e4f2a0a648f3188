#include "workloads/model/workload.hpp"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "harness/worker/allocation_category.hpp"
#include "workloads/model/check.hpp"
#include "workloads/model/check_file.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/faults.hpp"
#include "workloads/model/fingerprint.hpp"
#include "workloads/model/gradient_tags.hpp"
#include "workloads/model/initialization.hpp"
#include "workloads/model/model_run.hpp"

namespace bench::model {
namespace {

using worker::AllocationCategory;
using worker::CategoryScope;
using worker::Phases;

enum Phase { kForward, kBackward, kOptimizer };

Check failed(std::string reason) {
  return {.passed = false, .reason = std::move(reason), .items = {}};
}

bool finite(const at::Tensor& tensor) {
  return at::isfinite(tensor).all().item<bool>();
}

class ModelWorkload final : public worker::Workload {
 public:
  explicit ModelWorkload(const worker::Setup& setup)
      : configuration_(configuration_of(setup.configuration)),
        fault_(parse_fault(setup.inject_fault, configuration_)),
        seed_(setup.seed),
        device_(setup.device->name()),
        progress_(setup.progress),
        generator_(seeded_generator(setup.seed)) {}

  std::vector<std::string> phase_names() const override {
    switch (configuration_.mode) {
      case Mode::forward:
        return {"forward"};
      case Mode::forward_backward:
        return {"forward", "backward"};
      case Mode::train_step:
        return {"forward", "backward", "optimizer"};
    }
    return {};
  }

  Check check() override { return check_model({configuration_, fault_, seed_, device_, progress_}); }

  void write_check(const std::string& path) override {
    write_check_file({configuration_, Fault::none, seed_, device_, progress_}, path);
  }

  void prepare_timed() override {
    std::optional<Parameters> parameters;
    {
      const CategoryScope category(AllocationCategory::parameters);
      parameters = initialized_parameters(configuration_.dimensions, generator_, device_, progress_);
    }
    batch_ = random_batch(configuration_.dimensions, generator_, device_);
    run_.emplace(configuration_, std::move(*parameters), fault_);
  }

  void before_sample() override { keep_first_output(); }

  void step(Phases& phases) override {
    phases.begin(kForward);
    if (configuration_.mode == Mode::forward) {
      at::Tensor logits = run_->logits(batch_.tokens);
      if (!first_output_.defined()) first_logits_ = std::move(logits);
    } else {
      learn(phases);
    }
    phases.end();
  }

  void observed_step(Phases& phases) override {
    keep_first_output();
    std::optional<GradientTags> tags;
    if (configuration_.mode != Mode::forward) tags.emplace(run_->parameters().tensors);
    step(phases);
  }

  Check verify() override {
    if (configuration_.mode != Mode::forward && !finite(loss_)) return failed("the loss is not finite");
    const Parameters& parameters = run_->parameters();
    for (std::size_t i = 0; i < parameters.tensors.size(); ++i) {
      if (!finite(parameters.tensors[i])) return failed(parameters.names[i] + " is not finite");
    }
    return configuration_.mode == Mode::forward ? verify_logits() : Check{};
  }

 private:
  void learn(Phases& phases) {
    loss_ = run_->loss(batch_);
    phases.begin(kBackward);
    run_->backward(loss_);
    if (configuration_.mode == Mode::train_step) {
      phases.begin(kOptimizer);
      run_->update();
    }
    run_->zero_gradients();
  }

  // Outside of samples: the first call's logits become a fingerprint, and their memory is free again.
  void keep_first_output() {
    if (!first_logits_.defined()) return;
    first_output_ = Fingerprint(first_logits_);
    first_logits_.reset();
  }

  Check verify_logits() {
    keep_first_output();
    const at::Tensor logits = run_->logits(batch_.tokens);
    if (!finite(logits)) return failed("the logits are not finite");
    const Fingerprint again(logits);
    if (!(again == first_output_)) {
      return failed("the logits after timing differ from those of the first warm-up step for the same input");
    }
    const Batch other = random_batch(configuration_.dimensions, generator_, device_);
    if (Fingerprint(run_->logits(other.tokens)) == again)
      return failed("a second input gives the same logits");
    return {};
  }

  Configuration configuration_;
  Fault fault_;
  std::uint64_t seed_;
  c10::Device device_;
  worker::ProgressSink progress_;
  at::Generator generator_;

  std::optional<ModelRun> run_;
  Batch batch_;
  at::Tensor loss_;          // of the last step
  at::Tensor first_logits_;  // of the first step, until the next one is prepared
  Fingerprint first_output_;
};

}  // namespace

std::unique_ptr<worker::Workload> make_model_workload(const worker::Setup& setup) {
  return std::make_unique<ModelWorkload>(setup);
}

}  // namespace bench::model
