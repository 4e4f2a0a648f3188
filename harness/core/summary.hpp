#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/sample.hpp"

namespace bench {

// What a number measures. Reports choose columns by it, comparisons their gates.
enum class Quantity {
  time,
  rate,        // per second: more is better
  share,       // of what is possible: more is better
  memory,      // bytes held
  traffic,     // bytes moved or sent
  arithmetic,  // floating-point operations
  kernels,     // launched
  count,       // anything else that is counted: no direction is better
};

std::string_view to_text(Quantity quantity);
std::optional<Quantity> quantity_from_text(std::string_view text);

// One number of a result, tagged, so that printers need to know no workload. Times are stored in ns, memory
// in bytes.
struct Summary {
  std::string metric;   // what options and files call it: "step", "tokens_per_second", "peak_allocated"
  std::string heading;  // above a column: "peak allocated"; of a rate what stands before its unit: "model"
  std::string unit;     // "ns", "tokens/s", "FLOP/s", "bytes", "1"
  Quantity kind = Quantity::count;
  std::optional<TimeSource> source;  // the samples' time of which `value` is the median; absent: of none
  double value = 0;                  // the median for sampled metrics
  std::optional<double> low,
      high;            // 95% interval of the median; absent below 6 samples and for exact quantities
  std::int64_t n = 0;  // samples behind it; 0: exact, not sampled
  std::optional<double> mean, standard_deviation, minimum, p10, p90;
  bool interval_capped = false;  // autocorrelation asked for a wider interval than the extremes allow
  bool operator==(const Summary&) const = default;
};

inline bool is_sampled_time(const Summary& summary) {
  return summary.kind == Quantity::time && summary.n > 0;
}

// Of one metric in one unit: the numbers of several cases that share a column.
inline bool is_same_metric(const Summary& a, const Summary& b) {
  return a.metric == b.metric && a.unit == b.unit;
}

}  // namespace bench
