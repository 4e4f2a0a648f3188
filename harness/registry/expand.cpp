#include "harness/registry/expand.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/registry/registry.hpp"

namespace bench::registry {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("--{}: {}", option, why));
}

std::string bound_text(const Parameter& parameter, double bound) {
  if (parameter.kind == ParameterKind::real) return fmt::format("{}", bound);
  return format_count(static_cast<std::int64_t>(bound));
}

void check_bounds(const Parameter& parameter, double value, std::string_view text) {
  if (value >= parameter.minimum && value <= parameter.maximum) return;
  const bool low = value < parameter.minimum;
  refuse(parameter.name,
         fmt::format("{} is {} {}, the {} that makes sense", printable(text), low ? "below" : "above",
                     bound_text(parameter, low ? parameter.minimum : parameter.maximum),
                     low ? "least" : "most"));
}

struct Axis {
  const Parameter* parameter;
  std::vector<std::optional<Value>> values;  // nullopt: absent from the case
  bool named = false;                        // given by the person or the preset
};

std::vector<std::optional<Value>> parse_list(const Parameter& parameter, std::string_view text) {
  std::vector<std::optional<Value>> values;
  for (const std::string& part : split(text, ',')) {
    if (trimmed(part).empty())
      refuse(parameter.name, fmt::format("\"{}\" has an empty value", printable(text)));
    values.emplace_back(parse_value(parameter, part));
  }
  return values;
}

const std::string* last_given(const Options& options, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [option, text] : options)
    if (option == name) found = &text;
  return found;
}

Axis make_axis(const Parameter& parameter, const ExpandRequest& request) {
  Axis axis{&parameter, {}, false};
  const std::string* text = last_given(request.options, parameter.name);
  if (text == nullptr) text = last_given(request.preset, parameter.name);
  if (text != nullptr) {
    axis.named = true;
    axis.values = parse_list(parameter, *text);
  } else if (parameter.default_value.empty()) {
    axis.values.emplace_back(std::nullopt);
  } else {
    axis.values.emplace_back(parse_value(parameter, parameter.default_value));
  }
  return axis;
}

// Moves warmup, timing and cache from the values into the policy; leaves those in the case that are no
// default.
void split_policy(PlannedCase& planned, const std::vector<Parameter>& measurement) {
  Case& configuration = planned.configuration;
  planned.policy.warmup_steps = static_cast<int>(configuration.integer("warmup"));
  planned.policy.timing = *timing_from_text(configuration.text("timing"));
  planned.policy.cache = *cache_state_from_text(configuration.text("cache"));
  for (const Parameter& parameter : measurement)
    if (to_text(*configuration.find(parameter.name)) == parameter.default_value)
      configuration.erase(parameter.name);
}

void refuse_impossible(const WorkloadSpec& spec, const Case& configuration) {
  if (!spec.validate) return;
  const std::vector<UsageError> errors = spec.validate(configuration);
  if (errors.empty()) return;
  if (errors.front().parameter.empty()) throw Error(ErrorKind::usage, errors.front().sentence);
  refuse(errors.front().parameter, errors.front().sentence);
}

}  // namespace

std::vector<Parameter> measurement_parameters(const WorkloadSpec& spec) {
  Parameter warmup{.name = "warmup",
                   .help = "untimed steps before the samples; kept and marked, never mixed in",
                   .unit = "steps",
                   .kind = ParameterKind::integer,
                   .default_value = "5",
                   .absent_means = "5",
                   .minimum = 0,
                   .maximum = 1e6};
  Parameter timing{.name = "timing",
                   .help =
                       "blocking: each step alone, synchronised; back-to-back: as in a training loop; graph: "
                       "replays of one CUDA graph, counted as back-to-back",
                   .kind = ParameterKind::choice,
                   .choices = {"blocking", "back-to-back", "graph"},
                   .default_value = std::string(to_text(spec.default_timing)),
                   .absent_means = std::string(to_text(spec.default_timing))};
  Parameter cache{.name = "cache",
                  .help = "cold: evict the caches before every sample",
                  .kind = ParameterKind::choice,
                  .choices = {"hot", "cold"},
                  .default_value = "hot",
                  .absent_means = "hot"};
  return {warmup, timing, cache};
}

