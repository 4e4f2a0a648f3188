#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench::statistics {

// Indices, ascending, of the values outside [q1 - 1.5 (q3 - q1), q3 + 1.5 (q3 - q1)], quartiles of type 7.
// They are shown and counted, never dropped. Empty for no values; Error(internal) for one that is not finite.
// Tukey, Exploratory Data Analysis (1977), chapter 2.
std::vector<std::size_t> outliers(std::span<const double> values);

}  // namespace bench::statistics
