#pragma once

#include <optional>
#include <span>

#include "harness/statistics/interval.hpp"

namespace bench::statistics {

// The mean of `logarithms` (of ratios: its exponential is their geometric mean) and the 95% interval that
// Student's t gives for it, as if the cases were drawn from many like them. No interval for a single one.
// Fleming and Wallace, "How not to lie with statistics", Communications of the ACM 29 (1986): ratios are
// averaged by the geometric mean, and by no other.
struct LogMean {
  double mean = 0;
  std::optional<Interval> interval;
};
LogMean log_mean(std::span<const double> logarithms);  // at least one finite value, or Error(internal)

}  // namespace bench::statistics
