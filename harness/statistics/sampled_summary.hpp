#pragma once

#include <vector>

#include "harness/core/summary.hpp"

namespace bench::statistics {

// `about` (metric, unit, ...) with what its values say, one a sample: median with its interval, and what
// describe() knows besides.
Summary sampled_summary(Summary about, const std::vector<double>& values);

}  // namespace bench::statistics