Value parse_value(const Parameter& parameter, std::string_view raw) {
  const std::string_view text = trimmed(raw);
  switch (parameter.kind) {
    case ParameterKind::integer: {
      const auto value = number_from<std::int64_t>(text);
      if (!value) {
        // 1e3 and 99999999999999999999 deserve their own words.
        refuse(parameter.name, fmt::format("\"{}\" is not a whole number{}", printable(raw),
                                           text.size() > 18 ? " of at most 18 digits" : ""));
      }
      check_bounds(parameter, static_cast<double>(*value), text);
      return *value;
    }
    case ParameterKind::real: {
      const auto value = number_from<double>(text);
      if (!value || !std::isfinite(*value))
        refuse(parameter.name, fmt::format("\"{}\" is not a number", printable(raw)));
      check_bounds(parameter, *value, text);
      return *value;
    }
    case ParameterKind::bytes: {
      std::int64_t value = 0;
      try {
        value = parse_bytes(text);
      } catch (const Error& error) {
        refuse(parameter.name, error.what());
      }
      check_bounds(parameter, static_cast<double>(value), text);
      return value;
    }
    case ParameterKind::choice:
      if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end())
        refuse(parameter.name,
               fmt::format("there is no \"{}\"{}", printable(text), did_you_mean(text, parameter.choices)));
      return std::string(text);
    case ParameterKind::text:
      return std::string(text);
  }
  return std::string(text);
}

std::vector<PlannedCase> expand(const WorkloadSpec& spec, const ExpandRequest& request) {
  const std::vector<Parameter> measurement = measurement_parameters(spec);
  std::vector<Axis> axes;
  for (const Parameter& parameter : spec.parameters) axes.push_back(make_axis(parameter, request));
  for (const Parameter& parameter : measurement) axes.push_back(make_axis(parameter, request));

  double product = 1;
  std::set<std::string> named;
  for (const Axis& axis : axes) {
    product *= static_cast<double>(axis.values.size());
    if (axis.named) named.insert(axis.parameter->name);
  }
  if (request.max_cases > 0 && product > static_cast<double>(request.max_cases))
    throw Error(
        ErrorKind::usage,
        fmt::format("these lists make {:.0f} cases; --max-cases {:.0f} lets them run", product, product));

  std::vector<PlannedCase> cases;
  std::unordered_set<std::string> seen;
  std::vector<std::size_t> at(axes.size(), 0);
  for (bool more = true; more;) {
    PlannedCase planned{.configuration = {.workload = spec.name, .values = {}},
                        .policy = request.base_policy};
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (const auto& value = axes[i].values[at[i]])
        planned.configuration.set(axes[i].parameter->name, *value);
    if (spec.canonicalize) spec.canonicalize(planned.configuration, named);
    split_policy(planned, measurement);
    refuse_impossible(spec, planned.configuration);
    if (seen.insert(planned.configuration.id()).second) cases.push_back(std::move(planned));

    more = false;
    for (std::size_t i = axes.size(); i-- > 0;) {
      if (++at[i] < axes[i].values.size()) {
        more = true;
        break;
      }
      at[i] = 0;
    }
  }
  return cases;
}

PlannedCase case_from_id(std::string_view id, const Policy& base_policy) {
  const std::vector<std::string> parts = split(id, '/');
  const WorkloadSpec& spec = require_workload(parts.front());
  std::vector<std::string> names;
  for (const Parameter& parameter : spec.parameters) names.push_back(parameter.name);
  for (const Parameter& parameter : measurement_parameters(spec)) names.push_back(parameter.name);

  ExpandRequest request{.options = {}, .preset = {}, .base_policy = base_policy};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t colon = parts[i].find(':');
    if (colon == std::string::npos)
      throw Error(ErrorKind::usage,
                  fmt::format("\"{}\" in the case id is not of the form name:value", printable(parts[i])));
    const std::string name = parts[i].substr(0, colon);
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorKind::usage, fmt::format("workload {} has no parameter \"{}\"{}", spec.name,
                                                printable(name), did_you_mean(name, names)));
    if (parts[i].find(',') != std::string::npos)
      throw Error(ErrorKind::usage, "a case id names one case, so its values are no lists");
    request.options.emplace_back(name, parts[i].substr(colon + 1));
  }
  return expand(spec, request).front();
}

}  // namespace bench::registry
