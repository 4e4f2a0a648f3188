#include "workloads/attention/definition.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/registry/parameters.hpp"
#include "workloads/attention/case_rules.hpp"
#include "workloads/attention/fault_names.hpp"
#include "workloads/attention/memory.hpp"
#include "workloads/attention/problem.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

using registry::choice, registry::count, registry::with_max;

constexpr const char* kOfLibTorch = "naive,tiled,sdpa-math,sdpa-efficient,sdpa-flash,sdpa-cudnn";

std::vector<std::string> implementations() {
  std::vector<std::string> names = variant_names();
  names.emplace_back(kTorchCompile.name);
  return names;
}

std::string program_of(const Case& configuration) {
  return configuration.text("implementation") == kTorchCompile.name ? "torch" : "";
}

// The yardstick's inputs and errors serve every implementation.
Case reference_case(const Case& configuration) {
  Case reference = configuration;
  reference.set("implementation", std::string("naive"));
  return reference;
}

// Keys are as many as queries where nothing is said of them.
Case spell_out(const Case& configuration) {
  Case spelled_out = configuration;
  spelled_out.set("keys", problem_of(configuration).keys);
  return spelled_out;
}

std::vector<Parameter> parameters() {
  return {
      with_max(count("batch", "sequences", "8", 1'048'576)),
      count("tokens", "batch · sequence: sets the batch", "", 1e9),
      count("heads", "attention heads; without it inputs are (batch, sequence, d-head)", "", 65'536),
      count("d-model", "heads · d-head: sets the heads", "", 1'048'576),
      count("d-head", "width of one head", "64", 256, "", 8),
      with_max(
          count("sequence", "queries, and keys unless --keys says otherwise", "1024", 1'048'576, "tokens")),
      count("keys", "keys and values, if not as many as queries", "", 1'048'576, "tokens"),
      choice(
          "causal",
          "yes: key <= query by index (top-left); bottom-right: the last query sees all keys, a query that "
          "sees none gives 0",
          all_names(kCausals), "yes"),
      choice("dtype", "of inputs, output and gradients", all_names(kDtypes), "fp32"),
      choice("implementation",
             fmt::format("{}, {} ({})", described_variants(), kTorchCompile.name, kTorchCompile.summary),
             implementations(), "naive"),
      choice(
          "mode",
          "forward is inference; backward that of one forward, repeated; forward-backward both, each timed "
          "as a phase",
          all_names(kModes), "forward-backward"),
  };
}

std::vector<registry::Preset> presets() {
  return {
      {"seed",
       "batch 8 without heads, causal, fp32: time and memory over d-head and sequence; --memory-limit 24GiB "
       "for a smaller GPU's rows that run out of memory",
       {{"batch", "8"},
        {"causal", "yes"},
        {"dtype", "fp32"},
        {"d-head", "16,32,64,128"},
        {"sequence", "256,1024,4096,8192,16384"},
        {"mode", "forward-backward"},
        {"timing", "blocking"},
        {"steps", "100"}}},
      {"flash",
       "batch 1 without heads, causal, cold caches: forward, backward and both over sequence, d-head and "
       "dtype",
       {{"batch", "1"},
        {"causal", "yes"},
        {"sequence", "128:65536:x2"},
        {"d-head", "16:128:x2"},
        {"dtype", "bf16,fp32"},
        {"mode", "forward,backward,forward-backward"},
        {"implementation", kOfLibTorch},
        {"cache", "cold"},
        {"time-budget", "2s"}}},
      {"paper",
       "16k tokens, heads · d-head = 2048, bf16: FLOP/s over sequence, as in the FlashAttention papers",
       {{"tokens", "16384"},
        {"d-model", "2048"},
        {"d-head", "64,128"},
        {"sequence", "512:16384:x2"},
        {"causal", "no,yes"},
        {"dtype", "bf16"},
        {"mode", "forward,backward"},
        {"implementation", kOfLibTorch},
        {"time-budget", "2s"}}},
  };
}

registry::Support supports(const Case& configuration, const std::string& device, const machine::Machine&) {
  return supports_variant(configuration.text("implementation"), device);
}

// What each phase holds, in bytes and in matrices of scores, which is what naive attention is made of.
std::vector<Summary> memory_columns(const Case& configuration, const MemoryReport& memory) {
  std::vector<Summary> columns;
  const double matrix_bytes = score_matrix_bytes(problem_of(configuration));
  const auto add = [&](const std::string& metric, std::int64_t bytes) {
    const std::string heading = with_spaces(metric);
    columns.push_back({.metric = metric,
                       .heading = heading,
                       .unit = "bytes",
                       .kind = Quantity::memory,
                       .value = double(bytes)});
    columns.push_back({.metric = metric + "_scores",
                       .heading = heading + " scores",
                       .unit = "1",
                       .value = double(bytes) / matrix_bytes});
  };
  for (const PhaseMemory& phase : memory.phases) {
    if (phase.phase == "forward") add("fwd_peak_mem", phase.peak_allocated_bytes);
    if (phase.phase == "backward") {
      add("bwd_mem_before_backward", phase.before_bytes);
      add("bwd_peak_mem", phase.peak_allocated_bytes);
    }
  }
  if (memory.phases.empty()) add("peak_mem", memory.peak_allocated_bytes);  // inside a graph
  return columns;
}

}  // namespace

