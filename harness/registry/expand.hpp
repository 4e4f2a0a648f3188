#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/registry/workload_spec.hpp"

// From what a person typed to the cases to run.
namespace bench::registry {

// Option name without dashes, and its text: {"context", "256,512"}.
using Options = std::vector<std::pair<std::string, std::string>>;

struct PlannedCase {
  Case configuration;
  Policy policy;
};

// How a case is measured, as far as that can be an axis: warmup, timing, cache. They enter the case (and its
// id) only where they differ from the default, so that a plain run and a preset's plain run join.
std::vector<Parameter> measurement_parameters(const WorkloadSpec& spec);

// Throws Error(usage) that names the option, the text, and the nearest value or the bounds.
Value parse_value(const Parameter& parameter, std::string_view text);

struct ExpandRequest {
  Options options;     // typed; these override the preset's
  Options preset;      // the preset's axis options, empty without one
  Policy base_policy;  // everything of a policy that is no axis
  // Refuse products above this. 0: no limit.
  std::int64_t max_cases = 0;
};

// The product of all comma lists, in declared order with the last parameter fastest, canonical and without
// duplicates. Throws Error(usage): an unknown value, a combination that can never work, more than max_cases.
std::vector<PlannedCase> expand(const WorkloadSpec& spec, const ExpandRequest& request);

// The case that an id describes; parameters that the id leaves out get their defaults. Throws Error(usage).
PlannedCase case_from_id(std::string_view id, const Policy& base_policy);

}  // namespace bench::registry
