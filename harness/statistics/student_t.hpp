#pragma once

#include <cstdint>

namespace bench::statistics {

// P(|T| <= t) of Student's distribution with a whole number of degrees of freedom, t >= 0: the finite sums of
// Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
double student_t_within(double t, std::int64_t degrees_of_freedom);

// The t for which that is 95%: 12.71 for 1, 2.262 for 9, 1.960 in the limit. At least one degree of freedom:
// Error(internal) otherwise.
double student_t_95(std::int64_t degrees_of_freedom);

}  // namespace bench::statistics
