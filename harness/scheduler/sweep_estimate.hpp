#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/scheduler/sweep.hpp"

namespace bench::scheduler {

// How long the cases of a sweep take. A step is taken to last in proportion to its FLOPs: at an assumed
// speed until a case of the same arithmetic has been measured, then at the measured one. Set-up and check
// grow more slowly than the step (a check has two layers, however many the case has): with the root of it.
class SweepEstimate {
 public:
  explicit SweepEstimate(const Sweep& sweep);

  // Of one case, by its index in Sweep::cases; 0 for one that is not tried.
  double case_s(std::size_t index) const;
  // Of everything that is not finished and comes after this place, counted through all repetitions.
  double after_s(std::size_t place);
  double total_s() const;
  // What warm-up and samples may take by their budgets; where a few steps alone take longer, those as
  // estimated.
  double at_most_s() const;
  // How many of what is not finished would outlast their --timeout.
  std::size_t beyond_timeout() const;

  void take_in(std::size_t index, const CaseResult& result, double took_s);

 private:
  struct Cost {
    double flop = 0;
    std::optional<double> step_s;  // stated by the workload
    double compile_s = 0;          // likewise
    std::string arithmetic;
    bool is_tried = false;
  };
  double place_s(std::size_t place) const;
  double sum_from(std::size_t place) const;
  double step_s(std::size_t index) const;
  double steps_s(std::size_t index) const;
  double whole_s(std::size_t index) const;  // whatever its --timeout
  double seconds_per_flop(const std::string& arithmetic) const;

  const Sweep& sweep_;
  std::vector<Cost> costs_;
  std::vector<bool> finished_;  // by place
  struct Seen {
    double seconds = 0, flop = 0;
  };
  std::map<std::string, Seen> seen_;  // by arithmetic
  double seen_step_s_ = 0;            // the mean step, for workloads without FLOPs
  int seen_cases_ = 0;
  std::size_t summed_from_ = ~std::size_t{0};  // what after_s has summed up, and from where
  std::size_t taken_in_before_sum_ = 0, taken_in_since_sum_ = 0;
  double sum_s_ = 0;
  double overhead_s_ = 0, overhead_weight_ = 0;
};

}  // namespace bench::scheduler
