#pragma once

#include <string>

#include "harness/cli/run_record.hpp"
#include "harness/cli/run_setup.hpp"
#include "harness/scheduler/interrupts.hpp"

// The verbs of `bench run`: what is done with a run that is set up. Each returns the exit code,
// and lies in a file of its name.
namespace bench::cli {

// Shows what would be run.
int dry_run(RunSetup& setup);

// Runs the steps for a profiler and leaves nothing behind but the logs of a run that failed.
int profile_run(RunSetup& setup, const scheduler::Interrupts& interrupts);

// Measures what is not finished and writes the results into the run's directory. What was measured is printed
// whatever happens to the files.
int measure_run(RunSetup& setup, RunRecord record, const std::string& directory,
                const scheduler::Interrupts& interrupts);

}  // namespace bench::cli
