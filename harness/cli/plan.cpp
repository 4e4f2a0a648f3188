#include "harness/cli/plan.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "harness/cli/plan_file.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/registry/id_filter.hpp"
#include "harness/registry/maximum.hpp"
#include "harness/registry/registry.hpp"

namespace bench::cli {
namespace {

constexpr std::int64_t kMostCasesUnasked = 100;  // outside a preset

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most) {
  const auto value = number_from<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    throw Error(ErrorKind::usage, fmt::format("--{}: \"{}\" is not a whole number from {} to {}", option,
                                              printable(text), format_count(least), format_count(most)));
  return *value;
}

double duration_s(const std::string& option, const std::string& text) {
  double seconds = 0;
  try {
    seconds = parse_duration_s(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("--{}: {}", option, error.what()));
  }
  if (seconds <= 0 || seconds > kLongestS)
    throw Error(ErrorKind::usage,
                fmt::format("--{}: \"{}\" is not between 0 and 30 days", option, printable(text)));
  return seconds;
}

// What the options and the preset say of a policy, as far as that is no axis.
void apply_settings(Policy& policy, const RunRequest& request, const registry::Options& preset) {
  if (const auto steps = setting(request, preset, "steps")) {
    if (*steps == "auto")
      policy.steps.reset();
    else
      policy.steps = static_cast<int>(whole_number("steps", *steps, 1, kMostSteps));
  }
  if (const auto text = setting(request, preset, "time-budget"))
    policy.time_budget_s = duration_s("time-budget", *text);
  if (const auto text = setting(request, preset, "timeout")) policy.timeout_s = duration_s("timeout", *text);
  if (const auto text = setting(request, preset, "seed"))
    policy.seed = static_cast<std::uint64_t>(whole_number("seed", *text, 0, kLargestSeed));
}

std::int64_t most_cases(const std::string& text) {
  return whole_number("max-cases", text, 1, static_cast<std::int64_t>(registry::kMostCases));
}

std::vector<registry::PlannedCase> expanded(const registry::WorkloadSpec& spec, const RunRequest& request,
                                            const registry::Options& preset,
                                            const registry::MemoryRoom& room) {
  registry::ExpandRequest wanted{.options = request.options,
                                 .preset = preset,
                                 .filter = request.filter,
                                 .exclude = request.exclude,
                                 .room = room,
                                 .max_cases = request.preset.empty() ? kMostCasesUnasked : 0};
  apply_settings(wanted.base_policy, request, preset);
  for (const std::string& zip : request.zips) wanted.zips.push_back(split(zip, ','));
  if (const auto text = setting(request, preset, "max-cases")) wanted.max_cases = most_cases(*text);
  return registry::expand(spec, wanted);
}

// As expand() would have made them.
void set_maxima(Plan& plan, const registry::MemoryRoom& room, const std::string& path) {
  for (registry::PlannedCase& planned : plan.cases) {
    if (!planned.maximum) continue;
    try {
      registry::set_largest(*plan.spec, planned, room);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, fmt::format("--cases {}: {}", printable(path), error.what()));
    }
  }
  std::ranges::stable_partition(plan.cases, [](const auto& planned) { return !planned.maximum; });
}

// A file's cases are whole: how they are measured and which of them run can still be said.
Plan plan_from_file(const registry::WorkloadSpec& spec, const RunRequest& request,
                    const registry::MemoryRoom& room) {
  const auto refuse = [](const std::string& option) {
    throw Error(ErrorKind::usage,
                fmt::format("--cases names whole cases, so --{} has nothing to choose", option));
  };
  if (!request.preset.empty()) refuse("preset");
  if (!request.zips.empty()) refuse("zip");
  const std::vector<Parameter> measurement = registry::measurement_parameters(spec);
  for (const auto* parameters : {&spec.parameters, &measurement})
    for (const Parameter& parameter : *parameters)
      if (setting(request, {}, parameter.name)) refuse(parameter.name);

  Plan plan = read_plan(request.cases);
  if (plan.spec != &spec)
    throw Error(ErrorKind::usage, fmt::format("--cases {}: its cases are of workload {}, not {}",
                                              printable(request.cases), plan.spec->name, spec.name));
  set_maxima(plan, room, request.cases);
  const registry::IdFilter filter(request.filter, request.exclude);
  std::erase_if(plan.cases, [&](const auto& planned) { return !filter.keeps(planned.configuration.id()); });
  if (plan.cases.empty()) throw Error(ErrorKind::usage, "--filter and --exclude leave no case");
  if (const auto text = setting(request, {}, "max-cases")) {
    const std::int64_t most = most_cases(*text);
    if (static_cast<std::int64_t>(plan.cases.size()) > most)
      throw Error(ErrorKind::usage,
                  fmt::format("--cases {} names {} cases; --max-cases {} lets them run",
                              printable(request.cases), plan.cases.size(), plan.cases.size()));
  }
  for (registry::PlannedCase& planned : plan.cases) apply_settings(planned.policy, request, {});
  return plan;
}

}  // namespace

Plan make_plan(const RunRequest& request, const registry::MemoryRoom& room) {
  const registry::WorkloadSpec& spec = registry::require_workload(request.workload);
  registry::Options preset;
  Plan plan{.spec = &spec, .cases = {}};
  if (request.cases.empty()) {
    if (!request.preset.empty()) preset = registry::runnable_preset(spec, request.preset).options;
    plan.cases = expanded(spec, request, preset, room);
  } else {
    plan = plan_from_file(spec, request, room);
  }
  if (const auto text = setting(request, preset, "repeat"))
    plan.repetitions = static_cast<int>(whole_number("repeat", *text, 1, kMostRepetitions));
  return plan;
}

}  // namespace bench::cli
