#include "harness/statistics/geometric_mean.hpp"

#include <cmath>

#include "harness/statistics/descriptive.hpp"
#include "harness/statistics/student_t.hpp"

namespace bench::statistics {

LogMean log_mean(std::span<const double> logarithms) {
  LogMean result{.mean = mean(logarithms), .interval = std::nullopt};
  if (const auto deviation = standard_deviation(logarithms)) {
    const double half_width = student_t_95(std::ssize(logarithms) - 1) * *deviation /
                              std::sqrt(static_cast<double>(logarithms.size()));
    result.interval = {result.mean - half_width, result.mean + half_width};
  }
  return result;
}

}  // namespace bench::statistics
