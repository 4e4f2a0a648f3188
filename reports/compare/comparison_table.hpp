#pragma once

#include <string>

#include "reports/compare/comparison.hpp"
#include "reports/table.hpp"

namespace bench::reports {

// One row a case, one table whatever the number of sides: with one side its change, interval and verdict are
// columns, with several each side is a column.
Table comparison_table(const Comparison& comparison);

// "+3.1%", "−12%".
std::string percent(double ratio);
// "−1.2% to +7.5%"
std::string percent_range(const statistics::Interval& ratios);

}  // namespace bench::reports
