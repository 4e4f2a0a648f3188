#include "reports/compare/overall.hpp"

#include <cmath>

#include "harness/statistics/shift.hpp"

namespace bench::reports {

void OverallChange::add(const Measured& base, const Measured& other, const Change& change) {
  ++cases_;
  add(base_, base);
  add(other_, other);
  log_ratio_ += std::log(change.ratio);
  if (change.ratio_interval) {
    low_ += std::log(change.ratio_interval->low);
    high_ += std::log(change.ratio_interval->high);
  } else {
    all_have_intervals_ = false;
  }
}

void OverallChange::add(Sums& sums, const Measured& time) {
  for (std::size_t i = 0; i < time.log_medians.size(); ++i) {
    Sum& sum = sums[time.processes[i]];
    sum.total += time.log_medians[i];
    ++sum.cases;
  }
}

std::vector<double> OverallChange::means_of(const Sums& sums) const {
  std::vector<double> means;
  for (const auto& [process, sum] : sums)
    if (sum.cases == cases_) means.push_back(sum.total / static_cast<double>(cases_));
  return means;
}

std::optional<OverallChange::Mean> OverallChange::mean() const {
  if (cases_ == 0) return std::nullopt;
  const std::vector<double> base = means_of(base_), other = means_of(other_);
  if (processes_suffice(std::ssize(base), std::ssize(other))) {
    const statistics::Interval interval = statistics::rank_sum_interval(base, other).value();
    return Mean{.ratio = std::exp(statistics::hodges_lehmann_shift(base, other)),
                .ratio_interval = {std::exp(interval.low), std::exp(interval.high)}};
  }
  if (!all_have_intervals_) return std::nullopt;
  const auto count = static_cast<double>(cases_);
  return Mean{.ratio = std::exp(log_ratio_ / count),
              .ratio_interval = {std::exp(low_ / count), std::exp(high_ / count)}};
}

}  // namespace bench::reports
