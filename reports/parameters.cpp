#include "reports/parameters.hpp"

#include <algorithm>

#include <fmt/format.h>

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
  if (name == "warmup") return std::int64_t{result.policy.warmup_steps};
  if (name == "timing") return std::string(to_text(result.policy.timing));
  if (name == "cache") return std::string(to_text(result.policy.cache));
  if (const Value* value = result.configuration.find(name)) return *value;
  if (name == "workload") return result.configuration.workload;
  return std::nullopt;
}

std::vector<std::string> varying_parameters(const Document& document) {
  std::vector<std::string> candidates{"workload"};
  for (const std::string& name : parameter_names(document)) candidates.push_back(name);
  candidates.insert(candidates.end(), kMeasurementParameters.begin(), kMeasurementParameters.end());
  std::erase_if(candidates, [&](const std::string& name) {
    return std::ranges::all_of(document.cases, [&](const CaseResult& result) {
      return parameter_of(result, name) == parameter_of(document.cases.front(), name);
    });
  });
  return candidates;
}

std::string case_label(const CaseResult& result, const std::vector<std::string>& names) {
  std::string label;
  for (const std::string& name : names) {
    const auto value = parameter_of(result, name);
    if (value) label += fmt::format("{}{}:{}", label.empty() ? "" : "/", name, to_text(*value));
  }
  return label;
}

}  // namespace bench::reports
