#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/worker/device.hpp"

// What one worker program runs on. Defined once for each program: devices_cpu.cpp, cuda/devices_cuda.cpp.
namespace bench::worker {

struct DeviceRequest {
  std::string name;                      // "cpu", "cuda:0"
  std::int64_t memory_budget_bytes = 0;  // 0: none
};

std::string_view program_name();         // "bench-worker"
std::string_view default_device_name();  // when it is started by hand

// To be called once, before the first tensor: replaces allocators and sets limits of the whole process.
// Throws Error(usage) for a device of another program, Error(environment) for one that is not here.
std::unique_ptr<Device> make_device(const DeviceRequest& request);

}  // namespace bench::worker
