#pragma once

#include <cstdint>
#include <functional>

// The part of NVIDIA's management library that bench calls, declared by ourselves: its header comes with the
// CUDA toolkit, which neither a build nor a run of bench needs. The driver keeps these layouts and numbers
// for good, and gives a changed function a new name (_v2, _v3).
// https://docs.nvidia.com/deploy/nvml-api/
namespace bench::machine::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kInsufficientSize = 7;

using Device = void*;

struct PciInfo {  // nvmlPciInfo_t
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total, free, used;
};

struct ViolationTime {                // nvmlViolationTime_t
  unsigned long long reference_us;    // since 1970
  unsigned long long violation_time;  // ns
};

struct ProcessInfo {  // nvmlProcessInfo_v2_t, which the functions of version 2 and 3 fill
  unsigned pid;
  unsigned long long used_bytes;  // kNotAvailable where the driver does not tell
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct FieldValue {  // nvmlFieldValue_t
  unsigned field, scope;
  long long timestamp_us, latency_us;
  unsigned type;  // nvmlValueType_t; the counters below are kUnsignedLongLong
  Return status;
  unsigned long long value;
};
static_assert(sizeof(FieldValue) == 40);
inline constexpr unsigned kUnsignedLong = 2, kUnsignedLongLong = 3;
// Cumulative ns.
inline constexpr unsigned kFieldSoftwareThermal = 251, kFieldHardwareThermal = 252, kFieldPowerBrake = 253;

inline constexpr unsigned kClockSm = 1, kClockMemory = 2;                // nvmlClockType_t
inline constexpr unsigned kTemperatureGpu = 0;                           // nvmlTemperatureSensors_t
inline constexpr unsigned kPerfPolicyPower = 0, kPerfPolicyThermal = 1;  // nvmlPerfPolicyType_t

// nvmlClocksEventReason..., until driver 535 nvmlClocksThrottleReason...
inline constexpr std::uint64_t kReasonSoftwarePowerCap = 0x4, kReasonHardwareSlowdown = 0x8,
                               kReasonSoftwareThermal = 0x20, kReasonHardwareThermal = 0x40,
                               kReasonPowerBrake = 0x80;

// Every one may be empty: an older driver lacks it. Tests put functions of their own here.
struct Functions {
  std::function<Return()> init, shutdown;
  std::function<Return(char*, unsigned)> driver_version;
  std::function<Return(int*)> cuda_driver_version;  // 1000 * major + 10 * minor
  std::function<Return(unsigned*)> device_count;
  std::function<Return(unsigned, Device*)> device_by_index;
  std::function<Return(Device, char*, unsigned)> name, uuid;
  std::function<Return(Device, PciInfo*)> pci_info;
  std::function<Return(Device, Memory*)> memory_info;
  std::function<Return(Device, unsigned*)> power_limit_mw, power_limit_default_mw;
  std::function<Return(Device, unsigned clock, unsigned*mhz)> max_clock, clock;
  std::function<Return(Device, unsigned*current, unsigned*pending)> ecc_mode, mig_mode;
  std::function<Return(Device, unsigned*)> persistence_mode, compute_mode;
  std::function<Return(Device, unsigned sensor, unsigned* celsius)> temperature;
  std::function<Return(Device, unsigned*count, ProcessInfo*)> compute_processes, graphics_processes;
  std::function<Return(Device, unsigned long long*)> clock_event_reasons, total_energy_mj;
  std::function<Return(Device, unsigned policy, ViolationTime*)> violation_status;
  std::function<Return(Device, int count, FieldValue*)> field_values;
};

// The installed driver's, opened on the first call and never closed. Without a driver all are empty.
const Functions& installed();

}  // namespace bench::machine::nvml
