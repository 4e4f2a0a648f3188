#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// One NVIDIA GPU as its driver describes it. Absent, empty or zero: could not be read.
struct Gpu {
  std::int64_t index = 0;                  // the driver's own count: PCI order, as nvidia-smi shows it
  std::optional<std::int64_t> cuda_index;  // the N of cuda:N; absent: hidden from CUDA, or not known which
  std::string name;                        // "NVIDIA H200"
  std::string uuid;                        // "GPU-..."
  std::string pci_bus_id;                  // "00000000:19:00.0"
  std::string driver_version;              // "580.159.03"
  std::string cuda_driver_version;         // the newest CUDA that the driver runs: "13.0"
  std::int64_t memory_total_bytes = 0;
  std::int64_t memory_free_bytes = 0;
  std::optional<double> power_limit_w;          // in force
  std::optional<double> power_limit_default_w;  // as the board is made
  std::optional<std::int64_t> sm_clock_max_mhz, memory_clock_max_mhz;
  std::optional<bool> ecc, mig, persistence;
  std::string compute_mode;  // "default", "exclusive process", "prohibited"
  std::optional<std::int64_t> temperature_c;
  // Of anyone but this program and its workers, and the memory of theirs that can be seen.
  std::optional<std::int64_t> other_processes, other_processes_bytes;
  std::vector<std::string> slowdowns;  // what holds the clocks down now: "thermal slowdown (hardware)"

  bool operator==(const Gpu&) const = default;
};

}  // namespace bench
