#include "harness/statistics/shift.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/statistics/descriptive.hpp"

namespace bench::statistics {
namespace {

constexpr double kTail = 0.025;  // on each side of a 95% interval
constexpr std::int64_t kMostForExact = 50;

// Doubles as integers in the same order, so that a search can halve the range between any two.
std::int64_t order_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double with_order(std::int64_t order) {
  return std::bit_cast<double>(order >= 0 ? order : std::numeric_limits<std::int64_t>::min() - order);
}

// All differences to[j] - from[i] of two ascending samples, never stored. Rounding keeps them in order along
// i and j, so that counting walks along one staircase.
class Differences {
 public:
  Differences(std::span<const double> from, std::span<const double> to)
      : from_(sorted(from)), to_(sorted(to)) {}

  std::int64_t count() const { return std::ssize(from_) * std::ssize(to_); }

  // The k-th smallest, counted from 1.
  double smallest(std::int64_t k) const {
    std::int64_t low = order_of(to_.front() - from_.back());
    std::int64_t high = order_of(to_.back() - from_.front());
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      if (not_above(with_order(middle)) >= k)
        high = middle;
      else
        low = middle + 1;
    }
    return with_order(low);
  }

 private:
  std::int64_t not_above(double limit) const {
    std::int64_t total = 0;
    std::size_t within = 0;  // of `to_`, for this and every larger `from_`
    for (const double start : from_) {
      while (within < to_.size() && to_[within] - start <= limit) ++within;
      total += static_cast<std::int64_t>(within);
    }
    return total;
  }

  std::vector<double> from_, to_;
};

// The shares of U = 0, 1, ... in all orders of m and n values: the coefficients of the Gaussian binomial
// prod (1 - q^(n+i)) / (1 - q^i), i = 1..m, over binomial(m + n, m). Every intermediate polynomial is one of
// the same kind, so no digits are lost.
std::vector<double> mann_whitney_shares(std::int64_t m, std::int64_t n) {
  const auto top = static_cast<std::size_t>(m * n);
  std::vector<double> share(top + 1, 0.0);
  share[0] = 1;
  for (std::int64_t i = 1; i <= m; ++i) {
    const auto multiplied = static_cast<std::size_t>(n + i), divided = static_cast<std::size_t>(i);
    for (std::size_t u = top; u >= multiplied; --u) share[u] -= share[u - multiplied];
    for (std::size_t u = divided; u <= top; ++u) share[u] += share[u - divided];
    const double orders = static_cast<double>(n + i) / static_cast<double>(i);
    for (double& value : share) value /= orders;
  }
  return share;
}

}  // namespace

std::int64_t rank_sum_rank(std::int64_t m, std::int64_t n) {
  const double product = static_cast<double>(m) * static_cast<double>(n);
  if (m + n > kMostForExact) {
    constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5%
    const double deviation = std::sqrt(product * static_cast<double>(m + n + 1) / 12);
    const double rank = std::floor(product / 2 + 0.5 - kNormalQuantile * deviation);
    return rank >= 1 ? static_cast<std::int64_t>(rank) : 0;
  }
  double below = 0;
  std::int64_t rank = 0;
  for (const double share : mann_whitney_shares(m, n)) {
    below += share;
    if (below > kTail * (1 + 1e-12)) break;  // 1 of 40 orders is 2.5% but for rounding
    ++rank;
  }
  return rank;
}

double hodges_lehmann_shift(std::span<const double> from, std::span<const double> to) {
  const Differences differences(from, to);
  const std::int64_t count = differences.count();
  const double upper = differences.smallest(count / 2 + 1);
  if (count % 2 == 1) return upper;
  return std::midpoint(differences.smallest(count / 2), upper);
}

std::optional<Interval> rank_sum_interval(std::span<const double> from, std::span<const double> to) {
  const Differences differences(from, to);
  const std::int64_t rank = rank_sum_rank(std::ssize(from), std::ssize(to));
  if (rank < 1) return std::nullopt;
  return Interval{differences.smallest(rank), differences.smallest(differences.count() + 1 - rank)};
}

}  // namespace bench::statistics
