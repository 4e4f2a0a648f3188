#include "harness/scheduler/run_case.hpp"

#include <utility>

namespace bench::scheduler {

CaseOutcome run_case(Worker& worker, const registry::PlannedCase& planned, const RunCaseOptions& options,
                     Clock& clock, const CaseListener& listener) {
  CaseStepper stepper(worker, 0, planned, options, clock, listener);
  bool goes_on = stepper.prepare() && stepper.warm_up();
  if (options.profile)
    goes_on = goes_on && stepper.take_profiled_steps();
  else
    goes_on = goes_on && stepper.take_samples() && stepper.verify() && stepper.make_passes() &&
              stepper.check_late();
  if (goes_on) stepper.release();
  return std::move(stepper).outcome();
}

}  // namespace bench::scheduler
