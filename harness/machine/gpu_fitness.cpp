#include "harness/machine/gpu_fitness.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::machine {
namespace {

constexpr double kLeastFreeShare = 0.9;  // an idle GPU's driver, and a desktop on it, take a few percent

Fitness processes_fitness(const Gpu& gpu) {
  if (!gpu.other_processes) return {"processes", kCannotBeRead, "", true};
  const std::int64_t count = *gpu.other_processes;
  if (count == 0) return {"processes", "no other on it", "", true};
  const std::string memory = gpu.other_processes_bytes.value_or(0) > 0
                                 ? fmt::format(" with {} of memory", format_bytes(*gpu.other_processes_bytes))
                                 : "";
  return {"processes", fmt::format("{} other{}{}", count, count == 1 ? "" : "s", memory),
          "They share its cores and its power: stop them (`nvidia-smi` shows them), or choose another GPU "
          "with --device cuda:N.",
          false};
}

Fitness memory_fitness(const Gpu& gpu) {
  if (gpu.memory_total_bytes <= 0) return {"memory", kCannotBeRead, "", true};
  const std::string finding =
      fmt::format("{} of {} free", format_bytes(gpu.memory_free_bytes), format_bytes(gpu.memory_total_bytes));
  if (static_cast<double>(gpu.memory_free_bytes) >=
      kLeastFreeShare * static_cast<double>(gpu.memory_total_bytes))
    return {"memory", finding, "", true};
  return {"memory", finding,
          "Something holds the rest: find it with `nvidia-smi` (in a container it may be out of sight), or "
          "choose another GPU with --device cuda:N.",
          false};
}

Fitness mig_fitness(const Gpu& gpu) {
  if (!gpu.mig) return {"MIG", "not on this GPU", "", true};
  if (!*gpu.mig) return {"MIG", "off", "", true};
  return {"MIG", "on: a program gets a slice of the GPU, and neighbours share its memory bus and power",
          fmt::format("Switch it off while nothing uses the GPU: `sudo nvidia-smi -i {} -mig 0`.", gpu.index),
          false};
}

Fitness power_fitness(const Gpu& gpu) {
  if (!gpu.power_limit_w) return {"power limit", kCannotBeRead, "", true};
  if (!gpu.power_limit_default_w || *gpu.power_limit_w + 0.5 >= *gpu.power_limit_default_w)
    return {"power limit", fmt::format("{:.0f} W", *gpu.power_limit_w), "", true};
  return {
      "power limit",
      fmt::format("{:.0f} W, below the board's own {:.0f} W", *gpu.power_limit_w, *gpu.power_limit_default_w),
      fmt::format("Raise it (`sudo nvidia-smi -i {} -pl {:.0f}`), or compare only with runs under the "
                  "same limit.",
                  gpu.index, *gpu.power_limit_default_w),
      false};
}

Fitness clocks_fitness(const Gpu& gpu) {
  if (gpu.slowdowns.empty()) return {"clocks", "nothing holds them down", "", true};
  return {"clocks", "held down: " + join(gpu.slowdowns, ", "),
          "Wait until the GPU is cool, and look at its fans, its power cables and `nvidia-smi -q -d "
          "PERFORMANCE`.",
          false};
}

Fitness persistence_fitness(const Gpu& gpu) {
  if (!gpu.persistence) return {"persistence", kCannotBeRead, "", true};
  if (*gpu.persistence) return {"persistence", "on", "", true};
  return {"persistence", "off: the driver starts anew, and forgets its settings, whenever no program uses it",
          fmt::format("Switch it on: `sudo nvidia-smi -i {} -pm 1`.", gpu.index), true};
}

Fitness ecc_fitness(const Gpu& gpu) {
  if (!gpu.ecc) return {"ECC", "not on this GPU", "", true};
  // In HBM it costs nothing; in GDDR it takes memory and bandwidth, so runs with and without do not compare.
  if (*gpu.ecc) return {"ECC", "on", "", true};
  return {"ECC", "off",
          fmt::format("Memory errors go unseen, and a GPU with it may be slower: compare only with runs that "
                      "have it off too, or switch it on (`sudo nvidia-smi -i {} -e 1`, then restart).",
                      gpu.index),
          true};
}

}  // namespace

std::vector<Fitness> fitness_of_gpus(const std::vector<Gpu>& gpus) {
  const bool matched = std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.cuda_index.has_value(); });
  std::vector<Fitness> findings;
  for (const Gpu& gpu : gpus) {
    if (matched && !gpu.cuda_index) continue;
    for (const auto fitness_of : {processes_fitness, memory_fitness, mig_fitness, power_fitness,
                                  clocks_fitness, persistence_fitness, ecc_fitness}) {
      findings.push_back(fitness_of(gpu));
      findings.back().subject =
          fmt::format("GPU {} {}", gpu.cuda_index.value_or(gpu.index), findings.back().subject);
    }
  }
  return findings;
}

}  // namespace bench::machine
