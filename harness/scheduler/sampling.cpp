#include "harness/scheduler/sampling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/statistics/description.hpp"

namespace bench::scheduler {

int steps_per_sample(Timing timing, CacheState cache, double step_ns) {
  constexpr double kFill_ns = 10e6;
  constexpr int kLeast = 5;
  if (timing == Timing::blocking || cache == CacheState::cold || kLeast * step_ns > 10e9) return 1;
  return std::max(kLeast, static_cast<int>(std::ceil(kFill_ns / std::max(step_ns, 1.0))));
}

int samples_wanted(const Policy& policy, int taken) {
  if (policy.steps) return *policy.steps - taken;
  return taken < kMinimumAutoSamples ? kMinimumAutoSamples - taken
                                     : std::min(taken, kMaximumAutoSamples - taken);
}

int chunk_size(double sample_ns, int wanted) {
  constexpr double kChunk_ns = 250e6;
  const double fits = kChunk_ns / std::max(sample_ns, 1.0);
  return static_cast<int>(std::clamp(fits, 1.0, static_cast<double>(std::max(wanted, 1))));
}

bool warmup_budget_used(const Policy& policy, double elapsed_s, double step_s) {
  return elapsed_s + step_s > policy.time_budget_s / 3;
}

StopDecision should_stop(const Policy& policy, int steps_per_sample, std::span<const double> host_ns,
                         double elapsed_s) {
  const int count = static_cast<int>(host_ns.size());
  const std::string taken = steps_per_sample == 1 ? fmt::format("{} step{}", count, count == 1 ? "" : "s")
                                                  : fmt::format("{} sample{} of {} steps", count,
                                                                count == 1 ? "" : "s", steps_per_sample);
  if (policy.steps && count >= *policy.steps) return {true, taken + " done"};
  if (!policy.steps && count >= kMinimumAutoSamples) {
    if (statistics::interval_within(statistics::describe(host_ns), 0.01))
      return {true, fmt::format("interval of the median within 1% after {}", taken)};
    if (count >= kMaximumAutoSamples) return {true, fmt::format("{}, the most that are kept", taken)};
  }
  if (count >= kMinimumSamples) {
    const double longest_s = *std::max_element(host_ns.begin(), host_ns.end()) / 1e9;
    if (elapsed_s + longest_s > policy.time_budget_s)
      return {true, fmt::format("time budget of {:g} s used: {}{}", policy.time_budget_s, taken,
                                policy.steps ? fmt::format(", {} asked for", *policy.steps) : "")};
  }
  return {};
}

}  // namespace bench::scheduler
