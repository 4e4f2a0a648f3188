#pragma once

#include "harness/core/document.hpp"
#include "reports/table.hpp"

namespace bench::reports {

// Cases that differ in their mode alone share a row, in which each mode's cells come from its own case. Where
// no two cases do, cases_table.
Table results_table(const Document& document);

// One row per case: the parameters that vary, a status if some case is not ok, and a column per summary in
// the order of first appearance, each in one unit. Sampled times are "median ± distance of the 95% interval's
// farther end".
Table cases_table(const Document& document);

}  // namespace bench::reports
