#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/command_line.hpp"
#include "harness/core/policy.hpp"
#include "harness/registry/expand.hpp"

namespace bench::cli {

// What makes sense in an option and in a file alike.
inline constexpr int kMostSteps = 1'000'000;
inline constexpr int kMostRepetitions = 1000;
inline constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53;  // a number in every JSON reader
inline constexpr double kLongestS = 30 * 86400;

// What is said of a run as a whole, and so is no axis. nullopt: nobody says it.
struct Settings {
  struct Steps {
    std::optional<int> count;  // nullopt: auto
  };
  std::optional<Steps> steps;
  std::optional<double> time_budget_s, timeout_s;
  std::optional<std::uint64_t> seed;
  std::optional<int> repetitions;
  std::optional<std::int64_t> max_cases;
};

// What is typed counts before what the preset says. Throws Error(usage).
Settings read_settings(const RunRequest& request, const registry::Options& preset);

void apply(const Settings& settings, Policy& policy);

// The last value that the options give, as it was typed; nullopt: none.
std::optional<std::string> given(const registry::Options& options, std::string_view name);

}  // namespace bench::cli
