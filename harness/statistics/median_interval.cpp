#include "harness/statistics/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/core/error.hpp"
#include "harness/statistics/descriptive.hpp"

namespace bench::statistics {

namespace {

// Widens ranks from the middle outwards, one at a time. Summing from the centre keeps every term far from
// underflow for any n, and the 95% are reached after about sqrt(n) terms.
class CentralCoverage {
 public:
  explicit CentralCoverage(std::int64_t n) : n_(n), rank_(n / 2) {
    const double half = static_cast<double>(rank_), count = static_cast<double>(n);
    term_ = std::exp(std::lgamma(count + 1) - std::lgamma(half + 1) - std::lgamma(count - half + 1) -
                     count * std::numbers::ln2);
    coverage_ = n % 2 == 0 ? term_ : 2 * term_;  // P(B = n/2), or both of the two central terms
  }

  std::int64_t rank() const { return rank_; }
  double coverage() const { return coverage_; }

  void widen() {
    // P(B = k-1) = P(B = k) k / (n - k + 1)
    term_ *= static_cast<double>(rank_) / static_cast<double>(n_ - rank_ + 1);
    --rank_;
    coverage_ += 2 * term_;
  }

 private:
  std::int64_t n_;
  std::int64_t rank_;
  double term_;      // P(B = rank)
  double coverage_;  // P(rank <= B <= n - rank)
};

}  // namespace

double coverage_of_ranks(std::int64_t n, std::int64_t rank) {
  if (rank < 1 || rank > (n + 1) / 2) throw Error(ErrorKind::internal, "a rank outside 1..(n + 1) / 2");
  if (2 * rank == n + 1) return 0;  // a single point of a continuous distribution
  CentralCoverage central(n);
  while (central.rank() > rank) central.widen();
  return central.coverage();
}

std::optional<MedianRanks> median_ranks(std::int64_t n, double autocorrelation) {
  if (n < kFewestForInterval) return std::nullopt;
  CentralCoverage central(n);
  while (central.coverage() < kIntervalCoverage && central.rank() > 1) central.widen();
  const std::int64_t rank = central.rank();
  if (!(autocorrelation > 0)) return MedianRanks{rank, n + 1 - rank, false};

  const double middle = static_cast<double>(n + 1) / 2;
  const double widening = std::sqrt((1 + autocorrelation) / (1 - autocorrelation));  // infinite at 1: capped
  constexpr double kRounding = 1e-9;  // a distance that is a whole rank but for rounding stays at that rank
  const double widened = std::floor(middle - (middle - static_cast<double>(rank)) * widening + kRounding);
  const bool capped = !(widened >= 1);
  const std::int64_t low = capped ? 1 : static_cast<std::int64_t>(widened);
  return MedianRanks{low, n + 1 - low, capped};
}

std::optional<MedianInterval> median_interval_of_sorted(std::span<const double> ascending,
                                                        double autocorrelation) {
  const auto ranks = median_ranks(std::ssize(ascending), autocorrelation);
  if (!ranks) return std::nullopt;
  return MedianInterval{ascending[static_cast<std::size_t>(ranks->low - 1)],
                        ascending[static_cast<std::size_t>(ranks->high - 1)], ranks->capped};
}

std::optional<MedianInterval> median_interval(std::span<const double> values_in_time_order) {
  if (std::ssize(values_in_time_order) < kFewestForInterval) return std::nullopt;
  return median_interval_of_sorted(sorted(values_in_time_order),
                                   lag1_autocorrelation(values_in_time_order).value_or(0));
}

}  // namespace bench::statistics
