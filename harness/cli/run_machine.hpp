#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/cli/command_line.hpp"
#include "harness/cli/device.hpp"
#include "harness/core/document.hpp"
#include "harness/machine/machine.hpp"
#include "harness/registry/memory_fit.hpp"
#include "harness/scheduler/worker_conditions.hpp"

namespace bench::cli {

// What this machine gives to a run. Known before anything is planned: `max` comes from it.
struct RunMachine {
  machine::Machine machine;
  Environment environment;
  DeviceChoice device;
  std::optional<Gpu> gpu;               // that the device is; nullopt: none, or which one cannot be told
  std::int64_t memory_limit_bytes = 0;  // the person's own; 0: none
  scheduler::WorkerConditions conditions;
  registry::MemoryRoom room;  // for the tensors of one case: the person's limit, within what the device has
};

// Throws Error(usage) and Error(environment) for a device or a memory limit that cannot be had here.
RunMachine read_run_machine(const RunRequest& request);

// What workers are started with of which `ranks` share the machine.
scheduler::WorkerConditions conditions_of(const RunRequest& request, const RunMachine& machine, int ranks);

// What --memory-limit comes to where that is less than was asked for; empty: it stands.
std::string limit_that_is_cut(const RunRequest& request, const RunMachine& machine);

// Why nothing watches the GPU that the run uses; empty: something does, or it uses none.
std::string why_unwatched(const RunMachine& machine);

}  // namespace bench::cli
