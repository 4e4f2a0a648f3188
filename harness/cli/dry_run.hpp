#pragma once

#include <map>
#include <string>

#include "harness/cli/plan.hpp"
#include "harness/scheduler/sweep.hpp"

// What a run would do, without doing it.
namespace bench::cli {

struct DryRun {
  const Plan& plan;
  const scheduler::Sweep& sweep;
  std::string worker;  // the line that runs one case by hand, up to the case's id
};

// "OMP_NUM_THREADS=2 ... bench-worker --device cpu --case": what a shell needs to start what bench starts.
std::string worker_by_hand(const std::map<std::string, std::string>& environment, const std::string& program,
                           const std::string& device);

// A table of the cases with their predicted memory and expected duration, why some will not be tried, the
// total, and the worker's line.
std::string dry_run_text(const DryRun& dry);
// The plan as --cases reads it, with the same facts of each case.
std::string dry_run_json(const DryRun& dry);

}  // namespace bench::cli
