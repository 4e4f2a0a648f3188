#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/machine/fitness.hpp"
#include "harness/machine/machine.hpp"
#include "harness/protocol/json.hpp"

namespace bench::cli {
namespace {

void line(std::string& text, const std::string& name, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<28} {}\n", name, printable(value));
}

// "NVIDIA H200, 140 GiB, driver 580.159.03 (CUDA 13.0), 00000000:19:00.0, 700 W, 31 °C"
std::string describe(const Gpu& gpu) {
  std::vector<std::string> parts{gpu.name};
  const auto add = [&](bool known, const std::string& part) {
    if (known) parts.push_back(part);
  };
  add(gpu.memory_total_bytes > 0, format_bytes(gpu.memory_total_bytes));
  add(!gpu.driver_version.empty(),
      fmt::format("driver {} (CUDA {})", gpu.driver_version, gpu.cuda_driver_version));
  add(!gpu.pci_bus_id.empty(), gpu.pci_bus_id);
  add(gpu.sm_clock_max_mhz.has_value(), fmt::format("up to {} MHz", gpu.sm_clock_max_mhz.value_or(0)));
  add(gpu.power_limit_w.has_value(), fmt::format("{:.0f} W", gpu.power_limit_w.value_or(0)));
  add(gpu.temperature_c.has_value(), fmt::format("{} °C", gpu.temperature_c.value_or(0)));
  add(!gpu.compute_mode.empty() && gpu.compute_mode != "default", "compute mode " + gpu.compute_mode);
  return join(parts, ", ");
}

std::string as_text(const machine::Machine& machine, const Environment& environment,
                    const std::vector<machine::Fitness>& findings) {
  std::string text = "This machine\n";
  line(text, "system", environment.host_os);
  line(text, "CPU", environment.cpu_model);
  line(text, "cores",
       fmt::format("{} online, {} usable here", environment.cpus_online, environment.cpus_allowed));
  line(text, "virtual machine", environment.virtual_machine ? "yes" : "no sign of one");
  line(text, "memory",
       fmt::format("{}, {} available", format_bytes(environment.memory_total_bytes),
                   format_bytes(environment.memory_available_bytes)));
  line(text, "NVIDIA GPUs",
       machine.nvidia_devices == 0 ? "none with a driver" : fmt::format("{}", machine.nvidia_devices));
  for (const Gpu& gpu : environment.gpus)
    line(text,
         gpu.cuda_index ? fmt::format("cuda:{}", *gpu.cuda_index)
                        : fmt::format("GPU {}, not cuda:N", gpu.index),
         describe(gpu));
  for (const auto& [name, value] : environment.facts) {
    const auto bytes = name.ends_with("_bytes") ? number_from<std::int64_t>(value) : std::nullopt;
    line(text, name.substr(0, bytes ? name.rfind("_bytes") : name.npos),
         bytes ? format_bytes(*bytes) : value);
  }
  if (!environment.variables.empty()) text += "\nEnvironment variables that matter\n";
  for (const auto& [name, value] : environment.variables) line(text, name, value);
  text += "\nFit for measuring\n";
  for (const machine::Fitness& finding : findings) {
    const char* const verdict = !finding.fit                                ? "unfit"
                                : finding.finding == machine::kCannotBeRead ? "?"
                                : finding.remedy.empty()                    ? "fit"
                                                                            : "note";
    text += fmt::format("  {:<6}{:<20}{}{}\n", verdict, finding.subject, printable(finding.finding),
                        finding.remedy.empty() ? "" : ". " + finding.remedy);
  }
  return text;
}

std::string as_json(const Environment& environment, const std::vector<machine::Fitness>& findings) {
  nlohmann::ordered_json json;
  json["environment"] = protocol::to_json(Document{.environment = environment})["environment"];
  json["fitness"] = nlohmann::ordered_json::array();
  for (const machine::Fitness& finding : findings)
    json["fitness"].push_back({{"subject", finding.subject},
                               {"fit", finding.fit},
                               {"finding", finding.finding},
                               {"remedy", finding.remedy}});
  return protocol::dump(json, 2) + "\n";
}

}  // namespace

int command_env(const EnvRequest& request) {
  const machine::Machine machine = machine::read_machine();
  const Environment environment = machine::read_environment();
  const std::vector<machine::Fitness> findings = machine::fitness_of(machine, environment);
  print(request.json ? as_json(environment, findings) : as_text(machine, environment, findings));
  const auto unfit =
      std::find_if(findings.begin(), findings.end(), [](const auto& finding) { return !finding.fit; });
  if (!request.check || unfit == findings.end()) return 0;
  throw Error(ErrorKind::environment, fmt::format("this machine is unfit for measuring: {}: {}. {}",
                                                  unfit->subject, printable(unfit->finding), unfit->remedy));
}

}  // namespace bench::cli
