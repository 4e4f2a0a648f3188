#include "workloads/model/graph_check.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "workloads/model/model_run.hpp"

namespace bench::model {
namespace {

using worker::Comparisons;
using worker::relative_error;

constexpr int kStepsBefore =
    3;  // as in the timed case: handles, workspaces and autograd's threads exist then
constexpr int kSteps = 5;

// The least that is allowed, of a tensor's norm: a kernel that is not deterministic may show its spread in
// one pair of runs and not in the other.
constexpr double kFloor = 1e-6;

class Contender {
 public:
  Contender(const Configuration& small, const Parameters& weights, const Batch& batch)
      : batch_(batch),
        forward_(small.mode == Mode::forward),
        run_(small,
             converted(weights, small.dimensions, [](const at::Tensor& tensor) { return tensor.clone(); })),
        updates_(small.mode == Mode::train_step) {
    for (int i = 0; i < kStepsBefore; ++i) step();
  }

  void step() {
    if (forward_) {
      output_ = run_.logits(batch_.tokens);
      return;
    }
    output_ = run_.loss(batch_);
    run_.backward(output_);
    if (updates_) run_.update();
    run_.zero_gradients();
  }

  // The last step's logits or loss, then every parameter.
  std::vector<at::Tensor> results() const {
    std::vector<at::Tensor> all{output_.detach()};
    for (const at::Tensor& parameter : run_.parameters().tensors) all.push_back(parameter.detach());
    return all;
  }

 private:
  const Batch& batch_;
  bool forward_;
  ModelRun run_;
  bool updates_;
  at::Tensor output_;
};

}  // namespace

void compare_graph_with_eager(const Configuration& small, const Parameters& weights, const Batch& batch,
                              worker::Device& device, Comparisons& comparisons) {
  Contender eager(small, weights, batch);
  Contender again(small, weights, batch);
  Contender captured(small, weights, batch);
  const std::unique_ptr<worker::CapturedStep> graph = device.capture([&] { captured.step(); });
  for (int i = 0; i < kSteps; ++i) {
    eager.step();
    again.step();
    graph->replay();
  }
  device.synchronize();

  const std::vector<at::Tensor> right = eager.results(), other = again.results(),
                                replayed = captured.results();
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::string what = i > 0 ? weights.names[i - 1] : small.mode == Mode::forward ? "logits" : "loss";
    comparisons.add("five replays of the graph against five steps outside it: " + what,
                    relative_error(replayed[i], right[i]),
                    std::max(2 * relative_error(other[i], right[i]), kFloor));
  }
}

}  // namespace bench::model
