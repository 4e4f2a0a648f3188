#include "harness/machine/caches.hpp"

#include <algorithm>
#include <charconv>

#include "harness/machine/files.hpp"

namespace bench::machine {
namespace {

// "32768K" -> bytes; 0 for anything else.
std::int64_t size_of(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || value < 0 || value > (std::int64_t{1} << 32) || unit == end) return 0;
  return *unit == 'K' ? value << 10 : *unit == 'M' ? value << 20 : 0;
}

}  // namespace

CacheSizes read_cache_sizes(const std::string& root) {
  CacheSizes sizes;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::int64_t bytes = size_of(read_line(folder + "size").value_or(""));
    const int level = static_cast<int>(read_integer(folder + "level").value_or(0));
    if (level == 2) sizes.private_bytes = std::max(sizes.private_bytes, bytes);
    if (level >= 2) sizes.last_level_bytes = std::max(sizes.last_level_bytes, bytes);
  }
  return sizes;
}

}  // namespace bench::machine
