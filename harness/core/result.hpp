#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/core/remark.hpp"
#include "harness/core/sample.hpp"
#include "harness/core/status.hpp"
#include "harness/core/summary.hpp"
#include "harness/core/work.hpp"

namespace bench {

// One comparison that a check made: `error` must not exceed `allowed`.
struct CheckItem {
  std::string what;  // "gradient of blocks.0.attention.query"
  double error = 0;
  double allowed = 0;
  bool operator==(const CheckItem&) const = default;
};

// The outcome of checking a result before timing, or of verifying the timed state after it.
struct Check {
  bool passed = true;
  std::string reason;            // why it did not pass, one sentence; empty when it did
  std::vector<CheckItem> items;  // the comparison closest to its bound first
  bool operator==(const Check&) const = default;
};

// The same of one phase of the observed step.
struct PhaseMemory {
  std::string phase;              // a name of CaseResult::phase_names
  std::int64_t before_bytes = 0;  // alive where it begins
  std::int64_t peak_allocated_bytes = 0;
  bool operator==(const PhaseMemory&) const = default;
};

// Bytes of tensors that the framework's allocator handed out, exact, in a pass of its own.
struct MemoryReport {
  std::int64_t before_bytes = 0;          // alive before the observed step
  std::int64_t peak_allocated_bytes = 0;  // largest sum alive at any moment of the step
  std::vector<std::pair<std::string, std::int64_t>>
      peak_by_category;             // parameters, gradients, ...; sums to the peak
  std::vector<PhaseMemory> phases;  // in order; none of a step inside a graph
  bool operator==(const MemoryReport&) const = default;
};

struct CaseResult {
  Case configuration;
  int repetition = 0;  // which fresh process this is, from 0: --repeat measures a case in several
  Status status = Status::ok;
  Remark reason;  // why it is not ok; empty when it is
  Policy policy;
  Remark stop_reason;  // why sampling ended: "10 steps done", "time budget of 60 s used"
  int steps_per_sample = 0;
  std::optional<std::int64_t> first_step_ns;
  std::vector<std::string> phase_names;  // of Sample::phase_ns
  std::vector<Sample> samples;           // warm-up samples included and marked
  Work work;
  std::optional<Check> check;         // against a reference; absent: the case did not get that far
  std::optional<Check> verification;  // of the timed state; likewise
  std::optional<MemoryReport> memory;
  std::vector<Summary> summaries;          // in the order in which tables show them
  std::map<std::string, double> counters;  // around the samples: minor_faults, gpu_energy_j, ... as deltas;
                                           // gpu_sm_clock_before_mhz, ... as read
  std::vector<Remark> warnings;
  std::vector<Remark> notes;  // what explains a number without making it doubtful: a peak's source

  bool operator==(const CaseResult&) const = default;
};

// The time that tables lead with and rates follow from: the first that was sampled. nullptr: there is none.
const Summary* headline_time(const CaseResult& result);
// nullptr: there is no such metric.
const Summary* find_summary(const CaseResult& result, std::string_view metric);

}  // namespace bench
