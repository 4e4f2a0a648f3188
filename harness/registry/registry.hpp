#pragma once

#include <string_view>
#include <vector>

#include "harness/registry/workload_spec.hpp"

namespace bench::registry {

// Every workload linked into this program, by name. Sorted.
const std::vector<const WorkloadSpec*>& workloads();

// nullptr when there is none of that name.
const WorkloadSpec* find_workload(std::string_view name);

// These throw Error(usage) that names the nearest match.
const WorkloadSpec& require_workload(std::string_view name);
const Preset& require_preset(const WorkloadSpec& spec, std::string_view name);
// The same, and refuses a preset that needs what this build lacks.
const Preset& runnable_preset(const WorkloadSpec& spec, std::string_view name);

// One static object per spec.cpp: `static const registry::Registration registration{make_spec()};`
class Registration {
 public:
  explicit Registration(WorkloadSpec spec);
};

}  // namespace bench::registry
