#include "harness/scheduler/gpu_surroundings.hpp"

#include <utility>

namespace bench::scheduler {

void GpuSurroundings::before_samples() {
  reasons_ = 0;
  before_ = nvml_.snapshot(index_);
}

void GpuSurroundings::between_samples() {
  reasons_ |= nvml_.clock_event_reasons(index_).value_or(0);
}

Observed GpuSurroundings::after_samples() {
  machine::GpuConditions seen = machine::difference(before_, nvml_.snapshot(index_), reasons_);
  return {.counters = std::move(seen.counters),
          .warnings = std::move(seen.warnings),
          .notes = std::move(seen.notes)};
}

}  // namespace bench::scheduler
