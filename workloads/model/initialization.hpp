#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "harness/worker/workload.hpp"
#include "workloads/model/configuration.hpp"
#include "workloads/model/dimensions.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

// A generator of our own, so that the same seed gives the same model whatever else drew random numbers. It
// draws on `device`: serially on the CPU, so that threads do not matter; other devices give other numbers.
at::Generator seeded_generator(std::uint64_t seed, c10::Device device);

// fp32, on the generator's device. Linear: std sqrt(2/(in+out)); embedding: std 1; both truncated at 3 std.
// Norms: 1.
Parameters initialized_parameters(const Dimensions& dimensions, at::Generator& generator,
                                  const worker::ProgressSink& progress);

// The same parameters in the dtype in which a precision keeps them.
Parameters in_precision(Parameters parameters, const Dimensions& dimensions, Precision precision);

struct Batch {
  at::Tensor tokens;   // (B, T) int64
  at::Tensor targets;  // (B, T) int64
};
Batch random_batch(const Dimensions& dimensions, at::Generator& generator);  // on its device

}  // namespace bench::model
