#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/machine/machine.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/workload_spec.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/progress.hpp"
#include "harness/scheduler/run_case.hpp"
#include "harness/scheduler/worker_programs.hpp"

namespace bench::scheduler {

struct Sweep {
  const registry::WorkloadSpec* spec = nullptr;
  std::vector<registry::PlannedCase> cases;
  std::string device;
  std::string gpu_name;  // as its driver gives it; empty on the CPU, and where it is not known
  machine::Machine machine;
  RunCaseOptions case_options;
  // Programs that cannot serve here, each with the remedy: their cases are skipped rows.
  std::map<std::string, std::string> unavailable;
  std::string check_path = {};  // where the native worker leaves what a peer checks itself against
};

// Called with each finished case, in order, before the next one begins. What it throws ends the sweep.
using ResultSink = std::function<void(CaseResult&&)>;

enum class SweepEnd { finished, interrupted };

// Runs every case and hands out its result, whatever became of the case before it: after a crash or a
// time-out the worker is replaced, a case that ran out of memory is tried once more in a fresh worker before
// it is believed.
SweepEnd run_sweep(const Sweep& sweep, WorkerPrograms& programs, Clock& clock, Progress& progress,
                   const ResultSink& sink);

// Which programs the cases need that can run here; "" among them unless there is none: peers need it for
// their check.
std::set<std::string> programs_of(const Sweep& sweep);

}  // namespace bench::scheduler
