#include "harness/statistics/description.hpp"

#include <cmath>
#include <vector>

#include "harness/statistics/descriptive.hpp"

namespace bench::statistics {

Description describe(std::span<const double> values_in_time_order) {
  const std::vector<double> ascending = sorted(values_in_time_order);
  Description description;
  description.n = std::ssize(ascending);
  description.median = quantile_of_sorted(ascending, 0.5);
  description.interval =
      median_interval_of_sorted(ascending, lag1_autocorrelation(values_in_time_order).value_or(0));
  description.mean = mean(values_in_time_order);
  description.standard_deviation = standard_deviation(values_in_time_order);
  description.minimum = ascending.front();
  description.maximum = ascending.back();
  description.p10 = quantile_of_sorted(ascending, 0.1);
  description.p90 = quantile_of_sorted(ascending, 0.9);
  return description;
}

bool interval_within(const Description& description, double share) {
  if (!description.interval || description.interval->capped) return false;
  const double allowed = share * std::abs(description.median);
  return description.median - description.interval->low <= allowed &&
         description.interval->high - description.median <= allowed;
}

}  // namespace bench::statistics
