#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "harness/cli/plan.hpp"

// A plan as JSON: what --dry-run --json prints, --cases reads, and a run directory keeps as plan.json.
namespace bench::cli {

// Adds to the JSON of one case, by its index.
using CaseRemark = std::function<void(std::size_t, nlohmann::ordered_json&)>;
nlohmann::ordered_json to_json(const Plan& plan, const CaseRemark& remark = nullptr);

// The whole of a run's plan.json: the plan, and the command line that it came from.
std::string plan_file_content(const Plan& plan, const std::vector<std::string>& argv);

// Reads {workload, policy, repetitions, cases}: of a case only its parameters count, as if they were typed;
// those left out have their defaults. `max` has its least value still: see registry::set_largest. Throws
// Error(usage) that names the file and the member at fault.
// `argv` (may be nullptr) gets the command line that plan.json keeps.
Plan read_plan(const std::string& path, std::vector<std::string>* argv = nullptr);

}  // namespace bench::cli
