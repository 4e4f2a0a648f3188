#pragma once

#include <cstdint>
#include <string>

#include "harness/core/result.hpp"

namespace bench::worker {

// What a measured step runs on. Implemented for the CPU, for CUDA, and by a scripted fake in tests.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;  // "cpu", "cuda:0"
  virtual void synchronize() = 0;
  // A point in the device's own order of work, without synchronising: an event on CUDA, a clock read on the
  // CPU.
  virtual int mark() = 0;
  // Nanoseconds between two marks of this sample; synchronised by the caller first.
  virtual std::int64_t between_ns(int first, int second) = 0;
  virtual void forget_marks() = 0;

  virtual std::int64_t allocated_bytes() = 0;
  virtual void reset_peak() = 0;
  virtual MemoryReport memory_since_reset() = 0;
  // Between cases: returns cached blocks to the system.
  virtual void empty_cache() = 0;
  // Writes over more than twice the last-level cache.
  virtual void evict_caches() = 0;
};

}  // namespace bench::worker
