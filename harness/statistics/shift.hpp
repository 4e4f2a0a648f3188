#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/interval.hpp"

// How far one sample lies from another, of any two distributions of the same shape, in the unit of the
// values. Give logarithms, and the shift is the logarithm of a ratio. Values must be finite and at least one
// on each side: Error(internal). Time O((m + n) log(range)), memory O(m + n): the m n differences are never
// stored.
namespace bench::statistics {

// The median of all differences to[j] - from[i]. Hodges and Lehmann, "Estimates of location based on rank
// tests", Annals of Mathematical Statistics 34 (1963).
double hodges_lehmann_shift(std::span<const double> from, std::span<const double> to);

// The 95% interval of the shift that the two-sided rank-sum test (Wilcoxon, Mann and Whitney) does not
// reject: from the C-th smallest to the C-th largest difference. nullopt where even the extremes hold less
// than 95%: below 4 against 4, for instance. Hollander, Wolfe and Chicken, Nonparametric Statistical Methods
// (3rd ed., 2014), section 4.3.
std::optional<Interval> rank_sum_interval(std::span<const double> from, std::span<const double> to);

// That C, counted from 1: the largest with P(U < C) <= 2.5% for Mann and Whitney's U of m against n values
// without ties. 0: none. Exact up to 50 values together, the normal approximation with continuity correction
// beyond.
std::int64_t rank_sum_rank(std::int64_t m, std::int64_t n);

}  // namespace bench::statistics
