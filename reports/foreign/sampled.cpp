#include "reports/foreign/sampled.hpp"

#include <cmath>

#include "harness/core/text.hpp"
#include "harness/statistics/description.hpp"

namespace bench::reports {

Summary sampled_summary(const std::string& metric, const std::vector<double>& values_ns) {
  const statistics::Description described = statistics::describe(values_ns);
  Summary summary{.metric = metric, .unit = "ns", .value = described.median, .n = described.n};
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

Value value_of_text(const std::string& text) {
  if (const auto integer = number_from<std::int64_t>(text)) return *integer;
  if (const auto real = number_from<double>(text); real && std::isfinite(*real)) return *real;
  return text;
}

}  // namespace bench::reports
