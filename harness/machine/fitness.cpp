#include "harness/machine/fitness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/core/units.hpp"
#include "harness/machine/cpu.hpp"
#include "harness/machine/files.hpp"
#include "harness/machine/gpu_fitness.hpp"

namespace bench::machine {

namespace {

constexpr double kBusyShare = 0.5;  // load average over the last minute, per core
constexpr std::int64_t kLeastMemoryBytes = std::int64_t{2} << 30;

std::optional<std::string> fact(const Environment& environment, const std::string& name) {
  const auto found = environment.facts.find(name);
  return found == environment.facts.end() ? std::nullopt : std::optional(found->second);
}

Fitness governor_fitness(const Environment& environment) {
  const auto governor = fact(environment, "governor");
  if (!governor) return {"governor", kCannotBeRead, "", true};
  if (*governor == "performance") return {"governor", *governor, "", true};
  return {"governor", fmt::format("{}: clocks follow the load and lag behind it", *governor),
          "Run `sudo cpupower frequency-set --governor performance` before measuring.", false};
}

Fitness load_fitness(const Machine& machine, const Environment& environment) {
  const std::string averages = fact(environment, "load_average").value_or("");
  const auto words = words_of(averages);
  const auto load = words.empty() ? std::nullopt : parse_real(words[0]);
  if (!load) return {"load", kCannotBeRead, "", true};
  const std::string finding =
      fmt::format("{} over the last minute on {} CPUs", words[0], machine.cpus_online);
  if (*load <= kBusyShare * machine.cpus_online) return {"load", finding, "", true};
  return {"load", finding, "Stop what else is running (`top` shows it) and wait a minute before measuring.",
          false};
}

Fitness quota_fitness(const Machine& machine, const Environment& environment) {
  const auto quota = fact(environment, "cgroup_cpu_quota_cpus");
  if (!quota) return {"cgroup quota", "none", "", true};
  const int usable =
      std::min(machine.cpus_online,
               count_cpu_list(fact(environment, "affinity").value_or("")).value_or(machine.cpus_online));
  if (parse_real(*quota).value_or(0) >= usable) {
    return {"cgroup quota", fmt::format("{} CPUs, no fewer than the {} in reach", *quota, usable), "", true};
  }
  return {"cgroup quota",
          fmt::format("{} CPUs of {}: once a period's share is spent, all threads stop until the next one",
                      *quota, usable),
          "Give this container whole cores instead of a share of time: `docker run --cpuset-cpus 0-3` rather "
          "than "
          "`--cpus`, or in Kubernetes equal whole requests and limits under the static CPU manager.",
          false};
}

Fitness sharing_fitness(const Machine& machine, const Environment& environment) {
  constexpr auto kRemedy =
      "Another tenant may take these cores at any time: compare only what was measured in one run, take more "
      "steps, and "
      "look at steal_ms of each case.";
  if (environment.virtual_machine) {
    const std::string sign = fact(environment, "virtualization").value_or("unknown hypervisor");
    return {"shared CPUs", fmt::format("a virtual machine ({})", sign), kRemedy, true};
  }
  if (machine.shared_cpus) return {"shared CPUs", "a cgroup with a CPU quota", kRemedy, true};
  return {"shared CPUs", "none seen", "", true};
}

Fitness memory_fitness(const Machine& machine) {
  if (machine.memory_available_bytes <= 0) return {"memory", kCannotBeRead, "", true};
  const std::string finding = fmt::format("{} available", format_bytes(machine.memory_available_bytes));
  if (machine.memory_available_bytes >= kLeastMemoryBytes) return {"memory", finding, "", true};
  return {
      "memory", finding,
      fmt::format(
          "Free memory, or raise the limit of the container, to at least {}: below it the kernel reclaims "
          "pages while samples are taken.",
          format_bytes(kLeastMemoryBytes)),
      false};
}

Fitness turbo_fitness(const Environment& environment) {
  const auto turbo = fact(environment, "turbo");
  if (!turbo) return {"turbo", kCannotBeRead, "", true};
  if (*turbo != "on") return {"turbo", *turbo, "", true};
  return {"turbo", "on: clocks depend on temperature and on how many cores are busy",
          "For the smallest spread switch it off (`echo 1 | sudo tee "
          "/sys/devices/system/cpu/intel_pstate/no_turbo`, or "
          "`echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost`); times get longer, and more alike.",
          true};
}

Fitness clock_fitness(const Environment& environment) {
  const auto source = fact(environment, "clock_source");
  if (!source) return {"clock source", kCannotBeRead, "", true};
  // Read through a system call and a slow device, about a microsecond each time, rather than in user space.
  for (std::string_view slow : {"hpet", "acpi_pm", "jiffies"}) {
    if (*source == slow) {
      return {"clock source", fmt::format("{}: each reading of the clock takes about a microsecond", *source),
              "See in `dmesg | grep -i clocksource` why the kernel gave up the tsc; `tsc=reliable` on the "
              "kernel's "
              "command line keeps it.",
              false};
    }
  }
  return {"clock source", *source, "", true};
}

}  // namespace

std::vector<Fitness> fitness_of(const Machine& machine, const Environment& environment) {
  std::vector<Fitness> findings{governor_fitness(environment),
                                load_fitness(machine, environment),
                                quota_fitness(machine, environment),
                                sharing_fitness(machine, environment),
                                memory_fitness(machine),
                                turbo_fitness(environment),
                                clock_fitness(environment)};
  for (Fitness& finding : fitness_of_gpus(environment.gpus)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace bench::machine
