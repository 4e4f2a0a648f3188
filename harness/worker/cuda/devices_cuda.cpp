#include <fmt/format.h>

#include <charconv>

#include "harness/core/error.hpp"
#include "harness/worker/cuda/cuda_device.hpp"
#include "harness/worker/devices.hpp"

namespace bench::worker {
namespace {

int index_of(const std::string& name) {
  constexpr std::string_view kPrefix = "cuda:";
  int index = -1;
  const char* const end = name.data() + name.size();
  if (name == "cuda") return 0;
  if (name.rfind(kPrefix, 0) == 0) {
    const auto [stopped, error] = std::from_chars(name.data() + kPrefix.size(), end, index);
    if (error == std::errc{} && stopped == end && index >= 0 && index < 128) return index;
  }
  throw Error(ErrorKind::usage, fmt::format("--device {}: bench-worker-cuda runs on cuda:0, cuda:1, ...; "
                                            "bench-worker is the program for the CPU",
                                            name));
}

}  // namespace

std::string_view program_name() {
  return "bench-worker-cuda";
}

std::string_view default_device_name() {
  return "cuda:0";
}

std::unique_ptr<Device> make_device(const DeviceRequest& request) {
  return cuda::make_cuda_device(index_of(request.name), request.memory_budget_bytes);
}

}  // namespace bench::worker
