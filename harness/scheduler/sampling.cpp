#include "harness/scheduler/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

std::optional<Remark> should_stop(const Policy& policy, int steps_per_sample, std::span<const double> host_ns,
                                  double elapsed_s) {
  const int count = static_cast<int>(host_ns.size());
  const auto stop = [&](RemarkCode code, RemarkValues values = {}) {
    values.insert(values.begin(), {{"samples", count}, {"steps_per_sample", steps_per_sample}});
    return remark(code, std::move(values));
  };
  if (policy.steps && count >= *policy.steps) return stop(RemarkCode::steps_taken);
  if (!policy.steps && count >= kMinimumAutoSamples) {
    if (statistics::interval_within(statistics::describe(host_ns), 0.01))
      return stop(RemarkCode::interval_reached);
    if (count >= kMaximumAutoSamples) return stop(RemarkCode::most_samples_taken);
  }
  if (count >= kMinimumSamples) {
    const double longest_s = *std::max_element(host_ns.begin(), host_ns.end()) / 1e9;
    if (elapsed_s + longest_s > policy.time_budget_s) {
      RemarkValues values{{"budget_s", policy.time_budget_s}};
      if (policy.steps) values.emplace_back("asked", *policy.steps);
      return stop(RemarkCode::budget_used, std::move(values));
    }
  }
  return std::nullopt;
}

}  // namespace bench::scheduler
