#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::machine {

class Nvml;

// The few facts that decisions are made from. Everything worth recording is in Environment.
struct Machine {
  int cpus_online = 1;
  int cpus_allowed = 1;      // min of affinity mask and cgroup quota (rounded down), at least 1
  bool shared_cpus = false;  // a virtual machine, or a cgroup quota: another tenant may run on our cores
  // MemAvailable, or what the cgroup has left when that is less; 0: unknown
  std::int64_t memory_available_bytes = 0;
  // GPUs that CUDA would show under CUDA_VISIBLE_DEVICES: those NVML tells of; without it the entries of
  // /proc/driver/nvidia/gpus, or where that is not there (gVisor, Firecracker) /dev/nvidia0, 1, ...
  int nvidia_devices = 0;
};

// `root` is prefixed to /proc, /sys, /dev and /etc, so that tests can show a made-up machine; `nvml` may be
// nullptr. Neither throws: a file that is missing or malformed leaves its fact at the default above, or
// absent.
Machine read_machine(const std::string& root, const Nvml* nvml = nullptr);

// Facts, each absent where it cannot be read: affinity ("0-3,8"), cgroup_cpu_quota_cpus,
// cgroup_memory_limit_bytes, cgroup_memory_left_bytes, clock_source, frequency_driver, governor,
// isolated_cpus, load_average ("1 5 15 minutes"), numa_nodes, nvidia_devices, nvidia_driver, smt and turbo
// ("on", "off"), transparent_hugepages, virtualization. `libraries` is left for the worker to fill.
Environment read_environment(const std::string& root, const Nvml* nvml = nullptr);

// All that read_environment may read into Environment::facts.
std::vector<std::string> fact_names();

// This machine's, NVML included where a driver is.
Machine read_machine();
Environment read_environment();

}  // namespace bench::machine
