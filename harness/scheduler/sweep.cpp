#include "harness/scheduler/sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace bench::scheduler {

std::string case_key(const Case& configuration, int repetition) {
  return fmt::format("{} {}", configuration.id(), repetition);
}

bool make_smaller(const registry::WorkloadSpec& spec, registry::PlannedCase& planned) {
  if (planned.maximized.empty()) return false;
  const auto parameter = std::ranges::find(spec.parameters, planned.maximized, &Parameter::name);
  const std::int64_t half = planned.configuration.integer(planned.maximized) / 2;
  if (half < 1 || (parameter != spec.parameters.end() && static_cast<double>(half) < parameter->minimum))
    return false;
  planned.configuration.set(planned.maximized, half);
  return true;
}

bool is_finished(const Sweep& sweep, const registry::PlannedCase& planned, int repetition) {
  return !sweep.finished.empty() && sweep.finished.contains(case_key(planned.configuration, repetition));
}

std::string program_of(const Sweep& sweep, const Case& configuration) {
  return sweep.spec->program ? sweep.spec->program(configuration) : "";
}

std::optional<Refusal> refusal(const Sweep& sweep, const registry::PlannedCase& planned) {
  const auto skip = [](std::string reason) { return Refusal{Status::skipped, std::move(reason)}; };
  if (planned.policy.timing == Timing::graph && sweep.device == "cpu")
    return skip("CUDA graphs need a CUDA device");
  const registry::WorkloadSpec& spec = *sweep.spec;
  const Case& configuration = planned.configuration;
  if (spec.supports) {
    registry::Support supported = spec.supports(configuration, sweep.device, sweep.machine);
    if (!supported.yes) return skip(std::move(supported.reason));
  }
  const auto unavailable = sweep.unavailable.find(program_of(sweep, configuration));
  if (unavailable != sweep.unavailable.end()) return skip(unavailable->second);
  const auto prediction = registry::predict_memory(spec, configuration, sweep.device);
  if (registry::cannot_fit(prediction, sweep.room))
    return Refusal{Status::out_of_memory,
                   registry::explain_misfit(spec, configuration, *prediction, sweep.room)};
  return std::nullopt;
}

std::set<std::string> programs_of(const Sweep& sweep) {
  std::set<std::string> programs;
  for (const auto& planned : sweep.cases) {
    if (refusal(sweep, planned)) continue;
    programs.insert(program_of(sweep, planned.configuration));
    programs.insert("");
  }
  return programs;
}

}  // namespace bench::scheduler
