#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/median_interval.hpp"

namespace bench::statistics {

// What is kept of one sampled metric, all but n in the unit of the values.
struct Description {
  std::int64_t n = 0;
  double median = 0;
  std::optional<MedianInterval> interval;  // 95%, absent below 6 values
  double mean = 0;
  std::optional<double> standard_deviation;  // n - 1; absent for a single value
  double minimum = 0, maximum = 0;
  double p10 = 0, p90 = 0;  // quantiles of type 7, as in descriptive.hpp
};

// Of at least one finite value, in the order in which they were taken. Throws Error(internal) otherwise.
Description describe(std::span<const double> values_in_time_order);

// The stop rule: an interval exists, is not capped, and both of its ends lie within `share` of the median:
// median - low <= share |median| and high - median <= share |median|. A capped interval never stops the
// sampling, because its 95% are not kept.
bool interval_within(const Description& description, double share);

}  // namespace bench::statistics
