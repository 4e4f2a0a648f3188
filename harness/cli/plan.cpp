#include "harness/cli/plan.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "harness/cli/plan_file.hpp"
#include "harness/cli/settings.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/registry/id_filter.hpp"
#include "harness/registry/maximum.hpp"
#include "harness/registry/registry.hpp"

namespace bench::cli {
namespace {

constexpr std::int64_t kMostCasesUnasked = 100;  // outside a preset

std::vector<registry::PlannedCase> expanded(const registry::WorkloadSpec& spec, const RunRequest& request,
                                            const registry::Options& preset, const Settings& settings,
                                            const registry::MemoryRoom& room) {
  registry::ExpandRequest wanted{
      .options = request.options,
      .preset = preset,
      .filter = request.filter,
      .exclude = request.exclude,
      .room = room,
      .max_cases = settings.max_cases.value_or(request.preset.empty() ? kMostCasesUnasked : 0)};
  apply(settings, wanted.base_policy);
  for (const std::string& zip : request.zips) wanted.zips.push_back(split(zip, ','));
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
Plan plan_from_file(const registry::WorkloadSpec& spec, const RunRequest& request, const Settings& settings,
                    const registry::MemoryRoom& room) {
  const auto refuse = [](const std::string& option) {
    throw Error(ErrorKind::usage,
                fmt::format("the cases of --cases are complete, so --{} cannot change them", option));
  };
  if (!request.preset.empty()) refuse("preset");
  if (!request.zips.empty()) refuse("zip");
  const std::vector<Parameter> measurement = registry::measurement_parameters(spec);
  for (const auto* parameters : {&spec.parameters, &measurement})
    for (const Parameter& parameter : *parameters)
      if (given(request.options, parameter.name)) refuse(parameter.name);

  Plan plan = read_plan(request.cases);
  if (plan.spec != &spec)
    throw Error(ErrorKind::usage, fmt::format("--cases {}: its cases are of workload {}, not {}",
                                              printable(request.cases), plan.spec->name, spec.name));
  set_maxima(plan, room, request.cases);
  const registry::IdFilter filter(request.filter, request.exclude);
  std::erase_if(plan.cases, [&](const auto& planned) { return !filter.keeps(planned.configuration.id()); });
  if (plan.cases.empty()) throw Error(ErrorKind::usage, "--filter and --exclude leave no case");
  if (settings.max_cases && std::ssize(plan.cases) > *settings.max_cases)
    throw Error(ErrorKind::usage,
                fmt::format("--cases {} names {} cases; --max-cases {} lets them run",
                            printable(request.cases), plan.cases.size(), plan.cases.size()));
  for (registry::PlannedCase& planned : plan.cases) apply(settings, planned.policy);
  return plan;
}

}  // namespace

Plan make_plan(const RunRequest& request, const registry::MemoryRoom& room) {
  const registry::WorkloadSpec& spec = registry::require_workload(request.workload);
  registry::Options preset;
  if (request.cases.empty() && !request.preset.empty())
    preset = registry::runnable_preset(spec, request.preset).options;
  const Settings settings = read_settings(request, preset);
  Plan plan = request.cases.empty()
                  ? Plan{.spec = &spec, .cases = expanded(spec, request, preset, settings, room)}
                  : plan_from_file(spec, request, settings, room);
  plan.repetitions = settings.repetitions.value_or(plan.repetitions);
  return plan;
}

}  // namespace bench::cli
