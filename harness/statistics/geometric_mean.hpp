#pragma once

#include <optional>
#include <span>

#include "harness/statistics/interval.hpp"

namespace bench::statistics {

// The mean of `logarithms` (of ratios: its exponential is their geometric mean) and the 95% interval that
// Student's t gives for it if they are independent: processes are, the cases of one process are not. No
// interval for a single one.
struct LogMean {
  double mean = 0;
  std::optional<Interval> interval;
};
LogMean log_mean(std::span<const double> logarithms);  // at least one finite value, or Error(internal)

}  // namespace bench::statistics
