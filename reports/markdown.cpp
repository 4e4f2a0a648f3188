#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "reports/markdown_text.hpp"
#include "reports/shell.hpp"
#include "reports/table.hpp"

namespace bench::reports {
namespace {

// "2026-11-30T13:53:57Z" -> "2026-11-30 13:53 UTC"; anything else as it is.
std::string date_of(const std::string& utc) {
  if (utc.size() != 20 || utc[10] != 'T' || utc[19] != 'Z') return utc;
  return utc.substr(0, 10) + " " + utc.substr(11, 5) + " UTC";
}

// The GPU that the run used, for a machine line: {"NVIDIA H200", "140 GiB", "driver 580.159.03"}.
std::vector<std::string> gpu_parts(const Document& document) {
  const auto& gpus = document.environment.gpus;
  const auto used = std::ranges::find_if(gpus, [&](const Gpu& gpu) {
    return gpu.cuda_index && document.run.device == fmt::format("cuda:{}", *gpu.cuda_index);
  });
  if (used == gpus.end()) return {};
  std::vector<std::string> parts{used->name};
  if (used->memory_total_bytes > 0) parts.push_back(format_bytes(used->memory_total_bytes));
  if (!used->driver_version.empty()) parts.push_back("driver " + used->driver_version);
  if (used->power_limit_w && used->power_limit_default_w &&
      *used->power_limit_w < *used->power_limit_default_w)
    parts.push_back(
        fmt::format("limited to {:.0f} of {:.0f} W", *used->power_limit_w, *used->power_limit_default_w));
  return parts;
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

std::string run_lines(const Document& document) {
  const RunInfo& run = document.run;
  std::string text = "Command: " + code(shell_line(run.argv)) + "\n\n";
  std::vector<std::string> parts;
  if (!run.git_commit.empty()) parts.push_back("commit " + run.git_commit);
  for (const auto& [program, id] : run.build_ids) parts.push_back(program + " build " + id);
  parts.push_back(fmt::format("seed {}", run.seed));
  parts.push_back(fmt::format("method version {}", document.method_version));
  text += escaped(join(parts, ", ")) + "\n";
  if (document.conditions.empty()) return text;
  text += "\nConditions that bench set for the workers:\n\n";
  for (const auto& [name, value] : document.conditions) text += "- " + code(name + "=" + value) + "\n";
  return text;
}

}  // namespace

std::string markdown(const Document& document) {
  const Table table = results_table(document);
  std::string text = "# " + escaped(table.title);
  if (!document.run.begin_utc.empty()) text += ", " + escaped(date_of(document.run.begin_utc));
  text += "\n\n" + escaped(machine_line(document)) + "\n\n";
  if (!document.run.label.empty()) text += "Label: " + code(document.run.label) + "\n\n";
  if (!table.common.empty()) text += escaped(join(table.common, " · ")) + "\n\n";
  text += table.columns.empty() ? "No case was measured.\n" : markdown_table(table);
  if (!table.problems.empty()) text += "\nCases without a result:\n\n" + list_of(table.problems);
  if (!table.notes.empty()) text += "\nAbout these numbers:\n\n" + list_of(table.notes);
  return text + "\n" + run_lines(document);
}

}  // namespace bench::reports
