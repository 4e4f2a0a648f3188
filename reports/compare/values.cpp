#include "reports/compare/values.hpp"

#include "harness/statistics/step_times.hpp"

namespace bench::reports {

std::vector<const Summary*> sampled_times(const CaseResult& result) {
  std::vector<const Summary*> times;
  for (const Summary& summary : result.summaries)
    if (is_sampled_time(summary)) times.push_back(&summary);
  return times;
}

std::vector<double> values_of(const CaseResult& result, const Summary& summary) {
  if (!summary.source) return {};
  return statistics::step_times_ns(result.samples, *summary.source);
}

}  // namespace bench::reports
