#pragma once

#include <cstdint>
#include <string>

#include "harness/worker/device.hpp"

namespace bench::support {

// A CPU that neither keeps time nor counts memory, for tests of what workloads do on one.
class IdleDevice : public worker::Device {
 public:
  std::string name() const override { return "cpu"; }
  void synchronize() override {}
  int mark() override { return 0; }
  std::int64_t between_ns(int, int) override { return 0; }
  void forget_marks() override {}
  std::int64_t allocated_bytes() override { return 0; }
  void reset_peak() override {}
  MemoryReport memory_since_reset() override { return {}; }
  void empty_cache() override {}
  void evict_caches() override {}
};

}  // namespace bench::support
