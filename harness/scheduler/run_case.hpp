#pragma once

#include <optional>
#include <string>

#include "harness/core/result.hpp"
#include "harness/registry/expand.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/surroundings.hpp"
#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

// What is going on inside a case, for whoever shows progress.
struct CaseState {
  std::string phase;                 // "set-up", "check", "warm-up", "samples", "verification", "memory pass"
  std::int64_t done = 0, total = 0;  // total 0: unknown
  std::optional<double> median_ns;   // of one step, once there are samples
};
using CaseListener = std::function<void(const CaseState&)>;

struct RunCaseOptions {
  std::string inject_fault;
  Surroundings* surroundings = nullptr;  // watched around the samples; nullptr: nothing to watch
  bool profile = false;  // for a profiler: warm-up and steps, nothing checked, verified or observed
  Headline headline = Headline::host_time;
  std::string check_file;    // for a peer: what the native worker wrote
  std::optional<Case> told;  // to a peer, instead of the case: the same, spelled out
};

struct CaseOutcome {
  CaseResult result;
  bool interrupted = false;                // the result is then worth nothing
  bool worker_lost = false;                // a fresh worker is needed
  std::optional<std::int64_t> compile_ns;  // of an implementation that compiles itself
};

// Measures one case on a worker: set-up, check, warm-up, samples, verification, memory pass.
// A case whose warm-up is below 3 steps expects a fresh worker and is checked after its samples.
CaseOutcome run_case(Worker& worker, const registry::PlannedCase& planned, const RunCaseOptions& options,
                     Clock& clock, const CaseListener& listener);

// True for a case that must not inherit a warm worker from the case before it.
bool needs_fresh_worker(const Policy& policy);

}  // namespace bench::scheduler
