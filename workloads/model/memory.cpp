#include "workloads/model/memory.hpp"

#include <algorithm>
#include <string_view>

#include "workloads/model/configuration.hpp"

// Sizes are doubles: a configuration far beyond any machine must not overflow. Names as in eager.cpp.
namespace bench::model {
namespace {

constexpr double kMostBytes = 1e18;  // what a prediction says of everything larger

// Elements of the tensors that a step is made of.
struct Shapes {
  explicit Shapes(const Dimensions& d)
      : stream(double(d.batch) * double(d.context) * double(d.d_model)),
        hidden(double(d.batch) * double(d.context) * double(d.d_ff)),
        scores(double(d.batch) * double(d.heads) * double(d.context) * double(d.context)),
        logits(double(d.batch) * double(d.context) * double(d.vocabulary)),
        block_parameters(4.0 * double(d.d_model) * double(d.d_model) +
                         3.0 * double(d.d_model) * double(d.d_ff) + 2.0 * double(d.d_model)),
        table(double(d.vocabulary) * double(d.d_model)),
        largest_parameter(std::max(table, double(d.d_model) * double(d.d_ff))) {}

  double stream;  // (B, T, d_model), and (B, H, T, D)
  double hidden;  // (B, T, d_ff)
  double scores;  // (B, H, T, T)
  double logits;  // (B, T, V)
  double block_parameters;
  double table;  // (V, d_model): embedding, head
  double largest_parameter;
};

// Bytes of one layer: what autograd keeps of its forward, and what is alive besides at the worst moment of
// its backward.
struct Layer {
  double kept = 0, backward_peak = 0;
};

class Formula {
 public:
  Formula(const Configuration& configuration, bool cuda)
      : c_(configuration),
        d_(configuration.dimensions),
        is_cuda_(cuda),
        is_mixed_(c_.precision == Precision::bf16_mixed || c_.precision == Precision::fp16_mixed),
        is_half_(c_.precision == Precision::bf16),
        element_(is_mixed_ || is_half_ ? 2 : 4),
        weight_(is_half_ ? 2 : 4),
        s_(d_) {}

  registry::MemoryPrediction predict() const {
    const double parameters = weight_ * double(parameter_count(d_));
    if (c_.mode == Mode::forward)
      return prediction({{"parameters", parameters}, {"activations", forward_peak()}, {"other", other()}});

    const double states = c_.mode == Mode::train_step ? 2 * parameters : 0;
    struct Moment {
      double activations, gradients, optimizer;
    };
    const double head = weight_ * s_.table, block = weight_ * s_.block_parameters;
    const double layers = double(d_.layers);
    const Layer layer = this->layer();
    const Moment moments[] = {
        {layers * layer.kept + after_layers() + loss_peak(), 0, 0},          // the loss is differentiated
        {layers * layer.kept + layer.backward_peak, head, 0},                // the last layer is
        {layer.kept + layer.backward_peak, head + (layers - 1) * block, 0},  // the first layer is
        {0, parameters, update_peak(parameters)},                            // the optimizer runs
    };
    const Moment& peak = *std::ranges::max_element(
        moments, {}, [](const Moment& m) { return m.activations + m.gradients + m.optimizer; });
    return prediction({{"parameters", parameters},
                       {"gradients", peak.gradients},
                       {"optimizer", states + peak.optimizer},
                       {"activations", peak.activations},
                       {"other", other()}});
  }

 private:
  // What RMSNorm keeps: its input (or its fp32 copy) for pow and mul, the normalised input for the weight.
  double norm_kept() const { return (4 + 4) * s_.stream; }

  // What softmax gives, and where autocast makes it fp32, its copy for the product with V.
  double probabilities_kept() const {
    if (c_.attention != "naive") return 0;
    return (is_mixed_ && is_cuda_ ? 4 + 2 : element_) * s_.scores;
  }

