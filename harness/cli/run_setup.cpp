#include "harness/cli/run_setup.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/cli/git_commit.hpp"
#include "harness/cli/settings.hpp"
#include "harness/core/build_id.hpp"
#include "harness/core/error.hpp"
#include "harness/scheduler/run_directory.hpp"

namespace bench::cli {
namespace {

// A profiler sees one step of warm-up, unless more were asked for.
void plan_for_profiler(const RunRequest& request, scheduler::Sweep& sweep) {
  const auto refuse = [](bool typed, const char* option, const char* why) {
    if (typed) throw Error(ErrorKind::usage, fmt::format("--profile with {}: {}", option, why));
  };
  refuse(!request.out.empty(), "--out", "it writes no results");
  refuse(request.json, "--json", "it has no results to print");
  refuse(!sweep.cases.front().policy.steps, "--steps auto", "name a number of steps");
  sweep.case_options.profile = true;
  if (given(request.options, "warmup")) return;
  for (registry::PlannedCase& planned : sweep.cases) planned.policy.warmup_steps = 1;
}

void refuse_impossible_fault(const std::string& fault, const scheduler::Sweep& sweep) {
  if (fault.empty()) return;
  for (const registry::PlannedCase& planned : sweep.cases) {
    const auto refusal = sweep.spec->refuse_fault
                             ? sweep.spec->refuse_fault(planned.configuration, fault)
                             : fmt::format("workload {} has no faults", sweep.spec->name);
    if (refusal) throw Error(ErrorKind::usage, fmt::format("--inject-fault: {}", *refusal));
  }
}

}  // namespace

RunSetup set_up_run(const RunRequest& request, RunMachine machine, Plan plan) {
  scheduler::Sweep sweep{.spec = plan.spec,
                         .cases = plan.cases,
                         .device = machine.device.device,
                         .gpu_name = machine.gpu ? machine.gpu->name : "",
                         .machine = machine.machine,
                         .room = machine.room,
                         .repetitions = plan.repetitions};
  sweep.case_options.inject_fault = request.inject_fault;
  if (request.profile) plan_for_profiler(request, sweep);
  refuse_impossible_fault(request.inject_fault, sweep);
  std::unique_ptr<scheduler::GpuSurroundings> surroundings;
  if (machine.gpu)
    surroundings = std::make_unique<scheduler::GpuSurroundings>(machine::this_nvml(), machine.gpu->index);
  sweep.case_options.surroundings = surroundings.get();
  return {.request = request,
          .machine = std::move(machine),
          .plan = std::move(plan),
          .sweep = std::move(sweep),
          .surroundings = std::move(surroundings)};
}

Document describe(const RunSetup& setup, const std::vector<std::string>& argv) {
  const RunRequest& request = setup.request;
  Document now;
  now.environment = setup.machine.environment;
  now.conditions = setup.machine.conditions.recorded;
  if (!request.inject_fault.empty()) now.conditions["injected_fault"] = request.inject_fault;
  now.run = {.argv = argv,
             .workload = request.workload,
             .label = request.label,
             .seed = setup.sweep.cases.front().policy.seed,
             .git_commit = git_commit(),
             .build_ids = {{"bench", build_id()}},
             .device = setup.sweep.device,
             .begin_utc = scheduler::utc_now(),
             .planned_cases = static_cast<std::int64_t>(setup.sweep.size())};
  return now;
}

void announce(const RunSetup& setup, scheduler::Progress& progress) {
  const DeviceChoice& device = setup.machine.device;
  if (!device.why.empty()) progress.note(fmt::format("device {}: {}", device.device, device.why));
  for (const std::string& note :
       {why_unwatched(setup.machine), limit_that_is_cut(setup.request, setup.machine)})
    if (!note.empty()) progress.note(note);
}

}  // namespace bench::cli
