#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/core/result.hpp"

namespace bench::worker {

// Work that a device has recorded once and starts as a whole: a CUDA graph. Outlived by its device.
class CapturedStep {
 public:
  virtual ~CapturedStep() = default;
  virtual void replay() = 0;  // does not wait
};

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

  // Whether its marks are times of a clock of its own, apart from the host's: samples then have device_ns.
  virtual bool has_own_clock() const { return false; }
  // Keeps the device busy for so long before what is started next, so that it then finds its work queued up
  // and never waits for the host. Only for a device with its own clock.
  virtual void hold_back(std::int64_t /*ns*/) {}
  // Whether the device's work has come past this mark; does not wait. Only for a device with its own clock.
  virtual bool has_passed(int /*mark*/) { return true; }
  // Records what `work` starts, without running it. `work` has run before, so that nothing in it is a first
  // time. Throws what `work` throws and what the device refuses.
  virtual std::unique_ptr<CapturedStep> capture(const std::function<void()>& /*work*/) {
    throw Error(ErrorKind::environment, "CUDA graphs need a CUDA device");
  }
  // The names of the kernels that `work` starts, without running it; empty where the device cannot tell.
  // `work` has run before.
  virtual std::vector<std::string> kernels_of(const std::function<void()>& /*work*/) { return {}; }
  // Tells a profiler that was started with the application where the work of interest begins and ends:
  // cudaProfilerStart and -Stop. Nothing without a profiler.
  virtual void start_profiler() {}
  virtual void stop_profiler() {}
  // Asked after a failure: why nothing can run here any more and the worker must be replaced. Empty: it can.
  virtual std::string broken() { return {}; }
  // What disturbs samples and only this device can count, by name, since the worker's start: device_mallocs.
  virtual std::map<std::string, double> counters() { return {}; }
  // What only this device knows of libraries and conditions, for the worker's greeting.
  virtual void describe(std::map<std::string, std::string>& /*libraries*/,
                        std::map<std::string, std::string>& /*conditions*/) const {}
};

}  // namespace bench::worker
