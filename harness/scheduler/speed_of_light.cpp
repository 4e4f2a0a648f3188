#include "harness/scheduler/speed_of_light.hpp"

#include "harness/machine/peaks.hpp"

namespace bench::scheduler {

SpeedOfLight speed_of_light(const std::string& gpu_name, const std::string& arithmetic) {
  if (gpu_name.empty() || arithmetic.empty()) return {};
  const machine::Peaks* const peaks = machine::find_peaks(gpu_name);
  if (peaks == nullptr) return {std::nullopt, remark(RemarkCode::no_mfu, {{"gpu", gpu_name}})};
  const std::optional<double> peak = machine::peak_flop_per_s(*peaks, arithmetic);
  if (!peak)
    return {std::nullopt, remark(RemarkCode::no_mfu, {{"gpu", gpu_name}, {"arithmetic", arithmetic}})};
  return {peak, remark(RemarkCode::mfu_peak, {{"peak_tflops", *peak / 1e12},
                                              {"arithmetic", arithmetic},
                                              {"gpu", gpu_name},
                                              {"source", std::string(peaks->source)}})};
}

bool refuse_faster_than_light(CaseResult& result) {
  const Summary* mfu = find_summary(result, "mfu");
  if (result.status != Status::ok || mfu == nullptr || mfu->value <= 100) return false;
  result.status = Status::incorrect;
  result.reason = remark(RemarkCode::faster_than_light, {{"tflop", result.work.flop() / 1e12},
                                                         {"step_ns", headline_time(result)->value},
                                                         {"mfu_percent", mfu->value}});
  result.samples.clear();
  result.first_step_ns.reset();
  return true;
}

}  // namespace bench::scheduler
