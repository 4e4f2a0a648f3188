#include "workloads/model/case_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "workloads/attention/definition.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/variants.hpp"

namespace bench::model {
namespace {

constexpr std::array<std::string_view, 4> kDimensions{"d-model", "d-ff", "layers", "heads"};
constexpr std::array<std::string_view, 6> kOptimizerParameters{"optimizer", "lr",  "beta1",
                                                               "beta2",     "eps", "weight-decay"};

struct KnownToThePeer {
  const char* parameter;
  std::span<const std::string_view> values;
};
constexpr std::array kOfThePeer{KnownToThePeer{"attention", kPeerAttention},
                                KnownToThePeer{"optimizer", kPeerOptimizers},
                                KnownToThePeer{"loss", kPeerLosses}};

std::int64_t of_size(const NamedSize& size, std::string_view dimension) {
  if (dimension == "d-model") return size.d_model;
  if (dimension == "d-ff") return size.d_ff;
  if (dimension == "layers") return size.layers;
  return size.heads;
}

void canonicalize_size(Case& configuration, bool size_named) {
  const bool all_four =
      std::ranges::all_of(kDimensions, [&](std::string_view name) { return configuration.has(name); });
  if (!size_named && all_four) configuration.set("size", std::string("custom"));

  const Dimensions dimensions = dimensions_of(configuration);
  const NamedSize* size = size_with(dimensions.d_model, dimensions.d_ff, dimensions.layers, dimensions.heads);
  if (!size) size = find_size(configuration.text("size"));
  if (!size) return;  // custom

  const bool none_from_size = all_four && std::ranges::none_of(kDimensions, [&](std::string_view name) {
                                return configuration.integer(name) == of_size(*size, name);
                              });
  if (none_from_size) {
    configuration.set("size", std::string("custom"));
    return;
  }
  configuration.set("size", std::string(size->name));
  for (const std::string_view name : kDimensions) {
    if (configuration.has(name) && configuration.integer(name) == of_size(*size, name))
      configuration.erase(name);
  }
}

// A size that fixes its own vocabulary, context or batch does so for a person who asked for that size by
// name.
void apply_size_defaults(Case& configuration, const std::set<std::string>& named) {
  const NamedSize* size = find_size(configuration.text("size"));
  if (!size) return;
  const auto imply = [&](const char* name, std::int64_t value) {
    if (value != 0 && !named.contains(name)) configuration.set(name, value);
  };
  imply("vocabulary", size->vocabulary);
  imply("context", size->context);
  imply("batch", size->batch);
}

std::string nearest_multiples(std::int64_t value, std::int64_t unit) {
  const std::int64_t below = value / unit * unit;
  const std::int64_t above = below + unit;
  return below == 0 ? fmt::format("the nearest that does is {}", above)
                    : fmt::format("the nearest that do are {} and {}", below, above);
}

}  // namespace

void canonicalize(Case& configuration, const std::set<std::string>& named) {
  const bool size_named = named.contains("size");
  if (size_named) apply_size_defaults(configuration, named);
  canonicalize_size(configuration, size_named);

  const std::string mode = configuration.text("mode");
  if (mode != to_text(Mode::train_step)) {
    for (const std::string_view name : kOptimizerParameters) configuration.erase(name);
  }
  if (mode == to_text(Mode::forward)) configuration.erase("loss");
  if (configuration.text("implementation") != "torch-compile") configuration.erase("compile-mode");
}

std::string_view program_of(const Case& configuration) {
  const auto row =
      std::ranges::find(kImplementations, configuration.text("implementation"), &Implementation::name);
  return row == kImplementations.end() ? "" : row->program;
}

registry::Support supports(const Case& configuration, const std::string& device, const machine::Machine&) {
  if (configuration.text("precision") == to_text(Precision::tf32) && device == "cpu")
    return {.yes = false, .reason = "tf32 is an arithmetic of NVIDIA's tensor cores: it needs a CUDA device"};
  if (program_of(configuration).empty())
    return attention::supports_variant(configuration.text("attention"), device);
  const auto lacks = [&](const char* parameter, std::span<const std::string_view> known) {
    return configuration.has(parameter) &&
           std::ranges::find(known, configuration.text(parameter)) == known.end();
  };
  for (const auto& [parameter, known] : kOfThePeer) {
    if (lacks(parameter, known))
      return {
          .yes = false,
          .reason = fmt::format("the Python peer has no {} {}", parameter, configuration.text(parameter))};
  }
  return {};
}

Case reference_case(const Case& configuration) {
  Case reference = configuration;
  reference.set("implementation", std::string("eager"));
  reference.set("attention", std::string("naive"));
  if (reference.has("optimizer")) reference.set("optimizer", std::string("adamw"));
  if (reference.has("loss")) reference.set("loss", std::string("naive"));
  for (const char* name : {"compile-mode", "warmup", "timing", "cache"}) reference.erase(name);
  return reference;
}

Case spell_out(const Case& configuration) {
  const Dimensions dimensions = dimensions_of(configuration);
  Case spelled_out = configuration;
  spelled_out.set("d-model", dimensions.d_model);
  spelled_out.set("d-ff", dimensions.d_ff);
  spelled_out.set("layers", dimensions.layers);
  spelled_out.set("heads", dimensions.heads);
  return spelled_out;
}

std::vector<registry::UsageError> validate(const Case& configuration) {
  std::vector<registry::UsageError> errors;
  for (const std::string_view name : kDimensions) {
    if (!find_size(configuration.text("size")) && !configuration.has(name)) {
      errors.push_back({std::string(name),
                        fmt::format("--size custom needs all of --d-model --d-ff --layers --heads; --{} is "
                                    "missing (without --size, small supplies what is not given)",
                                    name)});
    }
  }
  if (!errors.empty()) return errors;

  const Dimensions d = dimensions_of(configuration);
  // Multiples of twice the heads: whole heads, and an even size of each for RoPE's pairs.
  if (d.d_model % d.heads != 0) {
    errors.push_back({"d-model", fmt::format("d-model {} does not divide into {} heads of even size; {}",
                                             d.d_model, d.heads, nearest_multiples(d.d_model, 2 * d.heads))});
  } else if (d.d_head() % 2 != 0) {
    errors.push_back(
        {"d-model", fmt::format("RoPE rotates pairs, but d-model {} with {} heads has an odd head "
                                "size, {}; {}",
                                d.d_model, d.heads, d.d_head(), nearest_multiples(d.d_model, 2 * d.heads))});
  }
  // 2^63 elements is where LibTorch's own counts overflow; the parameters' bounds keep every product of fewer
  // factors below it.
  const double scores = double(d.batch) * double(d.heads) * double(d.context) * double(d.context);
  const double logits = double(d.batch) * double(d.context) * double(d.vocabulary);
  if (std::max(scores, logits) >= 9.2e18) {
    errors.push_back(
        {"context", fmt::format("batch {} with context {} makes a tensor of more than 2^63 elements", d.batch,
                                d.context)});
  }
  for (const char* name : {"beta1", "beta2"}) {
    if (configuration.has(name) && configuration.real(name) >= 1.0) {
      errors.push_back({name, fmt::format("{} must be below 1: AdamW divides by 1 - {}^step", name, name)});
    }
  }
  return errors;
}

}  // namespace bench::model
