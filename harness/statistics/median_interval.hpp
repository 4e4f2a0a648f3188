#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace bench::statistics {

inline constexpr double kIntervalCoverage = 0.95;
// The whole range of n values covers the median with 1 - 2^(1-n): 93.75% for 5, 96.9% for 6.
inline constexpr std::int64_t kFewestForInterval = 6;

// Positions in ascending order, counted from 1; low + high = n + 1.
struct MedianRanks {
  std::int64_t low = 0, high = 0;
  bool capped = false;  // the autocorrelation asked for more than the extremes: coverage may be below 95%
  bool operator==(const MedianRanks&) const = default;
};

// In the unit of the values.
struct MedianInterval {
  double low = 0, high = 0;
  bool capped = false;  // as above
  bool operator==(const MedianInterval&) const = default;
};

// P(x[rank] <= median <= x[n + 1 - rank]) for n independent values of any continuous distribution, exact:
// P(rank <= B <= n - rank) with B ~ binomial(n, 1/2). Requires 1 <= rank <= (n + 1) / 2.
// Conover, Practical Nonparametric Statistics (3rd ed., 1999), section 3.2; Le Boudec, Performance Evaluation
// of Computer and Communication Systems (2010), theorem 2.1.
double coverage_of_ranks(std::int64_t n, std::int64_t rank);

// The narrowest symmetric pair of ranks that covers the median with at least 95%; nullopt below 6 values.
// Where `autocorrelation` (lag 1, in [-1, 1)) is positive, the distance of each rank from the middle (n + 1)
// / 2 grows by sqrt((1 + r) / (1 - r)), outwards to a whole rank: n values of a first-order autoregressive
// series say as much as n (1 - r) / (1 + r) independent ones (Bayley and Hammersley, "The 'effective' number
// of independent observations in an autocorrelated time series", Supplement to the J. R. Statist. Soc. 8,
// 1946). A negative one narrows nothing.
std::optional<MedianRanks> median_ranks(std::int64_t n, double autocorrelation = 0);

// The 95% interval of the median of finite values in the order in which they were taken. nullopt below 6
// values. Throws Error(internal) for a value that is not finite.
std::optional<MedianInterval> median_interval(std::span<const double> values_in_time_order);

// The same where a caller has sorted already.
std::optional<MedianInterval> median_interval_of_sorted(std::span<const double> ascending,
                                                        double autocorrelation);

}  // namespace bench::statistics
