#include "harness/registry/expand.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/registry/id_filter.hpp"
#include "harness/registry/maximum.hpp"
#include "harness/registry/registry.hpp"

namespace bench::registry {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("--{}: {}", option, why));
}

struct Axis {
  const Parameter* parameter;
  std::vector<AxisValue> values;  // empty: absent from the case
  bool named = false;             // given by the person or the preset
};

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
    axis.values = parse_values(parameter, *text);
  } else if (!parameter.default_value.empty()) {
    axis.values.emplace_back(parse_value(parameter, parameter.default_value));
  }
  return axis;
}

// Axes that turn together, and where they stand. The product of all wheels is the sweep.
struct Wheel {
  std::vector<std::size_t> axes;
  std::size_t size = 1;
  std::size_t at = 0;
};

std::size_t index_of(const std::vector<Axis>& axes, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].parameter->name == name) return i;
    names.push_back(axes[i].parameter->name);
  }
  refuse("zip", fmt::format("there is no parameter \"{}\"{}", printable(name), did_you_mean(name, names)));
}

// One wheel for each zipped group, at the place of its first member, and one for every other axis.
std::vector<Wheel> make_wheels(const std::vector<Axis>& axes,
                               const std::vector<std::vector<std::string>>& zips) {
  constexpr std::size_t kAlone = ~std::size_t{0};
  std::vector<std::size_t> group_of(axes.size(), kAlone);
  for (std::size_t group = 0; group < zips.size(); ++group) {
    if (zips[group].size() < 2) refuse("zip", "it takes two or more parameters: --zip size,batch");
    const std::size_t first = index_of(axes, zips[group].front());
    for (const std::string& name : zips[group]) {
      const std::size_t axis = index_of(axes, name);
      if (group_of[axis] != kAlone) refuse("zip", fmt::format("{} is named twice", name));
      if (axes[axis].values.size() != axes[first].values.size())
        refuse("zip", fmt::format("zipped lists need equally many values, but {} has {} and {} has {}",
                                  axes[first].parameter->name, axes[first].values.size(), name,
                                  axes[axis].values.size()));
      group_of[axis] = group;
    }
  }
  std::vector<Wheel> wheels;
  std::vector<std::size_t> wheel_of_group(zips.size(), kAlone);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::size_t group = group_of[axis];
    if (group != kAlone && wheel_of_group[group] != kAlone) {
      wheels[wheel_of_group[group]].axes.push_back(axis);
      continue;
    }
    if (group != kAlone) wheel_of_group[group] = wheels.size();
    wheels.push_back({.axes = {axis}, .size = std::max<std::size_t>(1, axes[axis].values.size())});
  }
  return wheels;
}

