#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/remark.hpp"

namespace bench::scheduler {

// What was seen around the samples of one case, from outside its worker.
struct Observed {
  std::map<std::string, double> counters;
  std::vector<Remark> warnings, notes;
};

// Watches what samples run on. Called on bench's side while the worker waits, so it costs no sample anything.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual void before_samples() = 0;   // after warm-up
  virtual void between_samples() = 0;  // after each chunk of samples, as soon as its last one has ended
  virtual Observed after_samples() = 0;
};

// For a device of which nothing is to be seen: the CPU's counters come from its worker.
class NoSurroundings final : public Surroundings {
 public:
  void before_samples() override {}
  void between_samples() override {}
  Observed after_samples() override { return {}; }
};

}  // namespace bench::scheduler
