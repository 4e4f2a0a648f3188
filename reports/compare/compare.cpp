#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/differences.hpp"
#include "reports/compare/exact.hpp"
#include "reports/compare/join.hpp"
#include "reports/compare/overall.hpp"
#include "reports/compare/timing.hpp"
#include "reports/compare/values.hpp"

namespace bench::reports {
namespace {

// What two processes are assumed to differ by where no --repeat tells.
double assumed_noise(const Document& document) {
  return document.run.device.starts_with("cuda") ? 0.05 : 0.25;
}

void refuse_differences(const Comparison& comparison, const Side& side, SideSummary& summary) {
  const Differences found = differences(comparison.base, side);
  summary.differences = found.refused;
  summary.differences.insert(summary.differences.end(), found.noted.begin(), found.noted.end());
  if (found.refused.empty() || comparison.options.despite_differences) return;
  const std::size_t more = found.refused.size() - 1;
  throw Error(
      ErrorKind::usage,
      printable(fmt::format("{} and {} do not compare: {}{}; measure both under the same conditions, or add "
                            "--despite-differences",
                            comparison.base.name, side.name, found.refused.front(),
                            more > 0 ? fmt::format(" (and {} more)", more) : "")));
}

// Which times of this case are compared.
std::vector<std::string> metrics_of(const CaseResult& base, const CompareOptions& options) {
  std::vector<std::string> all;
  for (const Summary* time : sampled_times(base)) all.push_back(time->metric);
  if (std::ranges::find(options.metrics, "all") != options.metrics.end()) return all;
  if (options.metrics.empty()) {
    all.resize(std::min<std::size_t>(all.size(), 1));
    return all;
  }
  std::erase_if(all, [&](const std::string& metric) {
    return std::ranges::find(options.metrics, metric) == options.metrics.end();
  });
  return all;
}

void require_known_metrics(const Document& base, const CompareOptions& options) {
  std::set<std::string> known{"all"};
  for (const CaseResult& result : base.cases)
    for (const Summary* time : sampled_times(result)) known.insert(time->metric);
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& metric : options.metrics) {
    if (!known.contains(metric))
      throw Error(ErrorKind::usage, fmt::format("--metric: the base has no sampled time \"{}\"{}",
                                                printable(metric), did_you_mean(metric, names)));
  }
}

// The same case measured in another way is another measurement.
void refuse_other_policy(const CaseResult& base, const CaseResult& other, const Side& side,
                         const CompareOptions& options, SideSummary& summary) {
  const auto require = [&](const char* what, std::string_view in_base, std::string_view in_other) {
    if (in_base == in_other) return;
    const std::string difference = fmt::format("{}: {} was measured with {} {}, in the base with {}",
                                               side.name, base.configuration.id(), what, in_other, in_base);
    if (!options.despite_differences)
      throw Error(ErrorKind::usage,
                  printable(difference) + "; measure both alike, or add --despite-differences");
    summary.differences.push_back(difference);
  };
  require("timing", to_text(base.policy.timing), to_text(other.policy.timing));
  require("cache", to_text(base.policy.cache), to_text(other.policy.cache));
}

// Everything between the base and one side.
class Pair {
 public:
  Pair(const Comparison& comparison, const CaseIndex& base, const Side& side, SideSummary& summary)
      : comparison_(comparison), side_(side), index_(side, comparison.options), summary_(summary) {
    for (const std::string& key : base.keys())
      if (index_.find(key) == nullptr) {
        const Repetitions& repetitions = *base.find(key);
        summary.only_base.push_back(repetitions.front()->configuration.id());
        if (std::ranges::all_of(repetitions, [](const CaseResult* one) { return one->status == Status::ok; }))
          summary.lost.push_back(summary.only_base.back());
      }
    for (const std::string& key : index_.keys())
      if (base.find(key) == nullptr)
        summary.only_here.push_back(index_.find(key)->front()->configuration.id());
    if (summary.only_here.size() == index_.keys().size())
      throw Error(ErrorKind::usage,
                  printable(fmt::format("{} and {} have no case in common: {} has {}, {} has {}",
                                        comparison.base.name, side.name, comparison.base.name, first_id(base),
                                        side.name, first_id(index_))));
  }