std::vector<std::string> variant_names() {
  return registry::row_names(kVariants);
}

std::string described_variants() {
  return registry::described(kVariants);
}

registry::Support supports_variant(std::string_view name, std::string_view device) {
  const auto variant = std::ranges::find(kVariants, name, &Variant::name);
  if (device == "cpu" && variant != kVariants.end() && variant->cuda_only)
    return {.yes = false, .reason = fmt::format("LibTorch has {} on CUDA devices only", name)};
  return {};
}

Work work_of(const Case& configuration) {
  const Problem problem = problem_of(configuration);
  const double forward = 4.0 * double(problem.d_head) * counted_pairs(problem);
  const std::string pairs = problem.causal == Causal::no ? "B·H·Sq·Sk"
                            : problem.queries == problem.keys
                                ? "B·H·S²/2"
                                : "the pairs of query and key that the mask lets through";
  // Elements that any implementation must read and write once: Q, O and K, V; their gradients with dO.
  const double of_queries = double(problem.matrices() * problem.queries * problem.d_head);
  const double of_keys = double(problem.matrices() * problem.keys * problem.d_head);
  const double element_bytes = problem.dtype == Dtype::fp32 ? 4 : 2;
  const double forward_bytes = element_bytes * (2 * of_queries + 2 * of_keys);
  const double backward_bytes = element_bytes * (4 * of_queries + 4 * of_keys);

  Work work;
  const bool has_forward = problem.mode != Mode::backward, has_backward = problem.mode != Mode::forward;
  Amount moved =
      amounts::bytes_moved((has_forward ? forward_bytes : 0) + (has_backward ? backward_bytes : 0));
  moved.rate_heading.reset();  // arithmetic bounds it
  work.amounts = {amounts::model_flop((has_forward ? forward : 0) + (has_backward ? 2.5 * forward : 0)),
                  std::move(moved)};
  work.formula = fmt::format("4·D·{}", pairs);
  if (has_backward) work.formula = fmt::format("{}·({})", has_forward ? "3.5" : "2.5", work.formula);
  if (has_backward) work.formula += ": backward 2.5 times the forward, whatever is recomputed";
  return work;
}

registry::WorkloadSpec make_spec() {
  registry::WorkloadSpec spec;
  spec.name = "attention";
  spec.summary = "one attention operator: forward and backward, apart and together";
  spec.default_timing = Timing::back_to_back;
  spec.headline = Headline::device_time;
  spec.parameters = parameters();
  spec.presets = presets();
  spec.canonicalize = canonicalize;
  spec.validate = validate;
  spec.supports = supports;
  spec.program = program_of;
  // Seen on a 16-core machine with an H200.
  spec.compile_s = [](const Case& configuration) { return program_of(configuration).empty() ? 0.0 : 12.0; };
  spec.reference_case = reference_case;
  spec.spell_out = spell_out;
  spec.work = work_of;
  spec.arithmetic = [](const Case& configuration) { return configuration.text("dtype"); };
  spec.memory = predict_memory;
  spec.memory_columns = memory_columns;
  spec.refuse_fault = [](const Case& configuration, std::string_view fault) {
    return refuse_fault(fault, problem_of(configuration));
  };
  return spec;
}

}  // namespace bench::attention
