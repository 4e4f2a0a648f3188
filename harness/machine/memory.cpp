#include "harness/machine/memory.hpp"

#include <limits>
#include <string_view>

#include "harness/machine/files.hpp"

namespace bench::machine {

namespace {

// "MemTotal:       24684096 kB"; kB there means 1024 bytes.
std::optional<std::int64_t> bytes_after(std::string_view meminfo, std::string_view key) {
  const auto value = value_after(meminfo, key);
  if (!value) return std::nullopt;
  const auto words = words_of(*value);
  if (words.size() != 2 || words[1] != "kB") return std::nullopt;
  const auto kib = parse_integer(words[0]);
  if (!kib || *kib < 0 || *kib > std::numeric_limits<std::int64_t>::max() / 1024) return std::nullopt;
  return *kib * 1024;
}

}  // namespace

Memory read_memory(const std::string& root) {
  const std::string meminfo = read_text(root + "/proc/meminfo").value_or("");
  return {bytes_after(meminfo, "MemTotal"), bytes_after(meminfo, "MemAvailable")};
}

std::optional<std::int64_t> kills_for_memory(const std::string& root) {
  const std::string vmstat = read_text(root + "/proc/vmstat").value_or("");
  const auto value = value_after(vmstat, "oom_kill");
  return value ? parse_integer(*value) : std::nullopt;
}

}  // namespace bench::machine
