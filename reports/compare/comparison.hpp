#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/document.hpp"
#include "harness/statistics/interval.hpp"
#include "harness/statistics/verdict.hpp"

// Runs held against a base: cases that are the same in both, what became of their times and of what is
// counted exactly. Pure: documents in, a Comparison out; the other files of this folder print it.
namespace bench::reports {

// One document and what it is called. A Comparison keeps the pointer: the document must outlive it.
struct Side {
  std::string name;
  const Document* document = nullptr;
};

struct CompareOptions {
  double threshold = 0.01;           // a share: a smaller change is called the same
  std::vector<std::string> metrics;  // sampled times; empty: each case's first; "all"
  bool despite_differences = false;  // compare what ran under unequal conditions, and say so
  // What a document of `workload` means by lacking a parameter that was introduced later: name -> text.
  std::function<std::map<std::string, std::string>(const std::string& workload)> absent_means;
};

// One sampled time of one case on one side. `status` other than ok: no numbers.
struct Timed {
  Status status = Status::ok;
  std::string reason;    // ok and without a time, or with that of fewer processes: why
  double median_ns = 0;  // the median of the processes' medians
  std::optional<statistics::Interval> interval_ns;
  std::int64_t samples = 0;
  std::int64_t processes = 0;
};

// How a side's time differs from the base's.
struct Change {
  double ratio = 1;  // new / base
  // 95%, the noise between processes included. Absent where samples are too few.
  std::optional<statistics::Interval> ratio_interval;
  statistics::Verdict verdict = statistics::Verdict::undecided;
};

// A quantity that is counted, not sampled: bytes, launches, FLOPs.
struct Exact {
  std::string metric, heading, unit;
  Quantity kind = Quantity::count;
  double base = 0, value = 0;  // the largest of the side's processes
  double base_least = 0, least = 0;
  bool operator==(const Exact&) const = default;
};

struct ComparedSide {
  bool present = false;  // the side has this case
  Timed timed;
  std::optional<Change> change;  // both are ok
  std::vector<Exact> exact;      // those that both have
};

// One case and one of its sampled times.
struct ComparedCase {
  CaseResult about;  // its configuration and policy only
  std::string metric;
  Timed base;
  std::vector<ComparedSide> sides;  // as many as Comparison::sides, without the base
};

// What one side says altogether.
struct SideSummary {
  double noise = 0;            // what two processes of the same program may differ by, of the noisiest case
  bool noise_assumed = false;  // of some case it was measured by no --repeat
  bool noise_used = false;     // some case had too few processes for an interval over their medians
  // Geometric, over the first compared time of each case: the times of one case are no further witnesses.
  // Both or neither.
  std::optional<double> mean_ratio;
  std::optional<statistics::Interval> mean_interval;
  std::int64_t mean_cases = 0;
  std::map<statistics::Verdict, std::int64_t> verdicts;
  std::int64_t compared = 0;                      // cases in `verdicts`
  std::vector<std::string> only_base, only_here;  // ids without a partner
  std::vector<std::string> lost;                  // those of only_base that were ok
  std::vector<std::string> differences;           // between the documents: sentences
};

struct Comparison {
  CompareOptions options;
  Side base;
  std::vector<Side> sides;
  std::vector<ComparedCase> cases;     // in the base's order
  std::vector<SideSummary> summaries;  // one a side
};

// Throws Error(usage): sides whose conditions differ, unless despite_differences; a case that is in one
// document twice; no case in common; an unknown metric.
Comparison compare(const Side& base, const std::vector<Side>& sides, const CompareOptions& options);

// ---- what decides the exit code -----------------------------------------------------------------

enum class FailOn { slower, memory, kernels, bytes };

// One sentence per regression of this kind: a slower verdict or a grown exact quantity. A case that was ok in
// the base and is missing, not ok or without that time is a regression of every kind.
std::vector<std::string> regressions(const Comparison& comparison, FailOn kind);
// How many of the compared times, all sides together, chance alone may call slower where nothing changed: at
// most 2.5% of them, one end of a 95% interval. No correction for many cases is made: of five processes a
// side no order is rare enough for the level that Holm's would ask of 100 cases, and the gate would never
// close.
double expected_false_alarms(const Comparison& comparison);
bool any_undecided(const Comparison& comparison);
// Whether bench can measure all of it again: no side was read from another program's file.
bool measured_by_bench(const Comparison& comparison);
// One sentence per reason why a strict reader may not take the comparison for a yes.
std::vector<std::string> open_questions(const Comparison& comparison);

// ---- printing -----------------------------------------------------------------------------------

struct CompareFormat {
  std::string name;
  std::string (*render)(const Comparison& comparison);
};
const std::vector<CompareFormat>& compare_formats();
const CompareFormat& compare_format_named(std::string_view name);  // Error(usage) with the nearest

}  // namespace bench::reports
