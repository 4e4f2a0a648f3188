#include "reports/machine_text.hpp"

#include <vector>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::reports {
namespace {

// The GPU that the run used, for a machine line: {"NVIDIA H200", "140 GiB", "driver 580.159.03"}.
std::vector<std::string> gpu_parts(const Document& document) {
  const Gpu* used = used_gpu(document.environment, document.run.device);
  if (used == nullptr) return {};
  std::vector<std::string> parts{used->name};
  if (used->memory_total_bytes > 0) parts.push_back(format_bytes(used->memory_total_bytes));
  if (!used->driver_version.empty()) parts.push_back("driver " + used->driver_version);
  if (used->power_limit_w && used->power_limit_default_w &&
      *used->power_limit_w < *used->power_limit_default_w)
    parts.push_back(
        fmt::format("limited to {:.0f} of {:.0f} W", *used->power_limit_w, *used->power_limit_default_w));
  return parts;
}

}  // namespace

std::string date_text(const std::string& utc) {
  if (utc.size() != 20 || utc[10] != 'T' || utc[19] != 'Z') return utc;
  return utc.substr(0, 10) + " " + utc.substr(11, 5) + " UTC";
}

std::string machine_line(const Document& document) {
  const Environment& environment = document.environment;
  std::vector<std::string> parts = gpu_parts(document);
  if (!environment.cpu_model.empty()) parts.push_back(environment.cpu_model);
  if (environment.cpus_online > 0) {
    parts.push_back(environment.cpus_allowed == environment.cpus_online
                        ? fmt::format("{} CPUs", environment.cpus_online)
                        : fmt::format("{} of {} CPUs", environment.cpus_allowed, environment.cpus_online));
  }
  if (environment.virtual_machine) parts.emplace_back("virtual machine");
  if (environment.memory_total_bytes > 0) {
    parts.push_back(format_bytes(environment.memory_total_bytes) + " memory");
  }
  if (!environment.host_os.empty()) parts.push_back(environment.host_os);
  for (const auto& [name, version] : environment.libraries) parts.push_back(name + " " + version);
  return join(parts, ", ");
}

}  // namespace bench::reports
