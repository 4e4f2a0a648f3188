#pragma once

#include <map>
#include <optional>

#include "reports/compare/comparison.hpp"
#include "reports/compare/timing.hpp"

namespace bench::reports {

// The geometric mean of one side's changes: the average for ratios (Fleming and Wallace, "How not to lie with
// statistics", Communications of the ACM 29, 1986). The cases of one process share its luck, so that many
// cases make the mean no surer than the processes are.
class OverallChange {
 public:
  void add(const Measured& base, const Measured& other, const Change& change);  // once a case

  struct Mean {
    double ratio = 1;
    statistics::Interval ratio_interval;  // 95%
  };
  // With enough processes on both sides, of which each ran every case: the shift between the processes' means
  // over the cases. Otherwise the mean of the cases' own intervals, as if all of them erred together.
  // nullopt: no case, or one without an interval.
  std::optional<Mean> mean() const;

  std::int64_t cases() const { return cases_; }

 private:
  // Of one process, over the cases: logarithms.
  struct Sum {
    double total = 0;
    std::int64_t cases = 0;
  };
  using Sums = std::map<int, Sum>;

  static void add(Sums& sums, const Measured& time);
  std::vector<double> means_of(const Sums& sums) const;

  Sums base_, other_;
  std::int64_t cases_ = 0;
  double log_ratio_ = 0, low_ = 0, high_ = 0;  // sums over the cases
  bool all_have_intervals_ = true;
};

}  // namespace bench::reports
