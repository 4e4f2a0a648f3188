#include "harness/machine/nvml_functions.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace bench::machine::nvml {
namespace {

// The second path is where Google's container images and some sandboxes mount the driver, which the loader
// does not search there.
void* open_library() {
  for (const char* const path : {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
                                 "/usr/lib/wsl/lib/libnvidia-ml.so.1"}) {
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

// The first of `names` that the library has.
template <typename... Arguments>
void bind(std::function<Return(Arguments...)>& function, void* library,
          std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (void* const symbol = dlsym(library, name)) {
      function = reinterpret_cast<Return (*)(Arguments...)>(symbol);
      return;
    }
  }
}

Functions open_functions() {
  Functions f;
  void* const library = open_library();
  if (library == nullptr) return f;
  bind(f.init, library, {"nvmlInit_v2", "nvmlInit"});
  bind(f.shutdown, library, {"nvmlShutdown"});
  bind(f.driver_version, library, {"nvmlSystemGetDriverVersion"});
  bind(f.cuda_driver_version, library,
       {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  bind(f.device_count, library, {"nvmlDeviceGetCount_v2"});
  bind(f.device_by_index, library, {"nvmlDeviceGetHandleByIndex_v2"});
  bind(f.name, library, {"nvmlDeviceGetName"});
  bind(f.uuid, library, {"nvmlDeviceGetUUID"});
  bind(f.pci_info, library, {"nvmlDeviceGetPciInfo_v3"});  // others have another layout
  bind(f.memory_info, library, {"nvmlDeviceGetMemoryInfo"});
  bind(f.power_limit_mw, library, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
  bind(f.power_limit_default_mw, library, {"nvmlDeviceGetPowerManagementDefaultLimit"});
  bind(f.max_clock, library, {"nvmlDeviceGetMaxClockInfo"});
  bind(f.clock, library, {"nvmlDeviceGetClockInfo"});
  bind(f.ecc_mode, library, {"nvmlDeviceGetEccMode"});
  bind(f.mig_mode, library, {"nvmlDeviceGetMigMode"});
  bind(f.persistence_mode, library, {"nvmlDeviceGetPersistenceMode"});
  bind(f.compute_mode, library, {"nvmlDeviceGetComputeMode"});
  bind(f.temperature, library, {"nvmlDeviceGetTemperature"});
  // Without a suffix they fill a smaller struct.
  bind(f.compute_processes, library,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  bind(f.graphics_processes, library,
       {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  bind(f.clock_event_reasons, library,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  bind(f.total_energy_mj, library, {"nvmlDeviceGetTotalEnergyConsumption"});
  bind(f.violation_status, library, {"nvmlDeviceGetViolationStatus"});
  bind(f.field_values, library, {"nvmlDeviceGetFieldValues"});
  return f;
}

}  // namespace

const Functions& installed() {
  static const Functions functions = open_functions();
  return functions;
}

}  // namespace bench::machine::nvml
