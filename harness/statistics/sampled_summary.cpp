#include "harness/statistics/sampled_summary.hpp"

#include <utility>

#include "harness/statistics/description.hpp"

namespace bench::statistics {

Summary sampled_summary(std::string metric, const std::vector<double>& values_ns) {
  const Description described = describe(values_ns);
  Summary summary{.metric = std::move(metric), .unit = "ns", .value = described.median, .n = described.n};
  if (described.interval) {
    summary.low = described.interval->low;
    summary.high = described.interval->high;
    summary.interval_capped = described.interval->capped;
  }
  summary.mean = described.mean;
  summary.standard_deviation = described.standard_deviation;
  summary.minimum = described.minimum;
  summary.p10 = described.p10;
  summary.p90 = described.p90;
  return summary;
}

}  // namespace bench::statistics
