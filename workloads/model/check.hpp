#pragma once

#include <c10/core/Device.h>

#include <cstdint>

#include "harness/worker/comparison.hpp"
#include "harness/core/result.hpp"
#include "harness/worker/workload.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/faults.hpp"

namespace bench::model {

struct CheckRequest {
  Configuration configuration;
  Fault fault = Fault::none;
  std::uint64_t seed = 0;
  c10::Device device = c10::Device(c10::kCPU);
  worker::ProgressSink progress;
  worker::Device* harness_device = nullptr;  // needed for a configuration that is to be captured
};

// Two layers, batch 2, the context capped at 256 on the CPU and 2,048 on CUDA; widths and vocabulary as in
// the case.
Configuration small_version(const Configuration& configuration, c10::Device device);

// Runs the small version against fp64 eager with the same weights. How, and what may differ: README.md, "The
// check".
Check check_model(const CheckRequest& request);
// The same with every comparison, for measuring where the bounds should lie.
worker::Comparisons compare_with_reference(const CheckRequest& request);

}  // namespace bench::model
