#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/registry/memory_fit.hpp"
#include "harness/registry/values.hpp"
#include "harness/registry/workload_spec.hpp"

// From what a person typed to the cases to run.
namespace bench::registry {

// Option name without dashes, and its text: {"context", "256,512"}.
using Options = std::vector<std::pair<std::string, std::string>>;

// A parameter that was given as `max`: how large that is depends on where it is run.
struct Maximum {
  std::string parameter;
  Case asked;  // as it was before it was made canonical; which value of the parameter is in it says nothing
  std::set<std::string> named;  // the parameters that the person or the preset named
};

struct PlannedCase {
  Case configuration;
  Policy policy;
  // With it the configuration has the largest value that may fit, and a trial halves that until it does.
  std::optional<Maximum> maximum = {};
};

// How a case is measured, as far as that can be an axis: warmup, timing, cache. They enter the case (and its
// id) only where they differ from the default, so that a plain run and a preset's plain run join.
std::vector<Parameter> measurement_parameters(const WorkloadSpec& spec);

struct ExpandRequest {
  Options options;          // typed; these override the preset's
  Options preset;           // the preset's axis options, empty without one
  Policy base_policy = {};  // everything of a policy that is no axis
  // Groups of axes that go in lockstep instead of making a product: {{"size", "batch"}}.
  std::vector<std::vector<std::string>> zips = {};
  std::string filter = {}, exclude = {};  // regular expressions on case ids; empty: none
  // For `max`; nullopt: not known yet, and `max` stays the least value until set_largest.
  std::optional<MemoryRoom> room = {};
  // Refuse more cases than this. 0: kMostCases.
  std::int64_t max_cases = 0;
};

// The product of all axes (a zipped group is one), in declared order with the last parameter fastest,
// canonical, without duplicates, filtered; those with a `max` last, whatever their place was, as one may come
// to a case that is a row of its own: it is measured only where that row runs out of memory. Throws
// Error(usage): an unknown value, a combination that can never work, axes of a zip that differ in length, a
// filter that leaves nothing, more than max_cases.
std::vector<PlannedCase> expand(const WorkloadSpec& spec, const ExpandRequest& request);

// The one case with these values, one of which may be `max`; parameters that are left out get their
// defaults. Throws Error(usage).
PlannedCase one_case(const WorkloadSpec& spec, const Options& options, const Policy& base_policy);

// The case that an id describes; parameters that the id leaves out get their defaults. Throws Error(usage).
PlannedCase case_from_id(std::string_view id, const Policy& base_policy);

}  // namespace bench::registry
