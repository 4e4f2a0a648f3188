#include "harness/machine/cuda_visible.hpp"

#include <algorithm>
#include <string_view>

#include "harness/core/text.hpp"
#include "harness/machine/files.hpp"

namespace bench::machine {
namespace {

// nullopt: names none, which ends the list. -1: names one, and which of `gpus` it is cannot be told.
std::optional<int> device_named(const std::vector<Gpu>& gpus, std::string_view entry) {
  if (entry.starts_with("MIG-")) {
    const bool possible = std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.mig.value_or(true); });
    return possible ? std::optional(-1) : std::nullopt;
  }
  if (entry.starts_with("GPU-")) {
    const auto found =
        std::ranges::find_if(gpus, [&](const Gpu& gpu) { return gpu.uuid.starts_with(entry); });
    if (found != gpus.end()) return static_cast<int>(found - gpus.begin());
    const bool possible = std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.uuid.empty(); });
    return possible ? std::optional(-1) : std::nullopt;
  }
  const auto index = parse_integer(entry);
  if (!index || *index < 0 || *index >= static_cast<std::int64_t>(gpus.size())) return std::nullopt;
  return static_cast<int>(*index);
}

}  // namespace

std::vector<int> visible_devices(const std::vector<Gpu>& gpus, const std::optional<std::string>& visible) {
  std::vector<int> devices;
  if (!visible) {
    for (int i = 0; i < static_cast<int>(gpus.size()); ++i) devices.push_back(i);
    return devices;
  }
  std::string_view left = *visible;
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const auto device = device_named(gpus, trimmed(left.substr(0, comma)));
    if (!device) break;
    if (*device >= 0 && std::ranges::find(devices, *device) != devices.end())
      return {};  // twice: CUDA has none
    devices.push_back(*device);
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  return devices;
}

void number_for_cuda(std::vector<Gpu>& gpus, const std::optional<std::string>& visible,
                     const std::string& order) {
  for (Gpu& gpu : gpus) gpu.cuda_index.reset();
  const bool one_kind =
      std::ranges::all_of(gpus, [&](const Gpu& gpu) { return gpu.name == gpus.front().name; });
  if (!one_kind && order != "PCI_BUS_ID") return;
  const std::vector<int> devices = visible_devices(gpus, visible);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] >= 0) gpus[static_cast<std::size_t>(devices[i])].cuda_index = static_cast<std::int64_t>(i);
  }
}

int count_visible(int present, const std::optional<std::string>& visible) {
  const std::vector<Gpu> unknown(static_cast<std::size_t>(present));
  return std::min(present, static_cast<int>(visible_devices(unknown, visible).size()));
}

}  // namespace bench::machine
