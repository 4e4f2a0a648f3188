#include "reports/parameters.hpp"

#include <algorithm>
#include <set>

namespace bench::reports {

std::vector<std::string> parameter_names(const Document& document) {
  std::vector<std::string> names;
  for (const CaseResult& result : document.cases) {
    for (const auto& [name, value] : result.configuration.values) {
      if (std::ranges::find(kMeasurementParameters, name) != kMeasurementParameters.end()) continue;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::optional<Value> parameter_of(const CaseResult& result, const std::string& name) {
  // The case's own value first: of another tool's file it is all that is known.
  if (const Value* value = result.configuration.find(name)) return *value;
  if (name == "warmup") return std::int64_t{result.policy.warmup_steps};
  if (name == "timing") return std::string(to_text(result.policy.timing));
  if (name == "cache") return std::string(to_text(result.policy.cache));
  if (name == "repetition") return std::int64_t{result.repetition};
  if (name == "workload") return result.configuration.workload;
  return std::nullopt;
}

std::optional<Value> parameter_of(const Document& document, const CaseResult& result,
                                  const std::string& name) {
  const bool is_policy = std::ranges::find(kMeasurementParameters, name) != kMeasurementParameters.end();
  if (is_policy && !document.run.measured_by.empty() && !result.configuration.has(name)) return std::nullopt;
  return parameter_of(result, name);
}

std::optional<Value> common_value(const Document& document, const std::string& name) {
  std::optional<Value> common;
  for (const CaseResult& result : document.cases) {
    const auto value = parameter_of(result, name);
    if (value && common && *value != *common) return std::nullopt;
    if (value) common = value;
  }
  return common;
}

std::vector<std::string> varying_parameters(const Document& document) {
  if (document.cases.empty()) return {};
  std::vector<std::string> candidates{"workload"};
  for (const std::string& name : parameter_names(document)) candidates.push_back(name);
  candidates.insert(candidates.end(), kMeasurementParameters.begin(), kMeasurementParameters.end());
  candidates.push_back("repetition");

  const auto distinct = [&](const std::vector<std::string>& names) {
    std::set<std::string> labels;
    for (const CaseResult& result : document.cases) labels.insert(case_label(result, names));
    return labels.size();
  };
  // A parameter that has one value where it applies (lr, of the cases with an optimizer) tells rows apart
  // only if nothing else does, and one that all cases have never does.
  std::vector<std::string> varying, sometimes;
  for (const std::string& name : candidates) {
    std::optional<Value> common;
    bool varies = false, absent = false;
    for (auto result = document.cases.begin(); result != document.cases.end() && !varies; ++result) {
      std::optional<Value> value = parameter_of(*result, name);
      absent |= !value;
      varies = value && common && *value != *common;
      if (!common) common = std::move(value);
    }
    if (varies || !common)
      varying.push_back(name);
    else if (absent)
      sometimes.push_back(name);
  }
  for (const std::string& name : sometimes) {
    std::vector<std::string> with = varying;
    with.push_back(name);
    if (distinct(with) > distinct(varying)) varying = std::move(with);
  }
  std::ranges::sort(varying, {},
                    [&](const std::string& name) { return std::ranges::find(candidates, name); });
  return varying;
}

std::string case_label(const CaseResult& result, const std::vector<std::string>& names) {
  std::string label;
  for (const std::string& name : names) {
    const auto value = parameter_of(result, name);
    if (!value) continue;
    if (!label.empty()) label += '/';
    label += name + ':' + to_text(*value);
  }
  return label;
}

}  // namespace bench::reports
