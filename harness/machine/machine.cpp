#include "harness/machine/machine.hpp"

#include <algorithm>
#include <cmath>

#include "harness/machine/cgroup.hpp"
#include "harness/machine/cpu.hpp"
#include "harness/machine/files.hpp"
#include "harness/machine/memory.hpp"

namespace bench::machine {

Machine read_machine(const std::string& root) {
  const Cgroup cgroup = read_cgroup(root);
  Machine machine;
  machine.cpus_online = read_cpus_online(root);
  machine.cpus_allowed = read_cpus_in_affinity(root, machine.cpus_online);
  if (cgroup.quota_cpus && *cgroup.quota_cpus < machine.cpus_allowed) {
    machine.cpus_allowed = std::max(1, static_cast<int>(std::floor(*cgroup.quota_cpus)));
  }
  machine.shared_cpus = cgroup.quota_cpus.has_value() || read_virtualization(root).has_value();
  machine.memory_available_bytes =
      read_memory(root).available_bytes.value_or(cgroup.memory_left_bytes.value_or(0));
  if (cgroup.memory_left_bytes) {
    machine.memory_available_bytes = std::min(machine.memory_available_bytes, *cgroup.memory_left_bytes);
  }
  machine.nvidia_devices = static_cast<int>(list_folder(root + "/proc/driver/nvidia/gpus").size());
  return machine;
}

}  // namespace bench::machine