// The next combination, last wheel fastest; false after the last one.
bool turn(std::vector<Wheel>& wheels) {
  for (std::size_t i = wheels.size(); i-- > 0;) {
    if (++wheels[i].at < wheels[i].size) return true;
    wheels[i].at = 0;
  }
  return false;
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

// Everything of an expansion that is the same for all of its cases.
class Expansion {
 public:
  Expansion(const WorkloadSpec& spec, const ExpandRequest& request)
      : spec_(spec),
        request_(request),
        measurement_(measurement_parameters(spec)),
        filter_(request.filter, request.exclude) {
    for (const Parameter& parameter : spec.parameters) axes_.push_back(make_axis(parameter, request));
    for (const Parameter& parameter : measurement_) axes_.push_back(make_axis(parameter, request));
    for (const Axis& axis : axes_)
      if (axis.named) named_.insert(axis.parameter->name);
    wheels_ = make_wheels(axes_, request.zips);
    wheel_of_.resize(axes_.size());
    for (std::size_t wheel = 0; wheel < wheels_.size(); ++wheel)
      for (const std::size_t axis : wheels_[wheel].axes) wheel_of_[axis] = wheel;
  }

  std::vector<PlannedCase> run() {
    refuse_product();
    std::vector<PlannedCase> cases, maxima;
    std::unordered_set<std::string> seen, seen_maxima;  // ids
    std::string example;                                // an id that the filters dropped
    do {
      PlannedCase planned = next();
      std::string id = planned.configuration.id();
      if (!filter_.keeps(id)) {
        example = std::move(id);
        continue;
      }
      const bool is_new = (planned.maximum ? seen_maxima : seen).insert(std::move(id)).second;
      if (is_new) (planned.maximum ? maxima : cases).push_back(std::move(planned));
    } while (turn(wheels_));
    std::ranges::move(maxima, std::back_inserter(cases));
    if (cases.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("--filter and --exclude leave no case; an id looks like {}", example));
    if (request_.max_cases > 0 && static_cast<std::int64_t>(cases.size()) > request_.max_cases)
      throw Error(ErrorKind::usage,
                  fmt::format("these lists make {} cases; --max-cases {} lets them run",
                              format_count(static_cast<std::int64_t>(cases.size())), cases.size()));
    return cases;
  }

 private:
  // Before anything of that size is made.
  void refuse_product() const {
    double product = 1;
    for (const Wheel& wheel : wheels_) product *= static_cast<double>(wheel.size);
    if (product > kMostCases)
      throw Error(ErrorKind::usage,
                  fmt::format("these lists make {:.3g} cases, and a sweep has at most {}: --zip goes through "
                              "lists in lockstep",
                              product, format_count(static_cast<std::int64_t>(kMostCases))));
  }

  PlannedCase next() const {
    PlannedCase planned{.configuration = {.workload = spec_.name, .values = {}},
                        .policy = request_.base_policy};
    const Parameter* largest = nullptr;
    auto& values = planned.configuration.values;
    values.reserve(axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Parameter* parameter = axes_[i].parameter;
      const std::vector<AxisValue>& choices = axes_[i].values;
      if (choices.empty()) continue;
      const AxisValue& value = choices[wheels_[wheel_of_[i]].at];
      if (const Value* plain = std::get_if<Value>(&value)) {
        values.emplace_back(parameter->name, *plain);
        continue;
      }
      if (largest != nullptr)
        refuse(parameter->name,
               fmt::format("max: {} is max already, and only one parameter can be", largest->name));
      largest = parameter;
      values.emplace_back(parameter->name, powers_of_two(*parameter).back());
    }
    split_policy(planned, measurement_);
    if (largest != nullptr) planned.maximum = Maximum{largest->name, planned.configuration, named_};
    if (spec_.canonicalize) spec_.canonicalize(planned.configuration, named_);
    if (planned.maximum && !planned.configuration.has(largest->name)) planned.maximum.reset();
    if (planned.maximum && request_.room) set_largest(spec_, planned, *request_.room);
    refuse_impossible(spec_, planned.configuration);
    return planned;
  }

  const WorkloadSpec& spec_;
  const ExpandRequest& request_;
  std::vector<Parameter> measurement_;
  IdFilter filter_;
  std::vector<Axis> axes_;
  std::set<std::string> named_;
  std::vector<Wheel> wheels_;
  std::vector<std::size_t> wheel_of_;  // by axis
};

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

std::vector<PlannedCase> expand(const WorkloadSpec& spec, const ExpandRequest& request) {
  return Expansion(spec, request).run();
}

PlannedCase one_case(const WorkloadSpec& spec, const Options& options, const Policy& base_policy) {
  const std::vector<Parameter> measurement = measurement_parameters(spec);
  for (const auto& [name, text] : options) {
    const auto known = [&name = name](const auto& parameters) {
      return std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
    };
    if (known(spec.parameters) || known(measurement)) continue;
    std::vector<std::string> names;
    for (const auto* parameters : {&spec.parameters, &measurement})
      for (const Parameter& parameter : *parameters) names.push_back(parameter.name);
    throw Error(ErrorKind::usage, fmt::format("workload {} has no parameter \"{}\"{}", spec.name,
                                              printable(name), did_you_mean(name, names)));
  }
  std::vector<PlannedCase> cases =
      expand(spec, {.options = options, .preset = {}, .base_policy = base_policy});
  const bool is_list = std::ranges::any_of(
      options, [](const auto& option) { return option.second.find(',') != std::string::npos; });
  if (cases.size() != 1 || is_list)
    throw Error(ErrorKind::usage, "a single case takes one value of each parameter, no list and no range");
  return std::move(cases.front());
}

PlannedCase case_from_id(std::string_view id, const Policy& base_policy) {
  const std::vector<std::string> parts = split(id, '/');
  const WorkloadSpec& spec = require_workload(parts.front());
  Options options;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t colon = parts[i].find(':');
    if (colon == std::string::npos)
      throw Error(ErrorKind::usage,
                  fmt::format("\"{}\" in the case id is not of the form name:value", printable(parts[i])));
    options.emplace_back(parts[i].substr(0, colon), parts[i].substr(colon + 1));
  }
  PlannedCase planned = one_case(spec, options, base_policy);
  if (planned.maximum) refuse(planned.maximum->parameter, "max: one case has a number there");
  return planned;
}

}  // namespace bench::registry
