#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/worker/counting_allocator.hpp"
#include "harness/worker/cpu_device.hpp"
#include "harness/worker/devices.hpp"
#include "harness/worker/lifetime.hpp"

namespace bench::worker {

std::string_view program_name() {
  return "bench-worker";
}

std::string_view default_device_name() {
  return "cpu";
}

std::unique_ptr<Device> make_device(const DeviceRequest& request) {
  if (request.name != "cpu")
    throw Error(ErrorKind::usage, fmt::format("--device {}: bench-worker runs on the CPU; bench-worker-cuda "
                                              "is the program for CUDA devices",
                                              request.name));
  limit_private_memory(request.memory_budget_bytes);
  install_counting_allocator(request.memory_budget_bytes);
  return make_cpu_device(request.memory_budget_bytes);
}

}  // namespace bench::worker
