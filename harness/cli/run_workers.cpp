#include "harness/cli/run_workers.hpp"

#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/build_id.hpp"
#include "harness/registry/ranks.hpp"
#include "harness/scheduler/child_process.hpp"
#include "harness/scheduler/process_worker.hpp"

namespace bench::cli {
namespace {

using scheduler::ChildProcess;

constexpr const char* kNative = "";
constexpr const char* kTorch = "torch";  // the peers' program, as workloads name it

// `ranks`: of this worker, which share this machine.
std::vector<std::string> worker_arguments(const RunSetup& setup, int ranks) {
  const RunMachine& machine = setup.machine;
  std::vector<std::string> arguments{"--command-fd", fmt::format("{}", ChildProcess::kCommandFd),
                                     "--event-fd",   fmt::format("{}", ChildProcess::kEventFd),
                                     "--parent-pid", fmt::format("{}", getpid()),
                                     "--device",     machine.device.device};
  const auto add_bytes = [&](const char* option, std::int64_t bytes) {
    arguments.insert(arguments.end(), {option, fmt::format("{}", bytes)});
  };
  if (machine.device.device == "cpu") {
    add_bytes("--memory-budget", machine.conditions.memory_budget_bytes / ranks);
    add_bytes("--memory-limit", machine.conditions.case_limit_bytes / ranks);
  } else if (machine.memory_limit_bytes > 0) {
    add_bytes("--memory-budget", machine.memory_limit_bytes);  // the host's memory limits nothing on a GPU
  }
  if (setup.request.host_defaults) arguments.push_back("--host-defaults");
  if (ranks > 1 && ranks <= machine.machine.cpus_allowed) arguments.push_back("--may-spin");
  return arguments;
}

std::vector<ChildProcess::Start> native_start(const RunSetup& setup, const std::string& logs, int ranks) {
  const ChildProcess::Start start{
      .program = setup.machine.device.worker_program,
      .arguments = worker_arguments(setup, ranks),
      .environment = conditions_of(setup.request, setup.machine, ranks).environment,
      .log_path = logs};
  return std::vector<ChildProcess::Start>(static_cast<std::size_t>(ranks), start);
}

ChildProcess::Start torch_start(const TorchPeer& torch, const RunSetup& setup, const std::string& logs) {
  std::vector<std::string> arguments{torch.script, "--build-id", build_id()};
  for (std::string& argument : worker_arguments(setup, 1)) arguments.push_back(std::move(argument));
  return {.program = torch.python,
          .arguments = std::move(arguments),
          .environment = setup.machine.conditions.environment,
          .log_path = logs,
          .name = "torch_worker"};
}

// Of the first case that the native worker runs, so that it is not started for its greeting alone.
int ranks_to_begin_with(const scheduler::Sweep& sweep) {
  for (const registry::PlannedCase& planned : sweep.cases)
    if (scheduler::program_of(sweep, planned.configuration) == kNative &&
        !scheduler::is_refused(sweep, planned))
      return registry::ranks_of(planned.configuration);
  return 1;
}

}  // namespace

TorchPeer find_torch(scheduler::Sweep& sweep) {
  if (!scheduler::programs_of(sweep).contains(kTorch)) return {};
  const std::string folder = own_folder();
  TorchPeer torch = find_torch_peer(folder, candidate_pythons(folder));
  if (!torch.lacking.empty()) sweep.unavailable[kTorch] = torch.lacking;
  return torch;
}

std::optional<Error> with_workers(RunSetup& setup, const std::string& directory, scheduler::Clock& clock,
                                  const scheduler::Interrupts& interrupts,
                                  const std::function<void(scheduler::WorkerPrograms&)>& work) {
  const std::string logs = (std::filesystem::path(directory) / "logs").string();
  setup.sweep.check_path = (std::filesystem::path(directory) / "check.safetensors").string();
  scheduler::ProcessWorkerSource native([&](int ranks) { return native_start(setup, logs, ranks); }, clock,
                                        interrupts);
  const ChildProcess::Start torch_worker = torch_start(find_torch(setup.sweep), setup, logs);
  scheduler::ProcessWorkerSource torch([&](int) { return std::vector{torch_worker}; }, clock, interrupts);
  scheduler::WorkerPrograms programs({{kNative, &native}, {kTorch, &torch}});
  std::optional<Error> stopped_by;
  try {
    work(programs);
  } catch (const Error& error) {
    stopped_by = error;
  }
  programs.discard();
  if (interrupts.signal()) stopped_by.reset();
  return stopped_by;
}

WorkerFacts greet(scheduler::WorkerPrograms& programs, scheduler::Sweep& sweep,
                  const scheduler::Interrupts& interrupts) {
  WorkerFacts facts;
  if (scheduler::programs_of(sweep).contains(kTorch)) {
    try {
      const protocol::Hello& hello = programs.worker(kTorch).hello();
      facts.build_ids[hello.program] = hello.build_id;
      for (const auto& [name, version] : hello.libraries)
        facts.libraries[hello.program + " " + name] = version;
      for (const auto& [name, value] : hello.conditions) facts.conditions[hello.program + " " + name] = value;
    } catch (const Error& error) {
      if (interrupts.signal()) throw;
      sweep.unavailable[kTorch] = error.what();
    }
  }
  if (scheduler::programs_of(sweep).empty()) return facts;
  const protocol::Hello& hello = programs.worker(kNative, ranks_to_begin_with(sweep)).hello();
  facts.build_ids[hello.program] = hello.build_id;
  facts.libraries.insert(hello.libraries.begin(), hello.libraries.end());
  facts.conditions.insert(hello.conditions.begin(), hello.conditions.end());
  return facts;
}

}  // namespace bench::cli
