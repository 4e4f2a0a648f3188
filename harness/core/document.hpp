#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/gpu.hpp"
#include "harness/core/result.hpp"

namespace bench {

inline constexpr int kSchemaVersion = 2;  // raised when a reader of the JSON must change
inline constexpr int kMethodVersion =
    1;  // raised when the way of measuring changes: older times do not compare

struct RunInfo {
  std::vector<std::string> argv;
  std::string workload;
  std::string measured_by;  // the program from whose file this was read; empty: bench
  std::string label;
  std::uint64_t seed = 0;
  std::string git_commit;  // of the working directory, with "-dirty"; empty outside a repository
  std::map<std::string, std::string> build_ids;  // program name -> id
  std::string device;                            // "cpu", "cuda:0"
  std::string begin_utc, end_utc;                // 2026-11-30T13:53:57Z
  std::int64_t planned_cases = 0;
  bool complete = false;

  bool operator==(const RunInfo&) const = default;
};

// What this machine is. Names and values only that were read here; an unknown one is absent.
struct Environment {
  std::string host_os;  // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
  std::string cpu_model;
  std::int64_t cpus_online = 0;
  std::int64_t cpus_allowed = 0;  // affinity and cgroup quota included
  bool virtual_machine = false;
  std::int64_t memory_total_bytes = 0;
  std::int64_t memory_available_bytes = 0;
  std::map<std::string, std::string>
      libraries;  // torch, mkl, ... as the worker reported them; atcpu: instruction set
  std::map<std::string, std::string> variables;  // allow-listed environment variables only
  std::map<std::string, std::string>
      facts;              // further single facts: governor, load average, cgroup limit, boost
  std::vector<Gpu> gpus;  // all that the driver shows; the one that was used has run.device's number

  bool operator==(const Environment&) const = default;
};

// What bench set for the workers before their libraries loaded. Compared for equality between documents.
using Conditions = std::map<std::string, std::string>;

struct Document {
  int method_version = kMethodVersion;
  RunInfo run;
  Environment environment;
  Conditions conditions;
  std::vector<CaseResult> cases;

  bool operator==(const Document&) const = default;
};

// The GPU that `device` (RunInfo::device) is. nullptr: it is the CPU, or it is not known which GPU.
const Gpu* used_gpu(const Environment& environment, std::string_view device);

}  // namespace bench
