#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "harness/worker/workload.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/dimensions.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

// A generator of our own, so that the same seed gives the same model whatever else drew random numbers. Its
// draws are serial on the CPU: the result does not depend on the number of threads.
at::Generator seeded_generator(std::uint64_t seed);

// fp32. Linear: std sqrt(2/(in+out)); embedding: std 1; both truncated at 3 std. Norms: 1.
Parameters initialized_parameters(const Dimensions& dimensions, at::Generator& generator, c10::Device device,
                                  const worker::ProgressSink& progress);

// The same parameters in the dtype in which a precision keeps them.
Parameters in_precision(Parameters parameters, const Dimensions& dimensions, Precision precision);

struct Batch {
  at::Tensor tokens;   // (B, T) int64
  at::Tensor targets;  // (B, T) int64
};
Batch random_batch(const Dimensions& dimensions, at::Generator& generator, c10::Device device);

}  // namespace bench::model
