#include "harness/scheduler/sweep_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "harness/scheduler/sampling.hpp"
#include "harness/scheduler/speed_of_light.hpp"

namespace bench::scheduler {
namespace {

// Assumptions of the right order, until the first case has been measured.
constexpr double kCoreFlop_per_s = 40e9;  // fp32 matrix products, AVX-512, of one core
constexpr double kShareOfPeak = 0.35;     // of a GPU's datasheet peak
constexpr double kUnknownGpuFlop_per_s = 20e12;
constexpr int kAutoSteps = 30;  // --steps auto

// Warm-up and samples as run_case bounds them by the time budget, the first step aside; in steps.
double steps_within_budget(const Policy& policy, double step_s) {
  const double longest = std::max(step_s, 1e-9);
  const double k = steps_per_sample(policy.timing, policy.cache, step_s * 1e9);
  const double warmup =
      std::min<double>(std::max(policy.warmup_steps - 1, 0), std::floor(policy.time_budget_s / 3 / longest));
  const double left_s = policy.time_budget_s - warmup * step_s;
  const double samples = std::clamp(std::floor(left_s / (k * longest)), double{kMinimumSamples},
                                    double(std::max(policy.steps.value_or(kAutoSteps), kMinimumSamples)));
  return 1 + warmup + k * std::min(samples, double(policy.steps.value_or(kAutoSteps)));
}

}  // namespace

SweepEstimate::SweepEstimate(const Sweep& sweep) : sweep_(sweep) {
  const registry::WorkloadSpec& spec = *sweep.spec;
  for (const registry::PlannedCase& planned : sweep.cases) {
    Cost cost;
    const Case& configuration = planned.configuration;
    if (spec.work) cost.flop = spec.work(configuration).flop();
    if (spec.step_s) cost.step_s = spec.step_s(configuration);
    if (spec.compile_s) cost.compile_s = spec.compile_s(configuration);
    if (spec.arithmetic) cost.arithmetic = spec.arithmetic(configuration);
    cost.is_tried = !is_refused(sweep, planned);
    costs_.push_back(std::move(cost));
  }
  for (std::size_t place = 0; place < sweep.size(); ++place)
    finished_.push_back(sweep.finished.contains(place));
}

double SweepEstimate::seconds_per_flop(const std::string& arithmetic) const {
  if (const auto seen = seen_.find(arithmetic); seen != seen_.end() && seen->second.flop > 0)
    return seen->second.seconds / seen->second.flop;
  if (sweep_.device == "cpu") return 1 / (kCoreFlop_per_s * std::max(1, sweep_.machine.cpus_allowed));
  const auto peak = speed_of_light(sweep_.gpu_name, arithmetic).flop_per_s;
  return 1 / (peak ? kShareOfPeak * *peak : kUnknownGpuFlop_per_s);
}

double SweepEstimate::step_s(std::size_t index) const {
  const Cost& cost = costs_[index];
  if (cost.step_s) return *cost.step_s;
  if (cost.flop > 0) return cost.flop * seconds_per_flop(cost.arithmetic);
  return seen_cases_ > 0 ? seen_step_s_ / seen_cases_ : 0;
}

double SweepEstimate::steps_s(std::size_t index) const {
  const double step = step_s(index);
  return step * steps_within_budget(sweep_.cases[index].policy, step);
}

double SweepEstimate::whole_s(std::size_t index) const {
  if (!costs_[index].is_tried) return 0;
  // Before anything is known: a second, and two steps for the check, the verification and the memory pass.
  const double overhead = overhead_weight_ > 0
                              ? overhead_s_ / overhead_weight_ * std::sqrt(std::max(step_s(index), 1e-6))
                              : 1 + 2 * step_s(index);
  return steps_s(index) + costs_[index].compile_s + overhead;
}

double SweepEstimate::case_s(std::size_t index) const {
  return std::min(whole_s(index), sweep_.cases[index].policy.timeout_s);
}

double SweepEstimate::place_s(std::size_t place) const {
  return finished_[place] ? 0 : case_s(place % costs_.size());
}

double SweepEstimate::sum_from(std::size_t place) const {
  double sum = 0;
  for (; place < finished_.size(); ++place) sum += place_s(place);
  return sum;
}

double SweepEstimate::after_s(std::size_t place) {
  // Summing 100,000 cases up after each of them would take longer than they do. It is done where much was
  // taken in: as much as before, or of an arithmetic that had been guessed, or for every 64th of what is
  // left.
  constexpr std::size_t kShare = 64;
  const std::size_t from = place + 1;
  const bool knows_better = taken_in_since_sum_ > 0 && taken_in_since_sum_ >= taken_in_before_sum_;
  if (from < summed_from_ || knows_better || taken_in_since_sum_ * kShare > finished_.size() - from) {
    summed_from_ = from;
    taken_in_before_sum_ += taken_in_since_sum_;
    taken_in_since_sum_ = 0;
    sum_s_ = sum_from(from);
  }
  for (; summed_from_ < from; ++summed_from_) sum_s_ -= place_s(summed_from_);
  return std::max(sum_s_, 0.0);
}

double SweepEstimate::total_s() const {
  return sum_from(0);
}

double SweepEstimate::at_most_s() const {
  double sum = 0;
  for (std::size_t place = 0; place < finished_.size(); ++place) {
    const std::size_t index = place % costs_.size();
    const Policy& policy = sweep_.cases[index].policy;
    // A few steps are taken however long they last.
    if (!finished_[place] && costs_[index].is_tried)
      sum += std::min(std::max(policy.time_budget_s, steps_s(index)), policy.timeout_s);
  }
  return sum;
}

std::size_t SweepEstimate::beyond_timeout() const {
  std::size_t count = 0;
  for (std::size_t place = 0; place < finished_.size(); ++place) {
    const std::size_t index = place % costs_.size();
    if (!finished_[place] && whole_s(index) > sweep_.cases[index].policy.timeout_s) ++count;
  }
  return count;
}

void SweepEstimate::take_in(std::size_t index, const CaseResult& result, double took_s) {
  const Summary* step = headline_time(result);
  if (result.status != Status::ok || step == nullptr) return;
  const double seconds = step->value / 1e9;
  const auto [known, is_new] = seen_.try_emplace(costs_[index].arithmetic);
  // What was guessed until now counts as nothing known.
  if (is_new) taken_in_before_sum_ = 0;
  ++taken_in_since_sum_;
  Seen& seen = known->second;
  seen.seconds += seconds;
  seen.flop += result.work.flop();  // of what was run: `max` may have been halved
  seen_step_s_ += seconds;
  ++seen_cases_;
  std::map<int, double> rank_s;  // ranks step at the same time
  for (const Sample& sample : result.samples)
    rank_s[sample.rank] += static_cast<double>(sample.host_ns) / 1e9;
  double steps_s = 0;
  for (const auto& [rank, of_rank_s] : rank_s) steps_s = std::max(steps_s, of_rank_s);
  overhead_s_ += std::max(took_s - costs_[index].compile_s - steps_s, 0.0);
  overhead_weight_ += std::sqrt(std::max(seconds, 1e-6));
}

}  // namespace bench::scheduler
