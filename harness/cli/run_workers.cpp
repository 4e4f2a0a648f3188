#include "harness/cli/run_workers.hpp"

#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/build_id.hpp"
#include "harness/scheduler/child_process.hpp"
#include "harness/scheduler/process_worker.hpp"

namespace bench::cli {
namespace {

using scheduler::ChildProcess;

constexpr const char* kNative = "";
constexpr const char* kTorch = "torch";  // the peers' program, as workloads name it

std::vector<std::string> worker_arguments(const RunSetup& setup) {
  const RunMachine& machine = setup.machine;
  std::vector<std::string> arguments{"--command-fd", fmt::format("{}", ChildProcess::kCommandFd),
                                     "--event-fd",   fmt::format("{}", ChildProcess::kEventFd),
                                     "--parent-pid", fmt::format("{}", getpid()),
                                     "--device",     machine.device.device};
  const auto add_bytes = [&](const char* option, std::int64_t bytes) {
    arguments.insert(arguments.end(), {option, fmt::format("{}", bytes)});
  };
  if (machine.device.device == "cpu") {
    add_bytes("--memory-budget", machine.conditions.memory_budget_bytes);
    add_bytes("--memory-limit", machine.conditions.case_limit_bytes);
  } else if (machine.memory_limit_bytes > 0) {
    add_bytes("--memory-budget", machine.memory_limit_bytes);  // the host's memory limits nothing on a GPU
  }
  if (setup.request.host_defaults) arguments.push_back("--host-defaults");
  return arguments;
}

ChildProcess::Start native_start(const RunSetup& setup, const std::string& logs) {
  return {.program = setup.machine.device.worker_program,
          .arguments = worker_arguments(setup),
          .environment = setup.machine.conditions.environment,
          .log_path = logs};
}

ChildProcess::Start torch_start(const TorchPeer& torch, const RunSetup& setup, const std::string& logs) {
  std::vector<std::string> arguments{torch.script, "--build-id", build_id()};
  for (std::string& argument : worker_arguments(setup)) arguments.push_back(std::move(argument));
  return {.program = torch.python,
          .arguments = std::move(arguments),
          .environment = setup.machine.conditions.environment,
          .log_path = logs,
          .name = "torch_worker"};
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
  scheduler::ProcessWorkerSource native(native_start(setup, logs), clock, interrupts);
  scheduler::ProcessWorkerSource torch(torch_start(find_torch(setup.sweep), setup, logs), clock, interrupts);
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
  const protocol::Hello& hello = programs.worker(kNative).hello();
  facts.build_ids[hello.program] = hello.build_id;
  facts.libraries.insert(hello.libraries.begin(), hello.libraries.end());
  facts.conditions.insert(hello.conditions.begin(), hello.conditions.end());
  return facts;
}

}  // namespace bench::cli
