#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/worker/comparison.hpp"
#include "harness/worker/workload.hpp"
#include "workloads/model/check_bounds.hpp"
#include "workloads/model/check_reference.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/fault_injection.hpp"

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

using Deviations = worker::Deviations<Quantity>;

// Everything that an implementation is compared with: made by the reference and the yardstick alone.
struct CheckBasis {
  Configuration small;  // with AdamW's default settings
  AdamWSettings asked;  // the case's own, for the optimizer alone
  Parameters weights;   // fp32
  Batch batch;
  Reference reference;
  Deviations of_yardstick;          // logits; or losses with gradients after the first; then updates
  worker::Comparisons comparisons;  // of the references with each other and of the yardstick with its bounds

  Bounds bounds_of(Quantity quantity) const {
    return bounds(quantity, small.precision, batch.tokens.device().type());
  }
};
// Calls `between` before each run of a model.
CheckBasis make_check_basis(const CheckRequest& request, const std::function<void()>& between);

// Runs the small version against fp64 eager with the same weights. How, and what may differ: README.md, "The
// check".
Check check_model(const CheckRequest& request);
// The same with every comparison, for measuring where the bounds should lie.
worker::Comparisons compare_with_reference(const CheckRequest& request);

}  // namespace bench::model
