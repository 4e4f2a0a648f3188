#include <algorithm>
#include <utility>

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

Remark with_duration(RemarkCode code, RemarkValues values, std::optional<double> for_ns) {
  if (for_ns) values.emplace_back("for_ns", *for_ns);
  return remark(code, std::move(values));
}

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

  std::vector<std::pair<std::string, std::optional<double>>> slow;  // cause, for how many ns
  const auto slowed = [&](const std::string& cause, std::optional<double> for_ns) {
    const auto known = std::ranges::find(slow, cause, [](const auto& one) { return one.first; });
    if (known == slow.end())
      slow.emplace_back(cause, for_ns);
    else
      known->second = for_ns;
  };

  // What was on before the samples says nothing about them: an idle GPU cools down before they begin.
  const std::uint64_t reasons = reasons_between | after.clock_event_reasons.value_or(0);
  if (after.clock_event_reasons || reasons_between != 0)
    conditions.counters["gpu_clock_event_reasons"] = static_cast<double>(reasons);

  for (const std::string& name : slowdowns(reasons)) slowed(name, std::nullopt);
  for (const Cause& cause : kSlowdowns) {
    if (cause.counter == nullptr) continue;
    const auto grown_ns = growth(before, after, cause.counter);
    if (!grown_ns) continue;
    conditions.counters[cause.counter_name] = *grown_ns;
    if (*grown_ns > 0) slowed(cause.name, grown_ns);
  }
  if (const auto thermal_ns = growth(before, after, &GpuSnapshot::thermal_ns)) {
    conditions.counters["gpu_thermal_violation_ns"] = *thermal_ns;
    if (*thermal_ns > 0 && slow.empty()) slowed("thermal slowdown", thermal_ns);
  }
  for (const auto& [cause, for_ns] : slow)
    conditions.warnings.push_back(with_duration(RemarkCode::gpu_slowed, {{"cause", cause}}, for_ns));

  const auto capped_ns = growth(before, after, &GpuSnapshot::power_cap_ns);
  if (capped_ns) conditions.counters["gpu_power_violation_ns"] = *capped_ns;
  const bool was_capped = capped_ns.value_or(0) > 0;
  if (was_capped || (reasons & nvml::kReasonSoftwarePowerCap) != 0)
    conditions.notes.push_back(
        with_duration(RemarkCode::power_capped, {}, was_capped ? capped_ns : std::nullopt));

  if (before.other_processes || after.other_processes) {
    const std::int64_t others =
        std::max(before.other_processes.value_or(0), after.other_processes.value_or(0));
    conditions.counters["gpu_other_processes"] = static_cast<double>(others);
    if (others > 0) conditions.warnings.push_back(remark(RemarkCode::gpu_shared, {{"processes", others}}));
  }
  return conditions;
}

}  // namespace bench::machine
