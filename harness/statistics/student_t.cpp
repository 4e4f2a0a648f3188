#include "harness/statistics/student_t.hpp"

#include <cmath>
#include <numbers>

#include "harness/core/error.hpp"

namespace bench::statistics {

double student_t_within(double t, std::int64_t degrees_of_freedom) {
  if (degrees_of_freedom < 1) throw Error(ErrorKind::internal, "Student's t without a degree of freedom");
  const double angle = std::atan2(t, std::sqrt(static_cast<double>(degrees_of_freedom)));
  const double sine = std::sin(angle), cosine_squared = std::cos(angle) * std::cos(angle);
  // 1 + (1/2) c^2 + (1 3)/(2 4) c^4 + ... for even degrees, 1 + (2/3) c^2 + (2 4)/(3 5) c^4 + ... for odd
  // ones.
  const bool odd = degrees_of_freedom % 2 == 1;
  double term = 1, sum = 1;
  for (std::int64_t k = odd ? 2 : 1; k + 2 < degrees_of_freedom; k += 2) {
    term *= cosine_squared * static_cast<double>(k) / static_cast<double>(k + 1);
    sum += term;
  }
  if (!odd) return sine * sum;
  const double rest = degrees_of_freedom == 1 ? 0 : sine * std::cos(angle) * sum;
  return 2 / std::numbers::pi * (angle + rest);
}

double student_t_95(std::int64_t degrees_of_freedom) {
  double low = 1.9, high = 13;  // the limit is 1.960, one degree of freedom has 12.71
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (student_t_within(middle, degrees_of_freedom) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace bench::statistics
