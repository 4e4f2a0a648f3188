#pragma once

#include "harness/scheduler/case_stepper.hpp"

namespace bench::scheduler {

// Measures one case on a worker, alone in its slot 0: set-up, check, warm-up, samples, verification, passes.
// A case whose warm-up is below 3 steps expects a fresh worker and is checked after its samples.
CaseOutcome run_case(Worker& worker, const registry::PlannedCase& planned, const RunCaseOptions& options,
                     Clock& clock, const CaseListener& listener);

}  // namespace bench::scheduler
