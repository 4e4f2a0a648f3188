#include "harness/machine/counters.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "harness/machine/cgroup.hpp"
#include "harness/machine/files.hpp"

namespace bench::machine {

namespace {

// Field 10 of /proc/PID/stat, proc(5). Field 2, the program's name in parentheses, may itself hold spaces and
// ')'.
std::optional<std::int64_t> read_minor_faults(const std::string& folder) {
  const std::string stat = read_text(folder + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const auto words = words_of(std::string_view(stat).substr(name_end + 1));  // from field 3
  return words.size() > 7 ? parse_integer(words[7]) : std::nullopt;
}

std::map<pid_t, std::int64_t> read_involuntary_switches(const std::string& folder) {
  std::map<pid_t, std::int64_t> switches;
  for (const std::string& name : list_folder(folder + "/task")) {
    const auto thread = parse_integer(name);
    const std::string status = read_text(folder + "/task/" + name + "/status").value_or("");
    const auto value = value_after(status, "nonvoluntary_ctxt_switches");
    const auto count = value ? parse_integer(*value) : std::nullopt;
    if (thread && count) switches[static_cast<pid_t>(*thread)] = *count;
  }
  return switches;
}

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks of USER_HZ.
std::optional<std::int64_t> read_steal_ticks(const std::string& root) {
  const std::string stat = read_text(root + "/proc/stat").value_or("");
  const auto all_cpus = value_after(stat, "cpu");
  if (!all_cpus) return std::nullopt;
  const auto words = words_of(*all_cpus);
  return words.size() > 7 ? parse_integer(words[7]) : std::nullopt;
}

double growth(std::int64_t before, std::int64_t after) {
  return static_cast<double>(std::max<std::int64_t>(0, after - before));
}

}  // namespace

CounterSnapshot read_counters(pid_t pid, const std::string& root) {
  const std::string process = std::to_string(pid);
  const std::string folder = root + "/proc/" + process;
  return {.minor_faults = read_minor_faults(folder),
          .involuntary_switches = read_involuntary_switches(folder),
          .steal_ticks = read_steal_ticks(root),
          .cgroup_throttled_periods = read_cgroup(root, process).throttled_periods};
}

std::map<std::string, double> difference(const CounterSnapshot& before, const CounterSnapshot& after) {
  std::map<std::string, double> grown;
  if (before.minor_faults && after.minor_faults) {
    grown["minor_faults"] = growth(*before.minor_faults, *after.minor_faults);
  }
  if (!before.involuntary_switches.empty() && !after.involuntary_switches.empty()) {
    double switches = 0;
    for (const auto& [thread, count] : after.involuntary_switches) {
      const auto earlier = before.involuntary_switches.find(thread);
      // A count below the earlier one is a new thread with a reused id.
      const bool same_thread = earlier != before.involuntary_switches.end() && earlier->second <= count;
      switches += growth(same_thread ? earlier->second : 0, count);
    }
    grown["involuntary_switches"] = switches;
  }
  if (before.steal_ticks && after.steal_ticks) {
    const double ms_per_tick = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    grown["steal_ms"] = growth(*before.steal_ticks, *after.steal_ticks) * ms_per_tick;
  }
  if (before.cgroup_throttled_periods && after.cgroup_throttled_periods) {
    grown["cgroup_throttled_periods"] =
        growth(*before.cgroup_throttled_periods, *after.cgroup_throttled_periods);
  }
  return grown;
}

}  // namespace bench::machine
