#include <algorithm>

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/machine/nvml.hpp"

namespace bench::machine {
namespace {

using Counter = std::optional<std::int64_t> GpuSnapshot::*;

// ns by which a counter grew; nullopt where either side could not read it. Never negative: a reset GPU begins
// anew.
std::optional<double> growth(const GpuSnapshot& before, const GpuSnapshot& after, Counter counter) {
  if (!(before.*counter) || !(after.*counter)) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, *(after.*counter) - *(before.*counter)));
}

struct Cause {
  const char* counter_name;
  Counter counter;
  std::uint64_t bit;
  const char* name;
};

constexpr Cause kSlowdowns[] = {
    {"gpu_hardware_thermal_ns", &GpuSnapshot::hardware_thermal_ns, nvml::kReasonHardwareThermal,
     "thermal slowdown (hardware)"},
    {"gpu_software_thermal_ns", &GpuSnapshot::software_thermal_ns, nvml::kReasonSoftwareThermal,
     "thermal slowdown (software)"},
    {"gpu_power_brake_ns", &GpuSnapshot::power_brake_ns, nvml::kReasonPowerBrake,
     "power brake from outside the board"},
    {"gpu_hardware_slowdown_ns", nullptr, nvml::kReasonHardwareSlowdown, "hardware slowdown"},
};

}  // namespace

std::vector<std::string> slowdowns(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const Cause& cause : kSlowdowns) {
    // The hardware's thermal slowdown and the power brake set the general bit too.
    if (cause.bit == nvml::kReasonHardwareSlowdown && !names.empty()) continue;
    if ((reasons & cause.bit) != 0) names.emplace_back(cause.name);
  }
  return names;
}

GpuConditions difference(const GpuSnapshot& before, const GpuSnapshot& after, std::uint64_t reasons_between) {
  GpuConditions conditions;
  const auto add = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) conditions.counters[name] = static_cast<double>(*value);
  };
  add("gpu_sm_clock_before_mhz", before.sm_clock_mhz);
  add("gpu_sm_clock_after_mhz", after.sm_clock_mhz);
  add("gpu_memory_clock_before_mhz", before.memory_clock_mhz);
  add("gpu_memory_clock_after_mhz", after.memory_clock_mhz);
  add("gpu_temperature_before_c", before.temperature_c);
  add("gpu_temperature_after_c", after.temperature_c);
  if (const auto millijoules = growth(before, after, &GpuSnapshot::energy_mj))
    conditions.counters["gpu_energy_j"] = *millijoules / 1000;

  // What was on before the samples says nothing about them: an idle GPU cools down before they begin.
  const std::uint64_t reasons = reasons_between | after.clock_event_reasons.value_or(0);
  if (after.clock_event_reasons || reasons_between != 0)
    conditions.counters["gpu_clock_event_reasons"] = static_cast<double>(reasons);

  std::vector<std::string> slow = slowdowns(reasons);
  for (const Cause& cause : kSlowdowns) {
    if (cause.counter == nullptr) continue;
    const auto grown_ns = growth(before, after, cause.counter);
    if (!grown_ns) continue;
    conditions.counters[cause.counter_name] = *grown_ns;
    if (*grown_ns <= 0) continue;
    const std::string timed = fmt::format("{} for {}", cause.name, format_duration_ns(*grown_ns));
    const auto known = std::find(slow.begin(), slow.end(), cause.name);
    if (known == slow.end())
      slow.push_back(timed);
    else
      *known = timed;
  }
  if (const auto thermal_ns = growth(before, after, &GpuSnapshot::thermal_ns)) {
    conditions.counters["gpu_thermal_violation_ns"] = *thermal_ns;
    if (*thermal_ns > 0 && slow.empty())
      slow.push_back("thermal slowdown for " + format_duration_ns(*thermal_ns));
  }
  for (const std::string& what : slow)
    conditions.warnings.push_back(fmt::format(
        "the GPU was held down during the samples: {}; `nvidia-smi -q -d PERFORMANCE` says more", what));

  const auto capped_ns = growth(before, after, &GpuSnapshot::power_cap_ns);
  if (capped_ns) conditions.counters["gpu_power_violation_ns"] = *capped_ns;
  if (capped_ns.value_or(0) > 0)
    conditions.notes.push_back(fmt::format("the power limit held the GPU's clocks down for {} of the samples",
                                           format_duration_ns(*capped_ns)));
  else if ((reasons & nvml::kReasonSoftwarePowerCap) != 0)
    conditions.notes.emplace_back("the power limit held the GPU's clocks down during the samples");

  if (before.other_processes || after.other_processes) {
    const std::int64_t others =
        std::max(before.other_processes.value_or(0), after.other_processes.value_or(0));
    conditions.counters["gpu_other_processes"] = static_cast<double>(others);
    if (others > 0)
      conditions.warnings.push_back(
          fmt::format("{} other process{} used the GPU during the samples; `nvidia-smi` shows them", others,
                      others == 1 ? "" : "es"));
  }
  return conditions;
}

}  // namespace bench::machine
