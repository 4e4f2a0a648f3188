#include "workloads/model/workload.hpp"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/worker/allocation_category.hpp"
#include "workloads/model/check.hpp"
#include "workloads/model/check_file.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/fault_injection.hpp"
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
        harness_device_(*setup.device),
        progress_(setup.progress),
        generator_(seeded_generator(setup.seed, device_)) {
    configuration_.captured = setup.timing == Timing::graph;
  }

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

  Check check() override {
    return check_model({configuration_, fault_, seed_, device_, progress_, &harness_device_});
  }

  void write_check(const std::string& path) override {
    write_check_file({configuration_, Fault::none, seed_, device_, progress_}, path);
  }

  void prepare_timed() override {
    std::optional<Parameters> parameters;
    {
      const CategoryScope category(AllocationCategory::parameters);
      parameters = in_precision(initialized_parameters(configuration_.dimensions, generator_, progress_),
                                configuration_.dimensions, configuration_.precision);
    }
    batch_ = random_batch(configuration_.dimensions, generator_);
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

  // Outputs of a graph stay where they are: each replay writes them again.
  void captured_step() override {
    worker::NoPhases none;
    if (configuration_.mode == Mode::forward)
      logits_of_graph_ = run_->logits(batch_.tokens);
    else
      learn(none);
  }

  // In fp16-mixed a step whose gradients overflow updates nothing.
  bool sample_fell_short() override {
    const std::int64_t skipped = run_->skipped_updates();
    return std::exchange(skipped_updates_, skipped) < skipped;
  }

  void observed_step(Phases& phases) override {
    keep_first_output();
    std::optional<GradientTags> tags;
    // The bookkeeping by category is the CPU allocator's, whose blocks it recognises by what lies before
    // them.
    if (device_.is_cpu() && configuration_.mode != Mode::forward) tags.emplace(run_->parameters().tensors);
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
    if (logits_of_graph_.defined() && !(Fingerprint(logits_of_graph_) == first_output_))
      return failed("the logits of the last replay differ from those of the first step outside the graph");
    const at::Tensor logits = run_->logits(batch_.tokens);
    if (!finite(logits)) return failed("the logits are not finite");
    const Fingerprint again(logits);
    if (!(again == first_output_)) {
      return failed("the logits after timing differ from those of the first warm-up step for the same input");
    }
    // Another input by construction: every token its successor in the vocabulary.
    const at::Tensor other = batch_.tokens.add(1).remainder(configuration_.dimensions.vocabulary);
    if (Fingerprint(run_->logits(other)) == again) return failed("a second input gives the same logits");
    return {};
  }

  Configuration configuration_;
  Fault fault_;
  std::uint64_t seed_;
  c10::Device device_;
  worker::Device& harness_device_;
  worker::ProgressSink progress_;
  at::Generator generator_;

  std::optional<ModelRun> run_;
  Batch batch_;
  at::Tensor loss_;                   // of the last step
  std::int64_t skipped_updates_ = 0;  // of fp16-mixed, up to the last sample
  at::Tensor first_logits_;           // of the first step, until the next one is prepared
  Fingerprint first_output_;
  at::Tensor logits_of_graph_;  // (B, T, V) of the last replay
};

}  // namespace

std::unique_ptr<worker::Workload> make_model_workload(const worker::Setup& setup) {
  return std::make_unique<ModelWorkload>(setup);
}

}  // namespace bench::model
