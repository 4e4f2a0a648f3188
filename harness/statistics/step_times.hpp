#pragma once

#include <vector>

#include "harness/core/sample.hpp"

namespace bench::statistics {

// ns a step, of each measured sample in time order; a step lasts as long as its slowest rank. Empty where one
// of them holds no such time.
std::vector<double> step_times_ns(const std::vector<Sample>& samples, TimeSource source);

}  // namespace bench::statistics
