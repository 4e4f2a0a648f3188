#pragma once

#include <c10/core/DeviceType.h>

#include "harness/worker/yardstick.hpp"
#include "workloads/model/configuration.hpp"

namespace bench::model {

// What a check compares with its fp64 reference. All errors are relative to the reference's norm.
enum class Quantity {
  logits,
  loss,      // of one step
  gradient,  // one parameter's
  update,    // what three optimizer steps alone do to one parameter, in units of rounding that parameter once
};

using worker::Bounds;  // the yardstick: eager with naive attention and adamw, in the same precision

Bounds bounds(Quantity quantity, Precision precision, c10::DeviceType device);

// For fp64 eager against the independent fp64 model. Seen: 4.9e-15 at d-model 768.
inline constexpr double kReferencesAgree = 1e-10;

}  // namespace bench::model
