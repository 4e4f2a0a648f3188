#include "harness/cli/settings.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/registry/values.hpp"

namespace bench::cli {
namespace {

std::int64_t whole_number(std::string_view option, const std::string& text, std::int64_t least,
                          std::int64_t most) {
  const auto value = number_from<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    throw Error(ErrorKind::usage, fmt::format("--{}: \"{}\" is not a whole number from {} to {}", option,
                                              printable(text), format_count(least), format_count(most)));
  return *value;
}

template <class Number>
auto within(std::int64_t least, std::int64_t most) {
  return [=](std::string_view option, const std::string& text) {
    return static_cast<Number>(whole_number(option, text, least, most));
  };
}

double duration_s(std::string_view option, const std::string& text) {
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

}  // namespace

std::optional<std::string> given(const registry::Options& options, std::string_view name) {
  for (auto option = options.rbegin(); option != options.rend(); ++option)
    if (option->first == name) return option->second;
  return std::nullopt;
}

Settings read_settings(const RunRequest& request, const registry::Options& preset) {
  Settings settings;
  const auto read = [&](std::string_view name, auto& setting, const auto& parse) {
    auto text = given(request.options, name);
    if (!text) text = given(preset, name);
    if (text) setting = parse(name, *text);
  };
  read("steps", settings.steps, [](std::string_view name, const std::string& text) {
    return text == "auto" ? Settings::Steps{} : Settings::Steps{within<int>(1, kMostSteps)(name, text)};
  });
  read("time-budget", settings.time_budget_s, duration_s);
  read("timeout", settings.timeout_s, duration_s);
  read("seed", settings.seed, within<std::uint64_t>(0, kLargestSeed));
  read("max-cases", settings.max_cases,
       within<std::int64_t>(1, static_cast<std::int64_t>(registry::kMostCases)));
  read("repeat", settings.repetitions, within<int>(1, kMostRepetitions));
  return settings;
}

void apply(const Settings& settings, Policy& policy) {
  if (settings.steps) policy.steps = settings.steps->count;
  policy.time_budget_s = settings.time_budget_s.value_or(policy.time_budget_s);
  policy.timeout_s = settings.timeout_s.value_or(policy.timeout_s);
  policy.seed = settings.seed.value_or(policy.seed);
}

}  // namespace bench::cli