  Layer layer() const {
    Layer layer;
    const double e = element_;
    // Inputs of the linear layers: one for query, key and value, one for w1 and w3; autocast casts for each.
    const double inputs = is_mixed_ ? (3 + 2) * e * s_.stream : 2 * e * s_.stream;
    // query, key, value, what attention gave in the order of the heads (naive gives that back at once) ...
    const double attention = (c_.attention == "naive" ? 4 : 5) * e * s_.stream + probabilities_kept();
    // ... and of SwiGLU: w1 x, silu of it, w3 x, their product.
    layer.kept = 2 * norm_kept() + inputs + attention + 4 * e * s_.hidden;
    if (is_mixed_) layer.kept += 2 * s_.block_parameters;  // autocast's copies of the weights

    const double feed_forward = 3 * e * s_.hidden + 2 * e * s_.stream;
    // Its SwiGLU and second norm are done with by then; autocast on CUDA takes softmax back in fp32.
    const double freed = norm_kept() + 4 * e * s_.hidden;
    const double scores = (is_mixed_ && is_cuda_ ? 4 + 4 : 2 * e) * s_.scores - freed;
    layer.backward_peak = std::max(feed_forward, c_.attention == "naive" ? scores : 0);
    return layer;
  }

  double forward_peak() const {
    const double e = element_, residual = is_half_ ? 2 : 4;
    const double feed_forward = (4 * s_.hidden + s_.stream) * e + residual * s_.stream;
    const double scores =
        c_.attention == "naive" ? 2 * s_.scores * e : 3 * 4 * s_.stream;  // else RoPE, in fp32
    const double attention = scores + 4 * s_.stream * e + residual * s_.stream;
    const double head = e * s_.logits + 4 * s_.stream + residual * s_.stream;
    // Without gradients autocast keeps no copy of a weight: one at a time.
    const double copy = is_mixed_ ? 2 : 0;
    return std::max(
        {feed_forward + copy * double(d_.d_model) * double(d_.d_ff), attention, head + copy * s_.table});
  }

  // The final norm, the head's input, the logits' log-softmax.
  double after_layers() const {
    double kept = norm_kept() + element_ * s_.stream + log_softmax();
    if (is_mixed_) kept += 2 * s_.table;
    return kept;
  }
  double log_softmax() const { return (is_half_ ? 2 : 4) * s_.logits; }
  double loss_peak() const { return 2 * log_softmax(); }  // two gradients: of log-softmax and of the logits

  // Temporaries of an update.
  double update_peak(double parameters) const {
    if (c_.mode != Mode::train_step || c_.optimizer != "adamw") return 0;
    if (is_cuda_) return parameters;            // foreach: every denominator at once
    return 2 * weight_ * s_.largest_parameter;  // one parameter's root, and its denominator
  }

  // Tokens and targets, RoPE's tables, the causal mask.
  double other() const {
    const double t = double(d_.context);
    return 2.0 * 8 * double(d_.batch) * t + 2.0 * 4 * t * double(d_.d_head()) / 2 + t * t;
  }

  static registry::MemoryPrediction prediction(
      std::initializer_list<std::pair<const char*, double>> bytes_by_category) {
    registry::MemoryPrediction result;
    for (const auto& [category, bytes] : bytes_by_category)
      result.peak_by_category.emplace_back(category, std::int64_t(std::min(bytes, kMostBytes)));
    return result;
  }

  const Configuration& c_;
  const Dimensions& d_;
  bool is_cuda_, is_mixed_, is_half_;
  double element_;  // bytes of an activation that a linear layer takes or gives
  double weight_;   // bytes of a weight
  Shapes s_;
};

}  // namespace

std::optional<registry::MemoryPrediction> predict_memory(const Case& configuration,
                                                         const std::string& device) {
  const std::string& implementation = configuration.text("implementation");
  if (implementation != "eager" && implementation != "torch-eager") return std::nullopt;
  return Formula(configuration_of(configuration), device != "cpu").predict();
}

}  // namespace bench::model
