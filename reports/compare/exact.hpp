#pragma once

#include <vector>

#include "reports/compare/comparison.hpp"

namespace bench::reports {

// The exact quantities that both results have: summaries without samples, and the work stated for a step.
std::vector<Exact> exact_quantities(const CaseResult& base, const CaseResult& other);

}  // namespace bench::reports