  // What repetitions of the other cases say, for cases that have none.
  void look_for_noise(const CaseIndex& base) {
    std::map<std::string, std::vector<std::vector<double>>> groups;
    for (const std::string& key : base.keys()) {
      const Repetitions* others = index_.find(key);
      if (others == nullptr || !(several(comparison_.base, *base.find(key)) || several(side_, *others)))
        continue;
      for (const std::string& metric : metrics_of(*base.find(key)->front(), comparison_.options)) {
        groups[metric].push_back(measured(*comparison_.base.document, *base.find(key), metric).log_medians);
        groups[metric].push_back(measured(*side_.document, *others, metric).log_medians);
      }
    }
    for (const auto& [metric, of_cases] : groups) pooled_[metric] = statistics::process_noise(of_cases);
  }

  std::vector<std::string> metrics(const std::string& key) const {
    const Repetitions* others = index_.find(key);
    if (others == nullptr) return {};
    return metrics_of(*others->front(), comparison_.options);
  }

  ComparedSide compare(const std::string& key, const Repetitions& base, const Measured& base_time,
                       const std::string& metric) {
    ComparedSide result;
    const Repetitions* others = index_.find(key);
    if (others == nullptr) return result;
    result.present = true;
    const Measured time = measured(*side_.document, *others, metric);
    result.timed = time.timed;
    refuse_other_policy(*base.front(), *others->front(), side_, comparison_.options, summary_);
    if (base_time.timed.status != Status::ok || time.timed.status != Status::ok) return result;
    result.exact = exact_quantities(base, *others);
    if (base_time.timed.processes == 0 || time.timed.processes == 0) return result;
    const Noise noise = noise_of(base_time, time, metric);
    result.change = change_of(base_time, time, noise, comparison_.options.threshold);
    if (key != last_key_) overall_.add(base_time, time, *result.change);
    last_key_ = key;
    ++summary_.verdicts[result.change->verdict];
    ++summary_.compared;
    summary_.noise_used |= !processes_suffice(base_time.timed.processes, time.timed.processes);
    summary_.noise_assumed |= !noise.measured;
    summary_.noise = std::max(summary_.noise, std::expm1(noise.bound(1, 1)));
    return result;
  }

  void conclude() {
    const auto mean = overall_.mean();
    if (!mean) return;
    summary_.mean_ratio = mean->ratio;
    summary_.mean_interval = mean->ratio_interval;
    summary_.mean_cases = overall_.cases();
  }

 private:
  // Whether these rows tell how processes differ.
  static bool several(const Side& side, const Repetitions& repetitions) {
    return repetitions.size() > 1 || side.document->conditions.contains(kProcessesCondition);
  }

  // The case's own, where it has repetitions: one case may be far noisier than another.
  Noise noise_of(const Measured& base, const Measured& other, const std::string& metric) const {
    Noise noise{.measured = statistics::process_noise(std::vector{base.log_medians, other.log_medians}),
                .assumed = assumed_noise(*side_.document)};
    const auto pooled = pooled_.find(metric);
    if (!noise.measured && pooled != pooled_.end()) noise.measured = pooled->second;
    return noise;
  }

  static std::string first_id(const CaseIndex& index) {
    if (index.keys().empty()) return "none";
    return index.find(index.keys().front())->front()->configuration.id();
  }

  const Comparison& comparison_;
  const Side& side_;
  CaseIndex index_;
  SideSummary& summary_;
  std::map<std::string, std::optional<statistics::ProcessNoise>> pooled_;  // by metric
  OverallChange overall_;
  std::optional<std::string> last_key_;  // the case of which a time is in overall_
};

}  // namespace

