#include "harness/machine/cpu.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <vector>

#include "harness/core/text.hpp"
#include "harness/machine/files.hpp"

namespace bench::machine {

namespace {

const std::string kCpuFolder = "/sys/devices/system/cpu";

std::optional<int> affinity_of_this_thread() {
  // The kernel refuses a mask shorter than its own, whose length it does not tell.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* mask = CPU_ALLOC(cpus);
    if (mask == nullptr) return std::nullopt;
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    const int result = sched_getaffinity(0, size, mask);
    const int error = errno;
    const int count = result == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (result == 0) return count;
    if (error != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> read_dmi_sign(const std::string& root) {
  const std::string folder = root + "/sys/class/dmi/id/";
  const std::string vendor = read_line(folder + "sys_vendor").value_or("");
  const std::string product = read_line(folder + "product_name").value_or("");
  if (product.find(".metal") != std::string::npos) return std::nullopt;  // bare-metal instances of Amazon EC2
  constexpr std::array kVirtual = {"QEMU",
                                   "KVM",
                                   "Amazon EC2",
                                   "Google Compute Engine",
                                   "VMware",
                                   "Xen",
                                   "VirtualBox",
                                   "Parallels",
                                   "Virtual Machine",
                                   "OpenStack",
                                   "Alibaba Cloud ECS",
                                   "Apple Virtualization"};
  for (const char* name : kVirtual) {
    if (vendor.find(name) != std::string::npos || product.find(name) != std::string::npos) return name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> count_cpu_list(std::string_view list) {
  constexpr std::int64_t kMostCpus = 1 << 20;
  std::int64_t count = 0;
  for (const std::string& part : split(trimmed(list), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_integer(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_integer(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) return std::nullopt;
    count += *last - *first + 1;
  }
  if (count < 1 || count > kMostCpus) return std::nullopt;
  return static_cast<int>(count);
}

int read_cpus_online(const std::string& root) {
  if (const auto list = read_line(root + kCpuFolder + "/online")) {
    if (const auto count = count_cpu_list(*list)) return *count;
  }
  const std::string cpuinfo = read_text(root + "/proc/cpuinfo").value_or("");
  const auto lines = lines_of(cpuinfo);
  const auto processors = std::ranges::count_if(
      lines, [](std::string_view line) { return value_after(line, "processor").has_value(); });
  if (processors > 0) return static_cast<int>(processors);
  return root.empty() ? std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))) : 1;
}

int read_cpus_in_affinity(const std::string& root, int online) {
  std::optional<int> count;
  if (root.empty()) {
    count = affinity_of_this_thread();
  } else if (const auto status = read_text(root + "/proc/self/status")) {
    if (const auto list = value_after(*status, "Cpus_allowed_list")) count = count_cpu_list(*list);
  }
  return std::clamp(count.value_or(online), 1, std::max(1, online));
}

std::optional<std::string> read_cpu_model(const std::string& root) {
  const std::string cpuinfo = read_text(root + "/proc/cpuinfo").value_or("");
  for (const char* key : {"model name", "Model"}) {
    if (const auto name = value_after(cpuinfo, key); name && !name->empty()) return printable(*name);
  }
  const auto implementer = value_after(cpuinfo, "CPU implementer"), part = value_after(cpuinfo, "CPU part");
  if (!implementer || !part) return std::nullopt;
  return printable(fmt::format("aarch64 implementer {} part {}", *implementer, *part));
}

std::optional<std::string> read_virtualization(const std::string& root) {
  const std::string cpuinfo = read_text(root + "/proc/cpuinfo").value_or("");
  if (const auto flags = value_after(cpuinfo, "flags")) {
    if (std::ranges::count(words_of(*flags), "hypervisor") > 0) return "hypervisor flag of the CPU";
    return std::nullopt;  // x86 always tells its guests
  }
  if (auto type = read_line(root + "/sys/hypervisor/type")) return type;
  if (auto compatible = read_line(root + "/proc/device-tree/hypervisor/compatible")) return compatible;
  return read_dmi_sign(root);
}

std::optional<std::string> read_governor(const std::string& root) {
  std::set<std::string> governors;
  for (const std::string& name : list_folder(root + kCpuFolder)) {
    if (!name.starts_with("cpu") || !parse_integer(std::string_view(name).substr(3))) continue;
    const auto governor = read_line(fmt::format("{}{}/{}/cpufreq/scaling_governor", root, kCpuFolder, name));
    if (governor) governors.insert(*governor);
  }
  if (governors.empty()) return std::nullopt;
  return join(std::vector<std::string>(governors.begin(), governors.end()), ", ");
}

std::optional<std::string> read_turbo(const std::string& root) {
  if (const auto no_turbo = read_integer(root + kCpuFolder + "/intel_pstate/no_turbo")) {
    return *no_turbo == 0 ? "on" : "off";
  }
  if (const auto boost = read_integer(root + kCpuFolder + "/cpufreq/boost"))
    return *boost == 0 ? "off" : "on";
  return std::nullopt;
}

std::optional<std::string> read_smt(const std::string& root) {
  const auto active = read_integer(root + kCpuFolder + "/smt/active");
  if (!active) return std::nullopt;
  return *active == 0 ? "off" : "on";
}

}  // namespace bench::machine
