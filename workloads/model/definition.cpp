#include "workloads/model/definition.hpp"

#include <limits>
#include <string>
#include <string_view>

#include "harness/registry/parameters.hpp"
#include "workloads/attention/definition.hpp"
#include "workloads/model/case_rules.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/fault_names.hpp"
#include "workloads/model/memory.hpp"
#include "workloads/model/variants.hpp"

namespace bench::model {
namespace {

using registry::choice, registry::count, registry::described, registry::real, registry::row_names,
    registry::with_max;

constexpr const char* kThreeModes = "forward,forward-backward,train-step";

std::vector<std::string> size_choices() {
  std::vector<std::string> result;
  for (const NamedSize& size : named_sizes()) result.emplace_back(size.name);
  for (const NamedSize& size : named_sizes()) {
    if (!size.alias.empty()) result.emplace_back(size.alias);
  }
  result.emplace_back("custom");
  return result;
}

// The maxima are beyond any machine; they keep parameter counts and FLOPs far from 2^63.
std::vector<Parameter> parameters() {
  return {
      choice("size", "a row of the table of sizes; custom with all four dimensions", size_choices(), "small"),
      count("d-model", "width of the residual stream", "", 131'072),
      count("d-ff", "width of the feed-forward layer", "", 1'048'576),
      count("layers", "Transformer blocks", "", 4'096),
      count("heads", "attention heads; divides d-model into even sizes", "", 4'096),
      count("vocabulary", "tokens that embedding and head know", "10000", 16'777'216, "", 2),
      with_max(count("context", "sequence length", "256", 1'048'576, "tokens")),
      with_max(count("batch", "sequences a step", "4", 1'048'576)),
      choice("mode",
             "forward is inference; forward-backward adds loss and gradients; train-step the optimizer",
             all_names(kModes), "train-step"),
      choice(
          "precision",
          "fp32; tf32: fp32 with TF32 products (CUDA); bf16-mixed, fp16-mixed: fp32 weights under autocast, "
          "fp16 with a loss scaler; bf16: weights and optimizer too",
          all_names(kPrecisions), "fp32"),
      choice("attention", "attention operator: " + attention::described_variants(),
             attention::variant_names(), "naive"),
      choice("implementation", "who computes it: " + described(kImplementations), row_names(kImplementations),
             "eager"),
      choice("compile-mode", "torch.compile's mode; of torch-compile only",
             {"default", "reduce-overhead", "max-autotune"}, "default"),
      choice("optimizer", "optimizer of train-step: " + described(kOptimizerVariants),
             row_names(kOptimizerVariants), "adamw"),
      choice("loss", "naive: mean cross-entropy over materialised logits", {"naive"}, "naive"),
      real("lr", "AdamW's learning rate", "0.001", 0, 10),
      real("beta1", "AdamW's decay of the first moment, below 1", "0.9", 0, 1),
      real("beta2", "AdamW's decay of the second moment, below 1", "0.999", 0, 1),
      real("eps",
           "AdamW's term in the denominator; above 0, as embedding rows without a token have no gradient",
           "1e-08", 1e-30, 1),
      real("weight-decay", "AdamW's decoupled weight decay", "0.01", 0, 100),
  };
}

std::vector<registry::Preset> presets() {
  return {
      {"seed",
       "the sizes up to 7B at context 256 in fp32, three modes",
       {{"size", "small,medium,large,xl,7B"},
        {"context", "256"},
        {"mode", kThreeModes},
        {"precision", "fp32"},
        {"warmup", "10"}}},
      {"handout",
       "small medium large 7B 10B at context 512 in fp32 and bf16-mixed, three modes",
       {{"size", "small,medium,large,7B,10B"},
        {"context", "512"},
        {"mode", kThreeModes},
        {"precision", "fp32,bf16-mixed"},
        {"warmup", "5"},
        {"steps", "10"}}},
      {"modes", "forward, forward-backward and train-step of one size", {{"mode", kThreeModes}}},
      {"warmup", "what warm-up does to the first samples", {{"warmup", "0,1,2,5"}}},
      {"profile",
       "two sizes at context 256, 512 and the largest that fits, inference and training: cases to profile",
       {{"size", "small,medium"}, {"context", "256,512,max"}, {"mode", "forward,train-step"}}},
      {"memory",
       "peak memory by category of 7B, inference and training, over context and precision; snapshots of the "
       "allocator (--memory-snapshot) are not built yet",
       {{"size", "7B"},
        {"context", "128,256,512,2048"},
        {"mode", "forward,train-step"},
        {"precision", "fp32,bf16-mixed"}}},
      {"leaderboard",
       "a training step of leaderboard-8B in bf16; without activation checkpointing and a chunked loss, "
       "which "
       "are not built yet, it fits no single GPU",
       {{"size", "leaderboard-8B"}, {"mode", "train-step"}, {"precision", "bf16"}, {"attention", "sdpa"}}},
      {"checkpoint",
       "activation checkpointing: what it saves in memory and costs in time",
       {{"size", "small,medium,large"}},
       "--checkpoint, which is not built yet"},
  };
}

std::vector<Summary> quantities(const Case& configuration) {
  return {{.metric = "parameters",
           .heading = "parameters",
           .unit = "1",
           .value = double(parameter_count(dimensions_of(configuration)))}};
}

// Seen on a 16-core machine with an H200: 20 s for 12 layers and 64 s for 36, and the check's version before;
// the search of max-autotune takes 13 s for each of 25 shapes of matrix products.
double compile_s(const Case& configuration) {
  if (configuration.text("implementation") != "torch-compile") return 0;
  constexpr double kCheck_s = 15, kLayer_s = 1.75, kSearch_s = 330;
  const bool searches = configuration.text("compile-mode") == "max-autotune";
  return kCheck_s + kLayer_s * double(dimensions_of(configuration).layers) + (searches ? kSearch_s : 0);
}

}  // namespace

Work work_of(const Case& configuration) {
  const Dimensions d = dimensions_of(configuration);
  const std::string& mode = configuration.text("mode");
  const double without_embedding = double(parameter_count(d) - d.vocabulary * d.d_model);
  const double tokens = double(d.tokens());
  // 4·T²·d a sequence and layer for QKᵀ and PV; causal attention needs half of it.
  const double attention = 4.0 * double(d.layers) * double(d.context) * double(d.context) *
                           double(d.d_model) * double(d.batch) / 2.0;
  const double forward = 2.0 * without_embedding * tokens + attention;
  const bool backward = mode != to_text(Mode::forward);

  Work work;
  work.amounts = {amounts::tokens(tokens), amounts::model_flop(backward ? 3.0 * forward : forward)};
  work.formula = "2·N·tokens + 4·L·T²·d·B/2, N without the embedding table, causal attention counted half";
  if (backward) work.formula = "3·(" + work.formula + "): forward once, backward twice";
  return work;
}

std::string arithmetic_of(const Case& configuration) {
  const std::string& precision = configuration.text("precision");
  constexpr std::string_view kMixed = "-mixed";  // fp32 weights, products under autocast
  return precision.ends_with(kMixed) ? precision.substr(0, precision.size() - kMixed.size()) : precision;
}

registry::WorkloadSpec make_spec() {
  registry::WorkloadSpec spec;
  spec.name = "model";
  spec.summary = "a decoder-only Transformer, end to end: forward, forward and backward, or a training step";
  spec.default_timing = Timing::blocking;
  spec.parameters = parameters();
  spec.presets = presets();
  spec.canonicalize = canonicalize;
  spec.validate = validate;
  spec.supports = supports;
  spec.program = [](const Case& configuration) { return std::string(program_of(configuration)); };
  spec.reference_case = reference_case;
  spec.spell_out = spell_out;
  spec.compile_s = compile_s;
  spec.work = work_of;
  spec.memory = predict_memory;
  spec.arithmetic = arithmetic_of;
  spec.quantities = quantities;
  spec.refuse_fault = [](const Case& configuration, std::string_view fault) {
    return refuse_fault(fault, configuration_of(configuration));
  };
  return spec;
}

}  // namespace bench::model
