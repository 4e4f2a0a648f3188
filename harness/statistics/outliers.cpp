#include "harness/statistics/outliers.hpp"

#include "harness/statistics/descriptive.hpp"

namespace bench::statistics {

std::vector<std::size_t> outliers(std::span<const double> values) {
  if (values.empty()) return {};
  constexpr double kFence = 1.5;
  const std::vector<double> ascending = sorted(values);
  const double q1 = quantile_of_sorted(ascending, 0.25), q3 = quantile_of_sorted(ascending, 0.75);
  const double reach = kFence * (q3 - q1);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < q1 - reach || values[i] > q3 + reach) indices.push_back(i);
  }
  return indices;
}

}  // namespace bench::statistics
