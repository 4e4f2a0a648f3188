#include "harness/machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "harness/machine/cgroup.hpp"
#include "harness/machine/cpu.hpp"
#include "harness/machine/cuda_visible.hpp"
#include "harness/machine/files.hpp"
#include "harness/machine/memory.hpp"
#include "harness/machine/nvml.hpp"

namespace bench::machine {

namespace {

// The driver's device nodes: nvidia0, nvidia1, ... beside nvidiactl and nvidia-uvm.
int count_device_nodes(const std::string& root) {
  constexpr std::string_view kPrefix = "nvidia";
  const std::vector<std::string> names = list_folder(root + "/dev");
  return static_cast<int>(std::ranges::count_if(names, [&](const std::string& name) {
    return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
           name.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
  }));
}

int count_nvidia_devices(const std::string& root, const Nvml* nvml) {
  const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto visible = variable == nullptr ? std::nullopt : std::optional<std::string>(variable);
  const std::vector<Gpu> gpus = nvml == nullptr ? std::vector<Gpu>{} : nvml->gpus();
  if (!gpus.empty()) return static_cast<int>(visible_devices(gpus, visible).size());
  const auto in_proc = static_cast<int>(list_folder(root + "/proc/driver/nvidia/gpus").size());
  return count_visible(in_proc > 0 ? in_proc : count_device_nodes(root), visible);
}

}  // namespace

Machine read_machine() {
  return read_machine("", &this_nvml());
}

Machine read_machine(const std::string& root, const Nvml* nvml) {
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
  machine.nvidia_devices = count_nvidia_devices(root, nvml);
  return machine;
}

}  // namespace bench::machine
