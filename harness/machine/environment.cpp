#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.hpp"
#include "harness/machine/cgroup.hpp"
#include "harness/machine/cpu.hpp"
#include "harness/machine/files.hpp"
#include "harness/machine/machine.hpp"
#include "harness/machine/memory.hpp"
#include "harness/machine/nvml.hpp"
#include "harness/machine/variables.hpp"

namespace bench::machine {

namespace {

// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
std::string read_operating_system(const std::string& root) {
  std::string name;
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = read_text(root + path);
    if (!text) continue;
    constexpr std::string_view kKey = "PRETTY_NAME=";
    for (std::string_view line : lines_of(*text)) {
      if (line.starts_with(kKey)) name = printable(trimmed(line.substr(kKey.size())));
    }
    break;
  }
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  const auto kernel = read_line(root + "/proc/sys/kernel/osrelease");
  if (!kernel) return name;
  return fmt::format("{}{}Linux {}", name, name.empty() ? "" : ", ", *kernel);
}

// "always [madvise] never" -> "madvise"
std::optional<std::string> read_chosen(const std::string& path) {
  const auto line = read_line(path);
  if (!line) return std::nullopt;
  const std::size_t open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close <= open + 1) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

// "0.02 0.09 0.06 1/131 4242" -> "0.02 0.09 0.06"
std::optional<std::string> read_load_average(const std::string& root) {
  const std::string text = read_text(root + "/proc/loadavg").value_or("");
  const auto words = words_of(text);
  if (words.size() < 3) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    if (!parse_real(words[i])) return std::nullopt;
  }
  return fmt::format("{} {} {}", words[0], words[1], words[2]);
}

std::optional<std::string> read_affinity(const std::string& root) {
  const std::string status = read_text(root + "/proc/self/status").value_or("");
  const auto list = value_after(status, "Cpus_allowed_list");
  if (!list || !count_cpu_list(*list)) return std::nullopt;
  return std::string(*list);
}

std::optional<std::string> read_numa_nodes(const std::string& root) {
  const auto list = read_line(root + "/sys/devices/system/node/online");
  const auto count = list ? count_cpu_list(*list) : std::nullopt;
  return count ? std::optional(std::to_string(*count)) : std::nullopt;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 ..." -> "580.65.06"
std::optional<std::string> read_nvidia_driver(const std::string& root) {
  const std::string line = read_line(root + "/proc/driver/nvidia/version").value_or("");
  for (std::string_view word : words_of(line)) {
    const bool version = word.find('.') != std::string_view::npos &&
                         word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (version) return std::string(word);
  }
  return std::nullopt;
}

template <typename Number>
std::optional<std::string> as_text(const std::optional<Number>& number) {
  return number ? std::optional(fmt::format("{}", *number)) : std::nullopt;
}

struct Read {
  const std::string& root;
  const Machine& machine;
  const Cgroup& cgroup;
  const Environment& environment;  // so far
};

struct FactReader {
  const char* name;  // a row of core/recorded_conditions; a test asserts that these are all of them
  std::optional<std::string> (*read)(const Read& from);
};

constexpr FactReader kFactReaders[] = {
    {"affinity", [](const Read& from) { return read_affinity(from.root); }},
    {"cgroup_cpu_quota_cpus", [](const Read& from) { return as_text(from.cgroup.quota_cpus); }},
    {"cgroup_memory_limit_bytes", [](const Read& from) { return as_text(from.cgroup.memory_limit_bytes); }},
    {"cgroup_memory_left_bytes", [](const Read& from) { return as_text(from.cgroup.memory_left_bytes); }},
    {"clock_source",
     [](const Read& from) {
       return read_line(from.root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
     }},
    {"frequency_driver",
     [](const Read& from) {
       return read_line(from.root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
     }},
    {"governor", [](const Read& from) { return read_governor(from.root); }},
    {"isolated_cpus",
     [](const Read& from) { return read_line(from.root + "/sys/devices/system/cpu/isolated"); }},
    {"load_average", [](const Read& from) { return read_load_average(from.root); }},
    {"numa_nodes", [](const Read& from) { return read_numa_nodes(from.root); }},
    {"nvidia_devices",
     [](const Read& from) {
       const int devices = from.machine.nvidia_devices;
       return devices > 0 ? std::optional(std::to_string(devices)) : std::nullopt;
     }},
    {"nvidia_driver",
     [](const Read& from) {
       const std::vector<Gpu>& gpus = from.environment.gpus;
       return gpus.empty() ? read_nvidia_driver(from.root) : std::optional(gpus.front().driver_version);
     }},
    {"smt", [](const Read& from) { return read_smt(from.root); }},
    {"transparent_hugepages",
     [](const Read& from) { return read_chosen(from.root + "/sys/kernel/mm/transparent_hugepage/enabled"); }},
    {"turbo", [](const Read& from) { return read_turbo(from.root); }},
    {"virtualization", [](const Read& from) { return read_virtualization(from.root); }},
};

}  // namespace

std::vector<std::string> fact_names() {
  std::vector<std::string> names;
  for (const FactReader& fact : kFactReaders) names.emplace_back(fact.name);
  return names;
}

Environment read_environment() {
  return read_environment("", &this_nvml());
}

Environment read_environment(const std::string& root, const Nvml* nvml) {
  const Machine machine = read_machine(root, nvml);
  const Cgroup cgroup = read_cgroup(root);
  const auto virtualization = read_virtualization(root);

  Environment environment;
  environment.host_os = read_operating_system(root);
  environment.cpu_model = read_cpu_model(root).value_or("");
  environment.cpus_online = machine.cpus_online;
  environment.cpus_allowed = machine.cpus_allowed;
  environment.virtual_machine = virtualization.has_value();
  environment.memory_total_bytes = read_memory(root).total_bytes.value_or(0);
  environment.memory_available_bytes = machine.memory_available_bytes;
  environment.variables = read_variables();
  if (nvml != nullptr) environment.gpus = nvml->gpus();

  for (const FactReader& fact : kFactReaders)
    if (auto value = fact.read({root, machine, cgroup, environment})) environment.facts[fact.name] = *value;
  return environment;
}

}  // namespace bench::machine
