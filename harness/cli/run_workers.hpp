#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/cli/peers.hpp"
#include "harness/cli/run_record.hpp"
#include "harness/cli/run_setup.hpp"
#include "harness/core/error.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/interrupts.hpp"
#include "harness/scheduler/worker_programs.hpp"

// Where a run's workers come from.
namespace bench::cli {

// The peers' program. Looked for only where a case needs it, as a probe takes a Python's start; where there
// is none, the sweep skips those cases.
TorchPeer find_torch(scheduler::Sweep& sweep);

// Does `work` with workers that log into the run's directory, and ends them. What stopped it; nullopt:
// nothing, or a signal.
std::optional<Error> with_workers(RunSetup& setup, const std::string& directory, scheduler::Clock& clock,
                                  const scheduler::Interrupts& interrupts,
                                  const std::function<void(scheduler::WorkerPrograms&)>& work);

// Starts what the sweep needs, and takes down what it says of itself. A peer that does not start is missing
// here, as one without a Python. Throws as WorkerPrograms::worker() does.
WorkerFacts greet(scheduler::WorkerPrograms& programs, scheduler::Sweep& sweep,
                  const scheduler::Interrupts& interrupts);

}  // namespace bench::cli
