#include "harness/machine/nvml.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/machine/cuda_visible.hpp"
#include "harness/machine/processes.hpp"

namespace bench::machine {
namespace {

template <typename Function, typename... Arguments>
bool call(const Function& function, Arguments... arguments) {
  return function && function(arguments...) == nvml::kSuccess;
}

// A function that fills one number.
template <typename Number, typename Function, typename... Arguments>
std::optional<std::int64_t> read(const Function& function, Arguments... arguments) {
  Number value = 0;
  if (!call(function, arguments..., &value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <typename Function, typename... Arguments>
std::string read_text(const Function& function, Arguments... arguments) {
  char text[128] = {};
  if (!call(function, arguments..., text, static_cast<unsigned>(sizeof text - 1))) return "";
  return printable(text);
}

template <typename Function>
std::optional<bool> read_current_mode(const Function& function, nvml::Device device) {
  unsigned current = 0, pending = 0;
  if (!call(function, device, &current, &pending)) return std::nullopt;
  return current != 0;
}

std::optional<double> as_watts(const std::optional<std::int64_t>& milliwatts) {
  return milliwatts ? std::optional(static_cast<double>(*milliwatts) / 1000) : std::nullopt;
}

std::string compute_mode_name(const std::optional<std::int64_t>& mode) {
  if (!mode) return "";
  switch (*mode) {  // nvmlComputeMode_t
    case 0:
      return "default";
    case 1:
      return "exclusive thread";
    case 2:
      return "prohibited";
    case 3:
      return "exclusive process";
    default:
      return fmt::format("mode {}", *mode);
  }
}

std::optional<std::int64_t> read_violation_ns(const nvml::Functions& nvml, nvml::Device device,
                                              unsigned policy) {
  nvml::ViolationTime violation{};
  if (!call(nvml.violation_status, device, policy, &violation)) return std::nullopt;
  return static_cast<std::int64_t>(violation.violation_time);
}

std::optional<std::int64_t> read_field(const nvml::Functions& nvml, nvml::Device device, unsigned field) {
  nvml::FieldValue value{};
  value.field = field;
  if (!call(nvml.field_values, device, 1, &value) || value.status != nvml::kSuccess) return std::nullopt;
  if (value.type != nvml::kUnsignedLongLong && value.type != nvml::kUnsignedLong) return std::nullopt;
  return static_cast<std::int64_t>(value.value);
}

// nullopt: the driver does not tell.
template <typename Function>
std::optional<std::vector<nvml::ProcessInfo>> list_processes(const Function& function, nvml::Device device) {
  if (!function) return std::nullopt;
  std::vector<nvml::ProcessInfo> processes(64);
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const nvml::Return status = function(device, &count, processes.data());
    if (status == nvml::kSuccess) {
      processes.resize(std::min<std::size_t>(count, processes.size()));
      return processes;
    }
    if (status != nvml::kInsufficientSize || count > 100'000) return std::nullopt;
    processes.resize(std::size_t{count} + 64);  // more may start before the next call
  }
  return std::nullopt;
}

std::string own_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Nvml::Nvml(const nvml::Functions& functions, std::function<std::set<std::int64_t>()> own_processes)
    : nvml_(functions), own_processes_(std::move(own_processes)), ready_(call(nvml_.init)) {}

Nvml::~Nvml() {
  if (ready_) call(nvml_.shutdown);
}

std::optional<nvml::Device> Nvml::device(std::int64_t index) const {
  nvml::Device handle = nullptr;
  if (!ready_ || index < 0 || !call(nvml_.device_by_index, static_cast<unsigned>(index), &handle))
    return std::nullopt;
  return handle;
}

// In another process namespace (a container) the driver's ids are not ours: then as many of the processes as
// we have workers are taken for our own.
void Nvml::read_processes(nvml::Device device, std::optional<std::int64_t>& others,
                          std::optional<std::int64_t>& bytes) const {
  std::map<unsigned, unsigned long long> memory_of;  // one may be listed under compute and graphics
  bool told = false;
  for (const auto* function : {&nvml_.compute_processes, &nvml_.graphics_processes}) {
    const auto processes = list_processes(*function, device);
    if (!processes) continue;
    told = true;
    for (const nvml::ProcessInfo& process : *processes) memory_of[process.pid] = process.used_bytes;
  }
  if (!told) return;

  const std::set<std::int64_t> own = own_processes_ ? own_processes_() : std::set<std::int64_t>{};
  const auto listed = memory_of.size();
  std::erase_if(memory_of, [&](const auto& process) { return own.contains(process.first); });
  auto count = static_cast<std::int64_t>(memory_of.size());
  const auto workers = static_cast<std::int64_t>(own.size()) - 1;  // bench itself uses no GPU
  const bool foreign_ids = memory_of.size() == listed && workers > 0;
  if (foreign_ids) count = std::max<std::int64_t>(0, count - workers);
  others = count;
  if (foreign_ids && count > 0) return;  // whose memory is whose is not known
  std::int64_t sum = 0;
  if (count > 0) {
    for (const auto& [pid, used] : memory_of)
      if (used != nvml::kNotAvailable) sum += static_cast<std::int64_t>(used);
  }
  bytes = sum;
}

Gpu Nvml::describe(nvml::Device device) const {
  Gpu gpu;
  gpu.name = read_text(nvml_.name, device);
  gpu.uuid = read_text(nvml_.uuid, device);
  nvml::PciInfo pci{};
  if (call(nvml_.pci_info, device, &pci)) {
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    gpu.pci_bus_id = printable(pci.bus_id);
  }
  gpu.driver_version = read_text(nvml_.driver_version);
  if (const auto version = read<int>(nvml_.cuda_driver_version))
    gpu.cuda_driver_version = fmt::format("{}.{}", *version / 1000, *version % 1000 / 10);
  nvml::Memory memory{};
  if (call(nvml_.memory_info, device, &memory)) {
    gpu.memory_total_bytes = static_cast<std::int64_t>(memory.total);
    gpu.memory_free_bytes = static_cast<std::int64_t>(memory.free);
  }
  gpu.power_limit_w = as_watts(read<unsigned>(nvml_.power_limit_mw, device));
  gpu.power_limit_default_w = as_watts(read<unsigned>(nvml_.power_limit_default_mw, device));
  gpu.sm_clock_max_mhz = read<unsigned>(nvml_.max_clock, device, nvml::kClockSm);
  gpu.memory_clock_max_mhz = read<unsigned>(nvml_.max_clock, device, nvml::kClockMemory);
  gpu.ecc = read_current_mode(nvml_.ecc_mode, device);
  gpu.mig = read_current_mode(nvml_.mig_mode, device);
  if (const auto mode = read<unsigned>(nvml_.persistence_mode, device)) gpu.persistence = *mode != 0;
  gpu.compute_mode = compute_mode_name(read<unsigned>(nvml_.compute_mode, device));
  gpu.temperature_c = read<unsigned>(nvml_.temperature, device, nvml::kTemperatureGpu);
  read_processes(device, gpu.other_processes, gpu.other_processes_bytes);
  if (const auto reasons = read<unsigned long long>(nvml_.clock_event_reasons, device))
    gpu.slowdowns = slowdowns(static_cast<std::uint64_t>(*reasons));
  return gpu;
}

std::vector<Gpu> Nvml::gpus() const {
  std::vector<Gpu> all;
  const auto count = ready_ ? read<unsigned>(nvml_.device_count) : std::nullopt;
  for (std::int64_t index = 0; index < count.value_or(0) && index < 1024; ++index) {
    const auto handle = device(index);
    if (!handle) continue;  // lost, or not for this user
    all.push_back(describe(*handle));
    all.back().index = index;
  }
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  number_for_cuda(all, visible == nullptr ? std::nullopt : std::optional<std::string>(visible),
                  own_variable("CUDA_DEVICE_ORDER"));
  return all;
}

std::optional<std::uint64_t> Nvml::clock_event_reasons(std::int64_t index) const {
  const auto handle = device(index);
  if (!handle) return std::nullopt;
  const auto reasons = read<unsigned long long>(nvml_.clock_event_reasons, *handle);
  return reasons ? std::optional(static_cast<std::uint64_t>(*reasons)) : std::nullopt;
}

GpuSnapshot Nvml::snapshot(std::int64_t index) const {
  GpuSnapshot now;
  const auto handle = device(index);
  if (!handle) return now;
  // What changes as soon as the GPU falls idle comes first.
  now.clock_event_reasons = clock_event_reasons(index);
  now.sm_clock_mhz = read<unsigned>(nvml_.clock, *handle, nvml::kClockSm);
  now.memory_clock_mhz = read<unsigned>(nvml_.clock, *handle, nvml::kClockMemory);
  now.energy_mj = read<unsigned long long>(nvml_.total_energy_mj, *handle);
  now.power_cap_ns = read_violation_ns(nvml_, *handle, nvml::kPerfPolicyPower);
  now.thermal_ns = read_violation_ns(nvml_, *handle, nvml::kPerfPolicyThermal);
  now.software_thermal_ns = read_field(nvml_, *handle, nvml::kFieldSoftwareThermal);
  now.hardware_thermal_ns = read_field(nvml_, *handle, nvml::kFieldHardwareThermal);
  now.power_brake_ns = read_field(nvml_, *handle, nvml::kFieldPowerBrake);
  now.temperature_c = read<unsigned>(nvml_.temperature, *handle, nvml::kTemperatureGpu);
  read_processes(*handle, now.other_processes, now.other_processes_bytes);
  return now;
}

const Nvml& this_nvml() {
  static const Nvml nvml(nvml::installed(), [] { return descendants_of(getpid()); });
  return nvml;
}

}  // namespace bench::machine
