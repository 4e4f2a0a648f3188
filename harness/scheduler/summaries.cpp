#include "harness/scheduler/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/statistics/description.hpp"
#include "harness/statistics/outliers.hpp"
#include "harness/statistics/sampled_summary.hpp"
#include "harness/statistics/step_times.hpp"

namespace bench::scheduler {
namespace {

// `per_step` a step as a rate, from the median step and its interval.
Summary rate(Summary about, double per_step, const Summary& step) {
  about.value = per_step / (step.value / 1e9);
  about.n = step.n;
  if (step.low && step.high) {
    about.low = per_step / (*step.high / 1e9);
    about.high = per_step / (*step.low / 1e9);
  }
  about.interval_capped = step.interval_capped;
  return about;
}

Summary sampled_time(const std::string& name, const std::vector<double>& values_ns, TimeSource source) {
  return statistics::sampled_summary(
      {.metric = name, .heading = name, .unit = "ns", .kind = Quantity::time, .source = source}, values_ns);
}

// The clock that the workload leads with: the device's only where every step has a time of it.
TimeSource headline_source(const CaseResult& result, Headline headline) {
  const bool of_device =
      headline == Headline::device_time && std::ranges::all_of(result.samples, [](const Sample& sample) {
        return sample.kind != SampleKind::measured || sample.device_ns;
      });
  return {of_device ? TimeSource::Kind::device : TimeSource::Kind::host};
}

void add_rates(std::vector<Summary>& summaries, const Work& work, const Summary& step) {
  for (const Amount& amount : work.amounts)
    if (amount.rate_heading && amount.per_step > 0)
      summaries.push_back(rate({.metric = amount.metric + "_per_second",
                                .heading = *amount.rate_heading,
                                .unit = amount.unit + "/s",
                                .kind = Quantity::rate},
                               amount.per_step, step));
}

Summary peak_allocated(const MemoryReport& memory) {
  return {.metric = "peak_allocated",
          .heading = "peak allocated",
          .unit = "bytes",
          .kind = Quantity::memory,
          .value = static_cast<double>(memory.peak_allocated_bytes)};
}

}  // namespace

std::vector<Summary> summarize(const CaseResult& result, const SummaryRequest& request) {
  std::vector<Summary> summaries = request.quantities;
  const TimeSource source = headline_source(result, request.headline);
  const std::vector<double> step_ns = statistics::step_times_ns(result.samples, source);
  if (!step_ns.empty()) {
    const Summary step = sampled_time("step", step_ns, source);
    summaries.push_back(step);
    // After a cache was emptied the mean says what the median leaves out.
    if (result.policy.cache == CacheState::cold)
      summaries.push_back({.metric = "mean_step",
                           .heading = "mean step",
                           .unit = "ns",
                           .kind = Quantity::time,
                           .value = *step.mean,
                           .n = step.n});
    for (std::size_t phase = 0; phase < result.phase_names.size() && result.phase_names.size() > 1; ++phase) {
      const TimeSource of_phase{TimeSource::Kind::phase, phase};
      const std::string& name = result.phase_names[phase];
      const std::vector<double> phase_ns = statistics::step_times_ns(result.samples, of_phase);
      if (!phase_ns.empty()) summaries.push_back(sampled_time(name, phase_ns, of_phase));
    }
    add_rates(summaries, result.work, step);
    if (const double flop = result.work.flop(); flop > 0 && request.peak_flop_per_s)
      summaries.push_back(rate({.metric = "mfu", .heading = "MFU", .unit = "%", .kind = Quantity::share},
                               100 * flop / *request.peak_flop_per_s, step));
  }
  if (result.memory) {
    const std::vector<Summary> columns = request.memory_columns
                                             ? request.memory_columns(result.configuration, *result.memory)
                                             : std::vector<Summary>{peak_allocated(*result.memory)};
    summaries.insert(summaries.end(), columns.begin(), columns.end());
  }
  return summaries;
}

std::vector<Remark> warnings_about_samples(const CaseResult& result, std::int64_t empty_sample_ns,
                                           Headline headline) {
  std::vector<Remark> warnings;
  const auto warn = [&](RemarkCode code, RemarkValues values) {
    warnings.push_back(remark(code, std::move(values)));
  };
  const TimeSource source = headline_source(result, headline);
  const std::vector<double> step_ns = statistics::step_times_ns(result.samples, source);
  if (step_ns.empty()) return warnings;

  const statistics::Description step = statistics::describe(step_ns);
  const double sample_ns = step.median * std::max(1, result.steps_per_sample);
  // Of the host's times: the device's begin and end with its own work.
  const bool by_host = source.kind == TimeSource::Kind::host;
  if (by_host && static_cast<double>(empty_sample_ns) > 0.01 * sample_ns)
    warn(RemarkCode::harness_share, {{"empty_ns", empty_sample_ns}, {"sample_ns", sample_ns}});
  if (step.interval && step.interval->capped) warn(RemarkCode::samples_resemble, {{"samples", step.n}});
  if (const auto outliers = statistics::outliers(step_ns); !outliers.empty())
    warn(RemarkCode::outliers,
         {{"outliers", std::ssize(outliers)}, {"samples", step.n}, {"slowest_ns", step.maximum}});

  double total_ns = 0;
  for (const double ns : step_ns) total_ns += ns * std::max(1, result.steps_per_sample);
  const auto counter = [&](const char* name) {
    const auto found = result.counters.find(name);
    return found == result.counters.end() ? 0.0 : found->second;
  };
  const auto is_replaced = [rank = result.samples.front().rank](const Sample& sample) {
    return sample.kind == SampleKind::replaced && sample.rank == rank;  // they agree
  };
  if (const std::int64_t replaced = std::ranges::count_if(result.samples, is_replaced); replaced > 0)
    warn(RemarkCode::samples_replaced, {{"replaced", replaced}});
  if (const double steal_ms = counter("steal_ms"); steal_ms * 1e6 > 0.01 * total_ns)
    warn(RemarkCode::time_stolen, {{"stolen_ns", steal_ms * 1e6}});
  if (const auto periods = std::llround(counter("cgroup_throttled_periods")); periods > 0)
    warn(RemarkCode::quota_reached, {{"periods", std::int64_t{periods}}});
  if (const auto requests = std::llround(counter("device_mallocs")); requests > 0)
    warn(RemarkCode::driver_allocations, {{"requests", std::int64_t{requests}}});
  return warnings;
}

std::optional<Remark> host_bound_note(const CaseResult& result) {
  constexpr double kHostBound = 0.9;
  const auto launching = result.counters.find("launch_cpu_ns");
  double total_ns = 0;
  for (const Sample& sample : result.samples)
    if (sample.kind != SampleKind::warm_up) total_ns += static_cast<double>(sample.host_ns);
  // Inside a graph there is nothing to launch.
  if (launching == result.counters.end() || result.policy.timing == Timing::graph) return std::nullopt;
  if (launching->second <= kHostBound * total_ns) return std::nullopt;
  return remark(RemarkCode::host_bound,
                {{"launching_percent", std::min(100.0, 100 * launching->second / total_ns)}});
}

}  // namespace bench::scheduler
