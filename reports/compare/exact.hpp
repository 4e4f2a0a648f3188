#pragma once

#include <vector>

#include "reports/compare/comparison.hpp"
#include "reports/compare/join.hpp"

namespace bench::reports {

// The exact quantities that both sides have: summaries without samples, and the work stated for a step. Of
// several processes the largest counts.
std::vector<Exact> exact_quantities(const Repetitions& base, const Repetitions& other);

}  // namespace bench::reports
