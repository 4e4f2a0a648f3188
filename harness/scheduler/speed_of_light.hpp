#pragma once

#include <optional>
#include <string>

#include "harness/core/result.hpp"

namespace bench::scheduler {

// What the datasheet says of the GPU that a case ran on, for the arithmetic that it used.
struct SpeedOfLight {
  std::optional<double> flop_per_s;  // absent: unknown, or not on a GPU
  std::optional<Remark> note;        // the figure and its source, or why there is none; absent on the CPU
};

// `gpu_name` as the driver gives it, empty on the CPU; `arithmetic` as the workload states it (fp32, tf32,
// bf16, ...), empty where it states none.
SpeedOfLight speed_of_light(const std::string& gpu_name, const std::string& arithmetic);

// A case that is faster than light is wrong about its work or its time: it becomes `incorrect` and loses its
// samples. `result` has its summaries, the metric mfu among them. True if it was.
bool refuse_faster_than_light(CaseResult& result);

}  // namespace bench::scheduler
