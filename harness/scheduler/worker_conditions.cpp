#include "harness/scheduler/worker_conditions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/units.hpp"

namespace bench::scheduler {

WorkerConditions worker_conditions(const machine::Machine& machine, const ConditionsRequest& request) {
  WorkerConditions conditions;
  auto& environment = conditions.environment;
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;

  const std::int64_t available = std::max(machine.memory_available_bytes - kGiB, kGiB / 4);
  conditions.memory_budget_bytes = available;
  conditions.case_limit_bytes = std::min(request.memory_limit_bytes, available);
  conditions.recorded["memory_limit"] =
      request.memory_limit_bytes > 0 ? fmt::format("{}", request.memory_limit_bytes) : "what the machine has";
  if (request.host_defaults) {
    conditions.recorded["host_defaults"] = "yes";
    return conditions;
  }

  // glibc returns large blocks to the kernel on free and faults them in again on the next allocation: a 32 MB
  // elementwise result then takes three times as long. Keep them.
  environment["MALLOC_MMAP_MAX_"] = "0";
  environment["MALLOC_TRIM_THRESHOLD_"] = "1099511627776";
  environment["MALLOC_TOP_PAD_"] = "67108864";

  // A person who set the thread count meant it.
  if (const auto own = request.own.find("OMP_NUM_THREADS"); own != request.own.end() && !own->second.empty())
    environment["OMP_NUM_THREADS"] = own->second;
  else
    environment["OMP_NUM_THREADS"] =
        fmt::format("{}", std::max(1, machine.cpus_allowed / request.local_ranks));

  // Spinning at barriers is 15-25% faster on cores of one's own and several times slower on shared ones.
  // Beside a GPU nothing that is timed runs between barriers, and spinning would pass for launching.
  const auto policy = request.own.find("OMP_WAIT_POLICY");
  const bool passive = request.on_gpu || machine.shared_cpus || request.local_ranks > machine.cpus_allowed;
  environment["OMP_WAIT_POLICY"] = policy != request.own.end() && !policy->second.empty() ? policy->second
                                   : passive                                              ? "passive"
                                                                                          : "active";

  for (const auto& [name, value] : environment) conditions.recorded[name] = value;
  return conditions;
}

}  // namespace bench::scheduler
