#include "reports/compare/timing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/statistics/descriptive.hpp"
#include "harness/statistics/geometric_mean.hpp"
#include "harness/statistics/shift.hpp"
#include "reports/compare/values.hpp"

namespace bench::reports {
namespace {

using statistics::Interval;

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

// A step of 0 ns is one that the clock was too coarse to see: it has a ratio to nothing.
std::vector<double> above_zero(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !(value > 0); });
  return values;
}

Interval exponential(const Interval& interval) {
  return {std::exp(interval.low), std::exp(interval.high)};
}

// Of ln(other / base), from samples or, where a document has none, from the ends of both intervals.
std::optional<Interval> interval_within_processes(const Measured& base, const Measured& other) {
  if (!base.log_values.empty() && !other.log_values.empty())
    return statistics::rank_sum_interval(base.log_values, other.log_values);
  const auto &a = base.timed.interval_ns, &b = other.timed.interval_ns;
  if (!a || !b || !(a->low > 0) || !(b->low > 0)) return std::nullopt;
  return Interval{std::log(b->low / a->high), std::log(b->high / a->low)};
}

}  // namespace

Measured measured(const Document& document, const Repetitions& repetitions, const std::string& metric) {
  Measured result;
  std::vector<double> medians;
  const Summary* only = nullptr;
  std::size_t unusable = 0, all_samples = 0, zeros = 0;
  const auto condition = document.conditions.find(kProcessesCondition);
  const bool each_sample_alone =
      condition != document.conditions.end() && condition->second == kOneProcessASample;
  for (const CaseResult* repetition : repetitions) {
    if (repetition->status != Status::ok) {
      result = {};
      result.timed.status = repetition->status;
      result.timed.reason = repetition->reason.text;
      return result;
    }
    if (metric.empty()) continue;
    const Summary* summary = find_summary(*repetition, metric);
    if (summary == nullptr || summary->n == 0 || !(summary->value > 0)) {
      ++unusable;
      continue;
    }
    only = summary;
    const std::vector<double> all_values = values_of(*repetition, *summary);
    const std::vector<double> values = above_zero(all_values);
    all_samples += all_values.size();
    zeros += all_values.size() - values.size();
    if (each_sample_alone && !values.empty()) {
      medians.insert(medians.end(), values.begin(), values.end());
      for (std::size_t i = 0; i < values.size(); ++i) result.processes.push_back(static_cast<int>(i));
    } else {
      medians.push_back(summary->value);
      result.processes.push_back(repetition->repetition);
    }
    const std::vector<double> logs = logarithms(values);
    result.log_values.insert(result.log_values.end(), logs.begin(), logs.end());
    result.timed.samples += summary->n;
  }
  if (metric.empty()) return result;
  if (medians.empty()) {
    result.timed.reason = "it holds no " + metric + " above 0";
    return result;
  }
  if (unusable > 0)
    result.timed.reason =
        fmt::format("{} of {} processes hold no {} above 0", unusable, repetitions.size(), metric);
  if (zeros > 0)
    result.timed.reason += fmt::format("{}{} of {} samples are 0 ns and stand in no ratio",
                                       result.timed.reason.empty() ? "" : "; ", zeros, all_samples);
  result.timed.processes = std::ssize(medians);
  result.timed.median_ns = statistics::median(medians);
  result.log_medians = logarithms(medians);
  if (only != nullptr && only->low && only->high && (medians.size() == 1 || each_sample_alone)) {
    result.timed.interval_ns = Interval{*only->low, *only->high};
  } else if (const auto mean = statistics::log_mean(result.log_medians); mean.interval) {
    // Around the median of few processes, as wide as their mean's.
    const double center = std::log(result.timed.median_ns) - mean.mean;
    result.timed.interval_ns = exponential({mean.interval->low + center, mean.interval->high + center});
  }
  return result;
}

double Noise::bound(std::int64_t from, std::int64_t to) const {
  return measured ? statistics::difference_bound(*measured, from, to) : std::log1p(assumed);
}

bool processes_suffice(std::int64_t from, std::int64_t to) {
  return statistics::rank_sum_rank(from, to) >= 1 && std::min(from, to) >= 4;
}

Change change_of(const Measured& base, const Measured& other, const Noise& noise, double threshold) {
  Change change;
  std::optional<Interval> interval;
  if (processes_suffice(base.timed.processes, other.timed.processes)) {
    change.ratio = std::exp(statistics::hodges_lehmann_shift(base.log_medians, other.log_medians));
    interval = statistics::rank_sum_interval(base.log_medians, other.log_medians);
  } else {
    const bool samples = !base.log_values.empty() && !other.log_values.empty();
    change.ratio = samples ? std::exp(statistics::hodges_lehmann_shift(base.log_values, other.log_values))
                           : other.timed.median_ns / base.timed.median_ns;
    interval = interval_within_processes(base, other);
    if (interval) {
      const double bound = noise.bound(base.timed.processes, other.timed.processes);
      interval = {interval->low - bound, interval->high + bound};
    }
  }
  if (!interval) return change;
  change.ratio_interval = exponential(*interval);
  change.verdict = statistics::verdict_on(*interval, threshold);
  return change;
}

}  // namespace bench::reports
