#include "workloads/attention/workload.hpp"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/text.hpp"
#include "harness/trace/range.hpp"
#include "workloads/attention/attention.hpp"
#include "workloads/attention/check.hpp"
#include "workloads/attention/check_file.hpp"
#include "workloads/attention/fault_injection.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/sdpa.hpp"
#include "workloads/attention/verification.hpp"

namespace bench::attention {
namespace {

class AttentionWorkload final : public worker::Workload {
 public:
  explicit AttentionWorkload(const worker::Setup& setup)
      : problem_(problem_of(setup.configuration)),
        fault_(parse_fault(setup.inject_fault, problem_)),
        seed_(setup.seed),
        harness_device_(*setup.device),
        device_(setup.device->name()),
        progress_(setup.progress) {}

  std::vector<std::string> phase_names() const override {
    switch (problem_.mode) {
      case Mode::forward:
        return {"forward"};
      case Mode::backward:
        return {"backward"};
      case Mode::forward_backward:
        return {"forward", "backward"};
    }
    return {};
  }

  Check check() override { return check_attention({problem_, fault_, seed_, device_, progress_}); }

  void write_check(const std::string& path) override {
    write_check_file({problem_, Fault::none, seed_, device_, progress_}, path);
  }

  void prepare_timed() override {
    inputs_ = random_inputs(problem_, seed_, device_);
    if (problem_.mode != Mode::forward)
      for (const at::Tensor& input : inputs_.learned()) input.set_requires_grad(true);
    const Masking masking = masking_of(problem_, device_);
    attention_ = with_fault(make_attention(problem_.implementation, masking), fault_, masking);
    if (problem_.mode == Mode::backward) attended_ = attention_(inputs_.query, inputs_.key, inputs_.value);
  }

  void step(worker::Phases& phases) override {
    // The last step's results, kept for the verification until here.
    for (const at::Tensor& input : inputs_.learned()) input.mutable_grad().reset();
    if (problem_.mode != Mode::backward) {
      attended_ = {};
      phases.begin(0);
      forward();
    }
    if (problem_.mode != Mode::forward) {
      phases.begin(problem_.mode == Mode::backward ? 0 : 1);
      backward();
    }
    phases.end();
  }

  Check verify() override {
    return verify_rows(problem_, inputs_,
                       {.attended = attended_,
                        .d_query = inputs_.query.grad(),
                        .d_key = inputs_.key.grad(),
                        .d_value = inputs_.value.grad()},
                       seed_);
  }

  // Which of LibTorch's kernels ran, as that is its choice.
  std::vector<std::string> notes() override {
    if (!problem_.implementation.starts_with("sdpa")) return {};
    worker::NoPhases none;
    const std::vector<std::string> operators = attention_operators([&] { step(none); });
    std::vector<std::string> notes;
    if (!operators.empty()) notes.push_back("operators: " + join(operators, ", "));
    if (problem_.implementation == "sdpa-math")
      return notes;  // composed of many kernels that are nobody's choice
    const std::vector<std::string> kernels = harness_device_.kernels_of([&] { step(none); });
    if (!kernels.empty()) notes.push_back("kernels: " + join(kernels, ", "));
    return notes;
  }

 private:
  void forward() {
    const trace::Range range(trace::Name::FWD_STEP);
    const c10::AutoGradMode learning(problem_.mode != Mode::forward);
    attended_ = attention_(inputs_.query, inputs_.key, inputs_.value);
  }

  void backward() {
    const trace::Range range(trace::Name::BWD_STEP);
    const bool again = problem_.mode == Mode::backward;
    try {
      attended_.output.backward(inputs_.d_output, /*retain_graph=*/again);
    } catch (const c10::Error& error) {
      throw_if_refusal(error);
      throw;
    }
  }

  Problem problem_;
  Fault fault_;
  std::uint64_t seed_;
  worker::Device& harness_device_;
  c10::Device device_;
  worker::ProgressSink progress_;

  Inputs inputs_;
  Attention attention_;
  Attended attended_;  // of the last forward
};

}  // namespace

std::unique_ptr<worker::Workload> make_attention_workload(const worker::Setup& setup) {
  return std::make_unique<AttentionWorkload>(setup);
}

}  // namespace bench::attention
