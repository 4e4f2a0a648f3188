#pragma once

#include <cstdint>
#include <string>

#include "harness/core/document.hpp"

namespace bench::machine {

// The few facts that decisions are made from. Everything worth recording is in Environment.
struct Machine {
  int cpus_online = 1;
  int cpus_allowed = 1;         // min of affinity mask and cgroup quota, at least 1
  bool shared_cpus = false;     // a virtual machine, or a cgroup quota: another tenant may run on our cores
  std::int64_t memory_available_bytes = 0;  // MemAvailable, or what the cgroup has left when that is less
  int nvidia_devices = 0;       // /proc/driver/nvidia/gpus entries: says that a driver and GPUs are there, no more
};

// `root` is prefixed to /proc and /sys, so that tests can show a made-up machine.
Machine read_machine(const std::string& root = "");
Environment read_environment(const std::string& root = "");

}  // namespace bench::machine
