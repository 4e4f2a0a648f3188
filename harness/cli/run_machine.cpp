#include "harness/cli/run_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/units.hpp"

namespace bench::cli {
namespace {

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> own;
  for (const char* const name : {"OMP_NUM_THREADS", "OMP_WAIT_POLICY"})
    if (const char* const value = std::getenv(name)) own[name] = value;
  return own;
}

std::int64_t memory_limit_bytes(const std::string& typed) {
  if (typed.empty()) return 0;
  std::int64_t bytes = 0;
  try {
    bytes = parse_bytes(typed);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("--memory-limit: {}", error.what()));
  }
  if (bytes < 1) throw Error(ErrorKind::usage, "--memory-limit: nothing runs in 0 bytes");
  return bytes;
}

std::int64_t room_bytes(const RunMachine& run) {
  if (run.device.device == "cpu")
    return run.conditions.case_limit_bytes > 0 ? run.conditions.case_limit_bytes
                                               : run.conditions.memory_budget_bytes;
  const std::int64_t free_bytes = run.gpu ? run.gpu->memory_free_bytes : 0;
  if (run.memory_limit_bytes == 0) return free_bytes;
  return free_bytes > 0 ? std::min(free_bytes, run.memory_limit_bytes) : run.memory_limit_bytes;
}

}  // namespace

scheduler::WorkerConditions conditions_of(const RunRequest& request, const RunMachine& run, int ranks) {
  return scheduler::worker_conditions(run.machine, {.local_ranks = ranks,
                                                    .on_gpu = run.device.device != "cpu",
                                                    .host_defaults = request.host_defaults,
                                                    .memory_limit_bytes = run.memory_limit_bytes,
                                                    .own = own_environment()});
}

RunMachine read_run_machine(const RunRequest& request) {
  RunMachine run;
  run.machine = machine::read_machine();
  run.device = choose_device(request.device, run.machine, own_folder());
  run.memory_limit_bytes = memory_limit_bytes(request.memory_limit);
  run.conditions = conditions_of(request, run, 1);
  run.environment = machine::read_environment();
  if (const Gpu* gpu = used_gpu(run.environment, run.device.device)) run.gpu = *gpu;
  run.room = {.device = run.device.device, .bytes = room_bytes(run)};
  return run;
}

std::string limit_that_is_cut(const RunRequest& request, const RunMachine& run) {
  if (run.room.bytes <= 0 || run.memory_limit_bytes <= run.room.bytes) return "";
  return fmt::format("--memory-limit {}: {} has {} for a case, and that is the limit", request.memory_limit,
                     run.device.device, format_bytes(run.room.bytes));
}

std::string why_unwatched(const RunMachine& run) {
  if (run.device.device == "cpu" || run.gpu) return "";
  return fmt::format("no clocks, slowdowns, energy or MFU of {}: {}", run.device.device,
                     run.environment.gpus.empty()
                         ? "NVIDIA's management library (libnvidia-ml.so.1) is not here or shows no GPU"
                         : "which of this machine's GPUs it is cannot be told; CUDA_DEVICE_ORDER=PCI_BUS_ID "
                           "makes it plain");
}

}  // namespace bench::cli
