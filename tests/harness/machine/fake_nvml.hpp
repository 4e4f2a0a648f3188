#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "harness/machine/nvml_functions.hpp"

namespace bench::machine {

// NVIDIA's management library of a made-up machine: tests set what its GPUs say.
struct FakeNvml {
  struct Device {
    std::string name = "NVIDIA H200";
    std::string uuid = "GPU-0a";
    unsigned long long total_bytes = 150'754'820'096, free_bytes = 150'000'000'000;
    unsigned limit_mw = 700'000, default_limit_mw = 700'000;
    unsigned sm_mhz = 1980, memory_mhz = 3201, celsius = 31;
    unsigned ecc = 1, mig = 0, persistence = 1, compute_mode = 0;
    std::vector<nvml::ProcessInfo> compute, graphics;
    unsigned long long reasons = 0, energy_mj = 1000;
    unsigned long long power_ns = 0, thermal_ns = 0;                                          // violations
    unsigned long long software_thermal_ns = 0, hardware_thermal_ns = 0, power_brake_ns = 0;  // fields
  };

  std::vector<Device> devices = std::vector<Device>(1);
  int initialised = 0;
  nvml::Functions functions;

  FakeNvml() {
    using nvml::kSuccess;
    constexpr nvml::Return kInvalidArgument = 2, kNotSupported = 3;
    functions.init = [this] { return ++initialised, kSuccess; };
    functions.shutdown = [this] { return --initialised, kSuccess; };
    functions.driver_version = [](char* text, unsigned size) { return put("580.159.03", text, size); };
    functions.cuda_driver_version = [](int* version) { return *version = 13'000, kSuccess; };
    functions.device_count = [this](unsigned* count) {
      return *count = static_cast<unsigned>(devices.size()), kSuccess;
    };
    functions.device_by_index = [this](unsigned index, nvml::Device* device) {
      if (index >= devices.size()) return kInvalidArgument;
      *device = &devices[index];
      return kSuccess;
    };
    functions.name = [](nvml::Device d, char* text, unsigned size) { return put(of(d).name, text, size); };
    functions.uuid = [](nvml::Device d, char* text, unsigned size) { return put(of(d).uuid, text, size); };
    functions.pci_info = [](nvml::Device, nvml::PciInfo* pci) {
      return put("00000000:19:00.0", pci->bus_id, sizeof pci->bus_id);
    };
    functions.memory_info = [](nvml::Device d, nvml::Memory* memory) {
      *memory = {of(d).total_bytes, of(d).free_bytes, of(d).total_bytes - of(d).free_bytes};
      return kSuccess;
    };
    functions.power_limit_mw = number<unsigned>(&Device::limit_mw);
    functions.power_limit_default_mw = number<unsigned>(&Device::default_limit_mw);
    functions.clock = functions.max_clock = [](nvml::Device d, unsigned clock, unsigned* mhz) {
      *mhz = clock == nvml::kClockSm ? of(d).sm_mhz : of(d).memory_mhz;
      return kSuccess;
    };
    functions.ecc_mode = [](nvml::Device d, unsigned* current, unsigned* pending) {
      *pending = 1 - of(d).ecc;
      return *current = of(d).ecc, kSuccess;
    };
    functions.mig_mode = [](nvml::Device d, unsigned* current, unsigned* pending) {
      *pending = 0;
      return *current = of(d).mig, kSuccess;
    };
    functions.persistence_mode = number<unsigned>(&Device::persistence);
    functions.compute_mode = number<unsigned>(&Device::compute_mode);
    functions.temperature = [](nvml::Device d, unsigned, unsigned* celsius) {
      return *celsius = of(d).celsius, kSuccess;
    };
    functions.compute_processes = [](nvml::Device d, unsigned* count, nvml::ProcessInfo* out) {
      return list(of(d).compute, count, out);
    };
    functions.graphics_processes = [](nvml::Device d, unsigned* count, nvml::ProcessInfo* out) {
      return list(of(d).graphics, count, out);
    };
    functions.clock_event_reasons = number<unsigned long long>(&Device::reasons);
    functions.total_energy_mj = number<unsigned long long>(&Device::energy_mj);
    functions.violation_status = [](nvml::Device d, unsigned policy, nvml::ViolationTime* violation) {
      violation->violation_time = policy == nvml::kPerfPolicyPower ? of(d).power_ns : of(d).thermal_ns;
      return kSuccess;
    };
    functions.field_values = [](nvml::Device d, int count, nvml::FieldValue* fields) {
      for (int i = 0; i < count; ++i) {
        fields[i].type = nvml::kUnsignedLongLong;
        fields[i].status = kSuccess;
        switch (fields[i].field) {
          case nvml::kFieldSoftwareThermal:
            fields[i].value = of(d).software_thermal_ns;
            break;
          case nvml::kFieldHardwareThermal:
            fields[i].value = of(d).hardware_thermal_ns;
            break;
          case nvml::kFieldPowerBrake:
            fields[i].value = of(d).power_brake_ns;
            break;
          default:
            fields[i].status = kNotSupported;
        }
      }
      return kSuccess;
    };
  }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

 private:
  static Device& of(nvml::Device device) { return *static_cast<Device*>(device); }

  static nvml::Return put(const std::string& value, char* text, std::size_t size) {
    std::snprintf(text, size, "%s", value.c_str());
    return nvml::kSuccess;
  }

  template <typename Number>
  static std::function<nvml::Return(nvml::Device, Number*)> number(Number Device::*member) {
    return [member](nvml::Device d, Number* value) { return *value = of(d).*member, nvml::kSuccess; };
  }

  static nvml::Return list(const std::vector<nvml::ProcessInfo>& processes, unsigned* count,
                           nvml::ProcessInfo* out) {
    const unsigned room = *count;
    *count = static_cast<unsigned>(processes.size());
    if (processes.size() > room) return nvml::kInsufficientSize;
    for (std::size_t i = 0; i < processes.size(); ++i) out[i] = processes[i];
    return nvml::kSuccess;
  }
};

}  // namespace bench::machine
