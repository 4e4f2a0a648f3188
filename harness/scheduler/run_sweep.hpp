#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/machine/machine.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/workload_spec.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/progress.hpp"
#include "harness/scheduler/run_case.hpp"
#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

struct Sweep {
  const registry::WorkloadSpec* spec = nullptr;
  std::vector<registry::PlannedCase> cases;
  std::string device;
  std::string gpu_name;  // as its driver gives it; empty on the CPU, and where it is not known
  machine::Machine machine;
  RunCaseOptions case_options;
};

// Called with each finished case, in order, before the next one begins. What it throws ends the sweep.
using ResultSink = std::function<void(CaseResult&&)>;

enum class SweepEnd { finished, interrupted };

// Runs every case and hands out its result, whatever became of the case before it: after a crash or a
// time-out the worker is replaced, a case that ran out of memory is tried once more in a fresh worker before
// it is believed.
SweepEnd run_sweep(const Sweep& sweep, WorkerSource& source, Clock& clock, Progress& progress,
                   const ResultSink& sink);

// Whether any case of the sweep can run on its device at all.
bool any_supported(const Sweep& sweep);

}  // namespace bench::scheduler
