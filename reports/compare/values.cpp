#include "reports/compare/values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/statistics/descriptive.hpp"

namespace bench::reports {
namespace {

template <typename Get>
std::vector<double> slowest_rank(const CaseResult& result, Get value_ns) {
  std::map<int, std::size_t> next_of_rank;
  std::vector<double> slowest;
  for (const Sample& sample : result.samples) {
    if (sample.kind != SampleKind::measured) continue;
    const std::optional<std::int64_t> ns = value_ns(sample);
    if (!ns) return {};
    const double per_step = static_cast<double>(*ns) / sample.steps;
    const std::size_t index = next_of_rank[sample.rank]++;
    if (index == slowest.size())
      slowest.push_back(per_step);
    else
      slowest[index] = std::max(slowest[index], per_step);
  }
  return slowest;
}

// Whether the summary was made from these: workloads choose freely which clock a metric shows.
bool explains(const std::vector<double>& values, const Summary& summary) {
  return !values.empty() &&
         std::abs(statistics::median(values) - summary.value) <= 1e-9 * std::abs(summary.value) + 1e-3;
}

}  // namespace

std::vector<std::string> sampled_metrics(const CaseResult& result) {
  std::vector<std::string> metrics;
  for (const Summary& summary : result.summaries) {
    if (summary.unit == "ns" && summary.n > 0 && summary.value > 0) metrics.push_back(summary.metric);
  }
  return metrics;
}

const Summary* find_summary(const CaseResult& result, const std::string& metric) {
  const auto found = std::ranges::find(result.summaries, metric, &Summary::metric);
  return found == result.summaries.end() ? nullptr : &*found;
}

std::vector<double> values_of(const CaseResult& result, const Summary& summary) {
  const auto named = std::ranges::find(result.phase_names, summary.metric);
  if (named != result.phase_names.end()) {
    const auto phase = static_cast<std::size_t>(named - result.phase_names.begin());
    const auto of_phase = [phase](const Sample& sample) -> std::optional<std::int64_t> {
      if (phase >= sample.phase_ns.size()) return std::nullopt;
      return sample.phase_ns[phase];
    };
    if (auto values = slowest_rank(result, of_phase); explains(values, summary)) return values;
  }
  auto values = slowest_rank(result, [](const Sample& s) { return std::optional(s.host_ns); });
  if (explains(values, summary)) return values;
  values = slowest_rank(result, [](const Sample& s) { return s.device_ns; });
  if (explains(values, summary)) return values;
  return {};
}

}  // namespace bench::reports
