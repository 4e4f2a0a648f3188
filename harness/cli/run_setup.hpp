#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/plan.hpp"
#include "harness/cli/run_machine.hpp"
#include "harness/core/document.hpp"
#include "harness/scheduler/gpu_surroundings.hpp"
#include "harness/scheduler/progress.hpp"
#include "harness/scheduler/sweep.hpp"

namespace bench::cli {

// All that is settled before anything is measured.
struct RunSetup {
  RunRequest request;
  RunMachine machine;
  Plan plan;
  scheduler::Sweep sweep;
  std::unique_ptr<scheduler::GpuSurroundings> surroundings;  // that the sweep watches; nullptr: none
};

// Throws Error(usage) for options that do not go with the plan.
RunSetup set_up_run(const RunRequest& request, RunMachine machine, Plan plan);

// What the run says of itself, but for what its workers will say. `argv`: the command that began it.
Document describe(const RunSetup& setup, const std::vector<std::string>& argv);

// Says what a person may not expect of this machine.
void announce(const RunSetup& setup, scheduler::Progress& progress);

}  // namespace bench::cli
