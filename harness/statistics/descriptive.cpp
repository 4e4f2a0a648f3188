#include "harness/statistics/descriptive.hpp"

#include <algorithm>
#include <cmath>

#include "harness/core/error.hpp"

namespace bench::statistics {

namespace {

void require_finite(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::internal, "statistics were asked of no values at all");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw Error(ErrorKind::internal, "statistics were asked of a value that is not finite");
  }
}

double sum_of_squared_deviations(std::span<const double> values, double center) {
  double sum = 0;
  for (double value : values) sum += (value - center) * (value - center);
  return sum;
}

}  // namespace

std::vector<double> sorted(std::span<const double> values) {
  require_finite(values);
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  return ascending;
}

double mean(std::span<const double> values) {
  require_finite(values);
  // Deviations from the first value: exact for equal values, and no digits lost to a large common offset.
  double sum = 0;
  for (double value : values) sum += value - values.front();
  return values.front() + sum / static_cast<double>(values.size());
}

std::optional<double> standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() < 2) return std::nullopt;
  return std::sqrt(sum_of_squared_deviations(values, center) / static_cast<double>(values.size() - 1));
}

double quantile_of_sorted(std::span<const double> ascending, double q) {
  require_finite(ascending);
  if (!(q >= 0 && q <= 1)) throw Error(ErrorKind::internal, "a quantile outside [0, 1] was asked for");
  const double position = static_cast<double>(ascending.size() - 1) * q;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], position - static_cast<double>(below));
}

double quantile(std::span<const double> values, double q) {
  return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::optional<double> lag1_autocorrelation(std::span<const double> values) {
  const double center = mean(values);
  const double denominator = sum_of_squared_deviations(values, center);
  if (!(denominator > 0)) return std::nullopt;
  double numerator = 0;
  for (std::size_t t = 0; t + 1 < values.size(); ++t) {
    numerator += (values[t] - center) * (values[t + 1] - center);
  }
  return numerator / denominator;
}

}  // namespace bench::statistics
