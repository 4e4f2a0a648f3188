#include "harness/cli/device.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {
namespace fs = std::filesystem;
namespace {

// The N of cuda:N, 0 for plain cuda; nullopt: not a CUDA device's name.
std::optional<int> cuda_index(const std::string& name) {
  if (name == "cuda") return 0;
  if (name.rfind("cuda:", 0) != 0) return std::nullopt;
  int index = -1;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + 5, end, index);
  if (error != std::errc{} || stopped != end || index < 0) return std::nullopt;
  return index;
}

std::string worker_beside(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

DeviceChoice cpu(const std::string& folder, std::string why) {
  DeviceChoice choice{"cpu", worker_beside(folder, "bench-worker"), std::move(why)};
  if (access(choice.worker_program.c_str(), X_OK) != 0)
    throw Error(ErrorKind::environment,
                fmt::format("bench-worker is not beside bench in {}; build it: scripts/bench does", folder));
  return choice;
}

}  // namespace

DeviceChoice choose_device(const std::string& asked, const machine::Machine& machine,
                           const std::string& folder) {
  const std::string cuda_worker = worker_beside(folder, "bench-worker-cuda");
  const bool has_cuda_worker = access(cuda_worker.c_str(), X_OK) == 0;
  if (asked == "cpu") return cpu(folder, "");
  if (asked == "auto") {
    if (machine.nvidia_devices == 0) return cpu(folder, "this machine has no NVIDIA GPU with a driver");
    if (!has_cuda_worker)
      return cpu(folder, "this machine has a GPU, but this build has no bench-worker-cuda");
    return {"cuda:0", cuda_worker, "this machine has a GPU, and this build bench-worker-cuda"};
  }
  const std::optional<int> index = cuda_index(asked);
  if (!index) {
    const std::vector<std::string> names{"auto", "cpu", "cuda", "cuda:0"};
    throw Error(ErrorKind::usage,
                fmt::format("--device: there is no \"{}\"{}", printable(asked), did_you_mean(asked, names)));
  }
  if (machine.nvidia_devices == 0)
    throw Error(
        ErrorKind::environment,
        fmt::format(
            "--device {}: this machine shows no NVIDIA GPU with a driver (neither libnvidia-ml.so.1 nor "
            "/proc/driver/nvidia/gpus nor /dev/nvidia0 tells of one, or CUDA_VISIBLE_DEVICES hides it); "
            "--device cpu runs the same workloads",
            asked));
  if (*index >= machine.nvidia_devices)
    throw Error(
        ErrorKind::environment,
        fmt::format(
            "--device {}: this machine has {} GPU{}, counted from 0{}", asked, machine.nvidia_devices,
            machine.nvidia_devices == 1 ? "" : "s",
            std::getenv("CUDA_VISIBLE_DEVICES") == nullptr ? "" : ", as CUDA_VISIBLE_DEVICES leaves them"));
  if (!has_cuda_worker)
    throw Error(
        ErrorKind::environment,
        fmt::format("--device {}: this build has no bench-worker-cuda; --device cpu runs the same workloads",
                    asked));
  return {fmt::format("cuda:{}", *index), cuda_worker, ""};
}

std::string own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw Error(ErrorKind::environment, "/proc/self/exe cannot be read, so bench cannot find its workers");
  return self.parent_path().string();
}

}  // namespace bench::cli
