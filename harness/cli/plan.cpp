#include "harness/cli/plan.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
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
  if (seconds <= 0 || seconds > 30 * 86400)
    throw Error(ErrorKind::usage,
                fmt::format("--{}: \"{}\" is not between 0 and 30 days", option, printable(text)));
  return seconds;
}

// Everything of a policy that is no axis.
Policy base_policy(const RunRequest& request, const registry::Options& preset) {
  Policy policy;
  if (const auto steps = setting(request, preset, "steps")) {
    if (*steps == "auto")
      policy.steps.reset();
    else
      policy.steps = static_cast<int>(whole_number("steps", *steps, 1, 1'000'000));
  }
  if (const auto text = setting(request, preset, "time-budget"))
    policy.time_budget_s = duration_s("time-budget", *text);
  if (const auto text = setting(request, preset, "timeout")) policy.timeout_s = duration_s("timeout", *text);
  if (const auto text = setting(request, preset, "seed"))
    policy.seed = static_cast<std::uint64_t>(whole_number("seed", *text, 0, std::int64_t{1} << 53));
  return policy;
}

}  // namespace

std::vector<registry::PlannedCase> plan_cases(const registry::WorkloadSpec& spec, const RunRequest& request,
                                              const registry::MemoryRoom& room) {
  registry::Options preset;
  if (!request.preset.empty()) preset = registry::runnable_preset(spec, request.preset).options;
  registry::ExpandRequest wanted{.options = request.options,
                                 .preset = preset,
                                 .base_policy = base_policy(request, preset),
                                 .filter = request.filter,
                                 .exclude = request.exclude,
                                 .room = room,
                                 .max_cases = request.preset.empty() ? kMostCasesUnasked : 0};
  for (const std::string& zip : request.zips) wanted.zips.push_back(split(zip, ','));
  if (const auto text = setting(request, preset, "max-cases"))
    wanted.max_cases = whole_number("max-cases", *text, 1, static_cast<std::int64_t>(registry::kMostCases));
  return registry::expand(spec, wanted);
}

}  // namespace bench::cli
