#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/gpu.hpp"
#include "harness/core/remark.hpp"
#include "harness/machine/nvml_functions.hpp"

namespace bench::machine {

// The state of one GPU at one moment. Absent: could not be read.
struct GpuSnapshot {
  std::optional<std::int64_t> sm_clock_mhz, memory_clock_mhz, temperature_c;
  std::optional<std::uint64_t> clock_event_reasons;  // bits kReason... of nvml_functions.hpp, of this moment
  // Since the driver was loaded. The ns are those in which clocks were held down for that cause.
  std::optional<std::int64_t> energy_mj, power_cap_ns, thermal_ns;
  std::optional<std::int64_t> software_thermal_ns, hardware_thermal_ns, power_brake_ns;  // drivers since 560
  std::optional<std::int64_t> other_processes, other_processes_bytes;

  bool operator==(const GpuSnapshot&) const = default;
};

// What the samples between two snapshots ran under.
struct GpuConditions {
  std::map<std::string, double> counters;  // gpu_energy_j, gpu_thermal_ns, gpu_sm_clock_before_mhz, ...
  std::vector<Remark> warnings;            // thermal, hardware and power-brake slowdown; other processes
  std::vector<Remark> notes;               // a power cap
};

// What NVIDIA's driver says of the GPUs, by the library that nvidia-smi uses. Nothing here throws; without a
// driver there are no GPUs.
class Nvml {
 public:
  // `own_processes` tells which processes are this program and its descendants.
  explicit Nvml(const nvml::Functions& functions, std::function<std::set<std::int64_t>()> own_processes);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // In the driver's order; cuda_index as CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER leave it.
  std::vector<Gpu> gpus() const;
  // `index`: of Gpu::index. All absent for one that is not there. Reads /proc too, to know whose processes
  // are whose.
  GpuSnapshot snapshot(std::int64_t index) const;
  // Only what holds the clocks down at this moment: cheap enough for between samples.
  std::optional<std::uint64_t> clock_event_reasons(std::int64_t index) const;

 private:
  std::optional<nvml::Device> device(std::int64_t index) const;
  Gpu describe(nvml::Device device) const;
  void read_processes(nvml::Device device, std::optional<std::int64_t>& others,
                      std::optional<std::int64_t>& bytes) const;

  const nvml::Functions& nvml_;
  std::function<std::set<std::int64_t>()> own_processes_;
  bool ready_ = false;
};

// This machine's, opened on the first call.
const Nvml& this_nvml();

// `reasons_between`: the bits seen at any moment in between.
GpuConditions difference(const GpuSnapshot& before, const GpuSnapshot& after, std::uint64_t reasons_between);

// "thermal slowdown (hardware)", ...: the bits that mean that clocks are held down.
std::vector<std::string> slowdowns(std::uint64_t clock_event_reasons);

}  // namespace bench::machine
