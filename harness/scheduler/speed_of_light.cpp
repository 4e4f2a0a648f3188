#include "harness/scheduler/speed_of_light.hpp"

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/machine/peaks.hpp"

namespace bench::scheduler {

SpeedOfLight speed_of_light(const std::string& gpu_name, const std::string& arithmetic) {
  if (gpu_name.empty() || arithmetic.empty()) return {};
  const machine::Peaks* const peaks = machine::find_peaks(gpu_name);
  if (peaks == nullptr)
    return {std::nullopt, fmt::format("no MFU: the peak of {} is unknown here", gpu_name)};
  const std::optional<double> peak = machine::peak_flop_per_s(*peaks, arithmetic);
  if (!peak)
    return {std::nullopt, fmt::format("no MFU: the peak of {} in {} is unknown here", gpu_name, arithmetic)};
  return {peak, fmt::format("MFU: model FLOP/s over {} TFLOP/s, the dense {} peak of {}; source: {}",
                            format_significant(*peak / 1e12, 4), arithmetic, gpu_name, peaks->source)};
}

bool refuse_faster_than_light(CaseResult& result) {
  const Summary* mfu = find_summary(result, "mfu");
  if (result.status != Status::ok || mfu == nullptr || mfu->value <= 100) return false;
  result.status = Status::incorrect;
  result.reason = fmt::format(
      "speed of light: {} TFLOP in {} would be {}% of what this GPU can do: FLOP formula or timer wrong",
      format_significant(result.work.flop() / 1e12), format_duration_ns(headline_time(result)->value),
      format_significant(mfu->value));
  result.samples.clear();
  result.first_step_ns.reset();
  return true;
}

}  // namespace bench::scheduler
