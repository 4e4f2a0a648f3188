#pragma once

#include <cstdint>
#include <string>

namespace bench::machine {

// Of the core that a process runs on; 0 where the kernel does not say.
struct CacheSizes {
  std::int64_t private_bytes = 0;  // the largest cache that one core has for itself, mostly L2
  std::int64_t last_level_bytes = 0;
};

// From /sys/devices/system/cpu/cpu0/cache. sysconf() is no help: in virtual machines it multiplies a shared
// cache.
CacheSizes read_cache_sizes(const std::string& root = "");

}  // namespace bench::machine
