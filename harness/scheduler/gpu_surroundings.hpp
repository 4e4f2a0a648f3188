#pragma once

#include <cstdint>

#include "harness/machine/nvml.hpp"
#include "harness/scheduler/surroundings.hpp"

namespace bench::scheduler {

// Clocks, slowdowns, energy and neighbours of one GPU.
class GpuSurroundings final : public Surroundings {
 public:
  // `index`: Gpu::index, the driver's own. `nvml` must outlive it.
  GpuSurroundings(const machine::Nvml& nvml, std::int64_t index) : nvml_(nvml), index_(index) {}

  void before_samples() override;
  void between_samples() override;
  Observed after_samples() override;

 private:
  const machine::Nvml& nvml_;
  std::int64_t index_;
  machine::GpuSnapshot before_;
  std::uint64_t reasons_ = 0;
};

}  // namespace bench::scheduler