Comparison compare(const Side& base, const std::vector<Side>& sides, const CompareOptions& options) {
  Comparison comparison{.options = options, .base = base, .sides = sides, .cases = {}, .summaries = {}};
  comparison.summaries.resize(sides.size());
  require_known_metrics(*base.document, options);
  const CaseIndex index(base, options);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    refuse_differences(comparison, comparison.sides[i], comparison.summaries[i]);
    pairs.emplace_back(comparison, index, comparison.sides[i], comparison.summaries[i]);
    pairs.back().look_for_noise(index);
  }

  for (const std::string& key : index.keys()) {
    const Repetitions& repetitions = *index.find(key);
    const CaseResult& first = *repetitions.front();
    std::vector<std::string> metrics = metrics_of(first, options);
    for (std::size_t i = 0; i < pairs.size() && metrics.empty(); ++i)
      metrics = pairs[i].metrics(key);  // the base has no time of a case that failed there
    if (metrics.empty()) metrics.emplace_back();
    for (const std::string& metric : metrics) {
      ComparedCase row{.about = {.configuration = first.configuration, .policy = first.policy},
                       .metric = metric,
                       .base = {},
                       .sides = {}};
      const Measured time = measured(*base.document, repetitions, metric);
      row.base = time.timed;
      for (Pair& pair : pairs) row.sides.push_back(pair.compare(key, repetitions, time, metric));
      if (std::ranges::any_of(row.sides, &ComparedSide::present)) comparison.cases.push_back(std::move(row));
    }
  }
  for (Pair& pair : pairs) pair.conclude();
  return comparison;
}

std::vector<std::string> regressions(const Comparison& comparison, FailOn kind) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i)
    for (const std::string& id : comparison.summaries[i].lost)
      found.push_back(fmt::format("{}: {} was ok in the base and is missing", comparison.sides[i].name, id));
  for (const ComparedCase& row : comparison.cases) {
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      const ComparedSide& side = row.sides[i];
      const std::string where = comparison.sides[i].name + ": " + row.about.configuration.id();
      if (side.present && row.base.status == Status::ok && side.timed.status != Status::ok)
        found.push_back(where + " was ok in the base and is now " + words(side.timed.status));
      else if (side.present && row.base.processes > 0 && side.timed.processes == 0)
        found.push_back(fmt::format("{} has no {} any more", where, row.metric));
      if (kind == FailOn::slower) {
        if (side.change && side.change->verdict == statistics::Verdict::slower)
          found.push_back(fmt::format("{} is slower: {} takes {:.3g} times as long", where, row.metric,
                                      side.change->ratio));
        continue;
      }
      const Quantity wanted = kind == FailOn::memory    ? Quantity::memory
                              : kind == FailOn::kernels ? Quantity::kernels
                                                        : Quantity::traffic;
      for (const Exact& exact : side.exact) {
        if (exact.kind == wanted && exact.value > exact.base)
          found.push_back(
              fmt::format("{}: {} grew from {:.0f} to {:.0f}", where, exact.metric, exact.base, exact.value));
      }
    }
  }
  return found;
}

double expected_false_alarms(const Comparison& comparison) {
  double times = 0;
  for (const SideSummary& summary : comparison.summaries) times += static_cast<double>(summary.compared);
  return 0.025 * times;
}

bool measured_by_bench(const Comparison& comparison) {
  const auto by_bench = [](const Side& side) { return side.document->run.measured_by.empty(); };
  return by_bench(comparison.base) && std::ranges::all_of(comparison.sides, by_bench);
}

bool any_undecided(const Comparison& comparison) {
  return std::ranges::any_of(comparison.summaries, [](const SideSummary& summary) {
    return summary.verdicts.contains(statistics::Verdict::undecided);
  });
}

std::vector<std::string> open_questions(const Comparison& comparison) {
  std::vector<std::string> questions;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const SideSummary& summary = comparison.summaries[i];
    const std::string& name = comparison.sides[i].name;
    if (summary.compared == 0) questions.push_back(name + ": no time was compared");
    for (const std::string& id : summary.lost)
      questions.push_back(fmt::format("{}: {} was ok in the base and is missing", name, id));
  }
  if (any_undecided(comparison))
    questions.emplace_back(
        measured_by_bench(comparison)
            ? "a verdict is undecided; `bench run --repeat 5` on both sides measures what processes differ by"
            : "a verdict is undecided");
  return questions;
}

}  // namespace bench::reports
