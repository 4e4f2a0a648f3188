#include "harness/scheduler/summaries.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/statistics/description.hpp"
#include "harness/statistics/outliers.hpp"
#include "harness/statistics/sampled_summary.hpp"

namespace bench::scheduler {
namespace {

// Per step, in time order; index by sample of each rank, the slowest rank of each sample counts.
template <typename Get>
std::vector<double> slowest_rank(const std::vector<Sample>& samples, Get value_ns) {
  std::map<int, std::size_t> next_of_rank;
  std::vector<double> slowest;
  for (const Sample& sample : samples) {
    if (sample.kind != SampleKind::measured) continue;
    const std::size_t index = next_of_rank[sample.rank]++;
    const double per_step = static_cast<double>(value_ns(sample)) / sample.steps;
    if (index == slowest.size())
      slowest.push_back(per_step);
    else
      slowest[index] = std::max(slowest[index], per_step);
  }
  return slowest;
}

// `amount` a step as a rate, from the median step and its interval.
Summary rate(std::string metric, std::string unit, double amount, const Summary& step) {
  Summary summary{.metric = std::move(metric),
                  .unit = std::move(unit),
                  .value = amount / (step.value / 1e9),
                  .n = step.n};
  if (step.low && step.high) {
    summary.low = amount / (*step.high / 1e9);
    summary.high = amount / (*step.low / 1e9);
  }
  summary.interval_capped = step.interval_capped;
  return summary;
}

// By the clock that the workload leads with.
std::vector<double> step_times_ns(const CaseResult& result, Headline headline) {
  const bool of_device = headline == Headline::device_time;
  return slowest_rank(result.samples, [of_device](const Sample& s) {
    return of_device ? s.device_ns.value_or(s.host_ns) : s.host_ns;
  });
}

}  // namespace

std::vector<Summary> summarize(const CaseResult& result, const SummaryRequest& request) {
  std::vector<Summary> summaries = request.quantities;
  const std::optional<double> peak_flop_per_s = request.peak_flop_per_s;
  const std::vector<double> step_ns = step_times_ns(result, request.headline);
  if (!step_ns.empty()) {
    const Summary step = statistics::sampled_summary("step", step_ns);
    summaries.push_back(step);
    // After a cache was emptied the mean says what the median leaves out.
    if (result.policy.cache == CacheState::cold)
      summaries.push_back({.metric = "mean_step", .unit = "ns", .value = *step.mean, .n = step.n});
    for (std::size_t phase = 0; phase < result.phase_names.size() && result.phase_names.size() > 1; ++phase)
      summaries.push_back(statistics::sampled_summary(
          result.phase_names[phase], slowest_rank(result.samples, [phase](const Sample& s) {
            return phase < s.phase_ns.size() ? s.phase_ns[phase] : 0;
          })));
    if (result.work.tokens > 0)
      summaries.push_back(
          rate("tokens_per_second", "tokens/s", static_cast<double>(result.work.tokens), step));
    if (result.work.flop > 0)
      summaries.push_back(rate("model_flop_per_second", "FLOP/s", result.work.flop, step));
    if (result.work.flop > 0 && peak_flop_per_s)
      summaries.push_back(rate("mfu", "%", 100 * result.work.flop / *peak_flop_per_s, step));
  }
  if (result.memory) {
    const std::vector<Summary> columns =
        request.memory_columns
            ? request.memory_columns(result.configuration, *result.memory)
            : std::vector<Summary>{{.metric = "peak_allocated",
                                    .unit = "bytes",
                                    .value = static_cast<double>(result.memory->peak_allocated_bytes)}};
    summaries.insert(summaries.end(), columns.begin(), columns.end());
  }
  return summaries;
}

std::vector<std::string> judge_samples(const CaseResult& result, std::int64_t empty_sample_ns,
                                       Headline headline) {
  std::vector<std::string> warnings;
  const std::vector<double> step_ns = step_times_ns(result, headline);
  if (step_ns.empty()) return warnings;

  const statistics::Description step = statistics::describe(step_ns);
  const double sample_ns = step.median * std::max(1, result.steps_per_sample);
  // Of the host's times: the device's begin and end with its own work.
  const bool by_host = headline == Headline::host_time || !result.samples.front().device_ns;
  if (by_host && static_cast<double>(empty_sample_ns) > 0.01 * sample_ns)
    warnings.push_back(
        fmt::format("the harness itself takes {} of each {} sample, more than 1%: use --timing back-to-back",
                    format_duration_ns(static_cast<double>(empty_sample_ns)), format_duration_ns(sample_ns)));
  if (step.interval && step.interval->capped)
    warnings.push_back(
        fmt::format("successive samples resemble each other, so {} are too few for a 95% interval: it spans "
                    "all of them; take more "
                    "with --steps",
                    step.n));
  if (const auto outliers = statistics::outliers(step_ns); !outliers.empty())
    warnings.push_back(fmt::format("{} of {} samples lie outside Tukey's fences (kept): the slowest took {}",
                                   outliers.size(), step.n, format_duration_ns(step.maximum)));

  double total_ns = 0;
  for (const double ns : step_ns) total_ns += ns * std::max(1, result.steps_per_sample);
  const auto counter = [&](const char* name) {
    const auto found = result.counters.find(name);
    return found == result.counters.end() ? 0.0 : found->second;
  };
  const auto is_replaced = [rank = result.samples.front().rank](const Sample& sample) {
    return sample.kind == SampleKind::replaced && sample.rank == rank;  // they agree
  };
  if (const auto replaced = std::ranges::count_if(result.samples, is_replaced))
    warnings.push_back(fmt::format(
        "{} samples in which the loss scaler skipped the optimizer, as gradients overflowed fp16, "
        "were replaced (kept, in no number); more --warmup lets the scale settle",
        replaced));
  if (const double steal_ms = counter("steal_ms"); steal_ms * 1e6 > 0.01 * total_ns)
    warnings.push_back(
        fmt::format("the hypervisor gave {} of this machine's time to others during the samples",
                    format_duration_ns(steal_ms * 1e6)));
  if (const double periods = counter("cgroup_throttled_periods"); periods > 0)
    warnings.push_back(fmt::format(
        "the cgroup's CPU quota stopped this machine's threads {:.0f} times during the samples", periods));
  if (const double mallocs = counter("device_mallocs"); mallocs > 0)
    warnings.push_back(
        fmt::format("the GPU's driver was asked for memory {:.0f} times during the samples: their steps hold "
                    "that wait; more --warmup "
                    "lets the allocator keep what they need",
                    mallocs));
  return warnings;
}

std::string host_bound_note(const CaseResult& result) {
  constexpr double kHostBound = 0.9;
  const auto launching = result.counters.find("launch_cpu_ns");
  double total_ns = 0;
  for (const Sample& sample : result.samples)
    if (sample.kind != SampleKind::warm_up) total_ns += static_cast<double>(sample.host_ns);
  // Inside a graph there is nothing to launch.
  if (launching == result.counters.end() || result.policy.timing == Timing::graph) return {};
  if (launching->second <= kHostBound * total_ns) return {};
  return fmt::format(
      "host-bound: launching kept the host busy for {:.0f}% of the samples, so these are its times more than "
      "the GPU's (--timing graph launches a step at once), unless a step waits for the GPU itself",
      std::min(100.0, 100 * launching->second / total_ns));
}

}  // namespace bench::scheduler
