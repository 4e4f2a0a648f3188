// File names and meanings: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst,
// scheduler/sched-bwc.rst of the Linux kernel; proc(5) for mountinfo, cgroups(7) for /proc/PID/cgroup.
#include "harness/machine/cgroup.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/core/text.hpp"
#include "harness/machine/files.hpp"

namespace bench::machine {

namespace {

constexpr std::string_view kVersion2;  // the controller list of version 2's only hierarchy is empty

struct Mount {
  std::string group = "/";  // the group that the mount shows as its top
  std::string folder;
};

// mountinfo writes space, tab, newline and backslash as \040 and so on.
std::string without_octal_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 3);
    const bool escape = text[i] == '\\' && digits.size() == 3 &&
                        digits.find_first_not_of("01234567") == std::string_view::npos;
    if (!escape) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
    i += 3;
  }
  return plain;
}

bool has_item(std::string_view comma_list, std::string_view item) {
  return std::ranges::count(split(comma_list, ','), item) > 0;
}

// "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct"
std::vector<Mount> find_mounts(const std::string& root, std::string_view controller) {
  std::vector<Mount> mounts;
  const std::string mountinfo = read_text(root + "/proc/self/mountinfo").value_or("");
  for (std::string_view line : lines_of(mountinfo)) {
    const auto words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4) continue;
    const bool matches =
        controller == kVersion2 ? dash[1] == "cgroup2" : dash[1] == "cgroup" && has_item(dash[3], controller);
    if (matches) mounts.push_back({without_octal_escapes(words[3]), without_octal_escapes(words[4])});
  }
  if (mounts.empty()) {  // where distributions put them
    mounts.push_back(
        {"/", controller == kVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + std::string(controller)});
  }
  return mounts;
}

// "4:cpu,cpuacct:/user.slice" -> "/user.slice"; version 2: "0::/user.slice".
std::optional<std::string> find_group(const std::string& root, const std::string& process,
                                      std::string_view controller) {
  const std::string groups = read_text(root + "/proc/" + process + "/cgroup").value_or("");
  for (std::string_view line : lines_of(groups)) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool matches = controller == kVersion2 ? controllers.empty() : has_item(controllers, controller);
    if (matches) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

bool holds(std::string_view outer, std::string_view group) {
  return outer == "/" || group == outer || (group.starts_with(outer) && group[outer.size()] == '/');
}

// Folders of the process's own group and of every group that holds it, as far up as the mount shows them.
std::vector<std::string> group_folders(const std::string& root, const std::string& process,
                                       std::string_view controller) {
  const auto group = find_group(root, process, controller);
  if (!group) return {};
  const std::vector<Mount> mounts = find_mounts(root, controller);
  auto mount = std::ranges::find_if(mounts, [&](const Mount& m) { return holds(m.group, *group); });
  // A container without a cgroup namespace may name a group that its mounts do not show: their top is what is
  // left.
  const bool shown = mount != mounts.end() && group->find("/..") == std::string::npos;
  if (mount == mounts.end()) mount = mounts.begin();

  std::string below = shown && mount->group != "/" ? group->substr(mount->group.size()) : shown ? *group : "";
  std::vector<std::string> folders;
  while (below.size() > 1) {
    folders.push_back(root + mount->folder + below);
    below.resize(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
  }
  folders.push_back(root + mount->folder);
  return folders;
}

template <typename Number>
void keep_least(std::optional<Number>& least, std::optional<Number> candidate) {
  if (candidate && (!least || *candidate < *least)) least = candidate;
}

void apply_memory(Cgroup& cgroup, std::optional<std::int64_t> limit, std::optional<std::int64_t> usage,
                  std::optional<std::int64_t> inactive_file) {
  // Version 1 writes "no limit" as the largest multiple of a page in 63 bits.
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
  if (!limit || *limit < 0 || *limit >= kNoLimit) return;
  const std::int64_t used = std::clamp<std::int64_t>(usage.value_or(0), 0, kNoLimit);
  const std::int64_t reclaimable = std::clamp<std::int64_t>(inactive_file.value_or(0), 0, used);
  keep_least(cgroup.memory_limit_bytes, limit);
  keep_least<std::int64_t>(cgroup.memory_left_bytes, std::max<std::int64_t>(0, *limit - used + reclaimable));
}

std::optional<std::int64_t> integer_after(const std::optional<std::string>& text, std::string_view key) {
  const auto value = text ? value_after(*text, key) : std::nullopt;
  return value ? parse_integer(*value) : std::nullopt;
}

void read_memory_v1(Cgroup& cgroup, const std::string& folder) {
  const auto statistics = read_text(folder + "/memory.stat");
  auto limit = read_integer(folder + "/memory.limit_in_bytes");
  // Also knows of groups above those that a container is shown.
  keep_least(limit, integer_after(statistics, "hierarchical_memory_limit"));
  apply_memory(cgroup, limit, read_integer(folder + "/memory.usage_in_bytes"),
               integer_after(statistics, "total_inactive_file"));
}

void read_memory_v2(Cgroup& cgroup, const std::string& folder) {
  auto limit = read_integer(folder + "/memory.max");         // "max" is no number: no limit
  keep_least(limit, read_integer(folder + "/memory.high"));  // beyond it the kernel slows the process down
  apply_memory(cgroup, limit, read_integer(folder + "/memory.current"),
               integer_after(read_text(folder + "/memory.stat"), "inactive_file"));
}

void apply_quota(Cgroup& cgroup, std::optional<std::int64_t> quota_us,
                 std::optional<std::int64_t> period_us) {
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  keep_least<double>(cgroup.quota_cpus, static_cast<double>(*quota_us) / static_cast<double>(*period_us));
}

void add_throttled(Cgroup& cgroup, const std::string& folder) {
  const auto periods = integer_after(read_text(folder + "/cpu.stat"), "nr_throttled");
  if (periods) cgroup.throttled_periods = cgroup.throttled_periods.value_or(0) + *periods;
}

void read_cpu_v1(Cgroup& cgroup, const std::string& folder) {
  apply_quota(cgroup, read_integer(folder + "/cpu.cfs_quota_us"),
              read_integer(folder + "/cpu.cfs_period_us"));
  add_throttled(cgroup, folder);
}

void read_cpu_v2(Cgroup& cgroup, const std::string& folder) {
  const std::string maximum = read_text(folder + "/cpu.max").value_or("");  // "150000 100000" or "max 100000"
  const auto words = words_of(maximum);
  if (words.size() == 2) apply_quota(cgroup, parse_integer(words[0]), parse_integer(words[1]));
  add_throttled(cgroup, folder);
}

}  // namespace

Cgroup read_cgroup(const std::string& root, const std::string& process) {
  Cgroup cgroup;
  for (const auto& folder : group_folders(root, process, "memory")) read_memory_v1(cgroup, folder);
  for (const auto& folder : group_folders(root, process, "cpu")) read_cpu_v1(cgroup, folder);
  for (const auto& folder : group_folders(root, process, kVersion2)) {
    read_memory_v2(cgroup, folder);
    read_cpu_v2(cgroup, folder);
  }
  return cgroup;
}

}  // namespace bench::machine
