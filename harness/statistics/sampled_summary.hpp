#pragma once

#include <string>
#include <vector>

#include "harness/core/result.hpp"

namespace bench::statistics {

// A metric's line in a document, from its values in nanoseconds, one a sample: median with its interval, and
// what describe() knows besides.
Summary sampled_summary(std::string metric, const std::vector<double>& values_ns);

}  // namespace bench::statistics
