#pragma once

#include "workloads/model/configuration.hpp"

namespace bench::model {

// What a check compares with its fp64 reference. All errors are relative to the reference's norm.
enum class Quantity {
  logits,
  loss,        // of the first step
  later_loss,  // of steps two and three, after updates
  gradient,    // one parameter's
  update,      // what three optimizer steps alone do to one parameter
};

struct Bounds {
  // For the yardstick: eager with naive attention and adamw, in the same precision.
  double yardstick;
  // The candidate may always be this far off, although the yardstick came closer by luck.
  double floor;
};

Bounds bounds(Quantity quantity, Precision precision);

// For fp64 eager against the independent fp64 model.
inline constexpr double kReferencesAgree = 1e-9;

}  // namespace bench::model
