#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/worker/comparison.hpp"

// A check has three parties: a reference in fp64, which is right; a yardstick, the plainest implementation in
// the case's own precision; and the candidate that is to be timed. The yardstick is held to bounds that were
// measured, and the candidate may be off by twice what the yardstick is.
namespace bench::worker {

struct Bounds {
  double yardstick;
  double floor;  // a candidate may always be this far off, although the yardstick came closer by luck
};

// How far one result is from the reference. `Quantity` is the workload's: what its bounds were measured for.
template <class Quantity>
struct Deviation {
  Quantity quantity;
  std::string of;  // "gradient of head.weight"
  double error;
  double unit = 1;  // in which its bounds are given
};

template <class Quantity>
using Deviations = std::vector<Deviation<Quantity>>;

// In all of these bounds_of(quantity) is a Bounds.
template <class Quantity, class BoundsOf>
double allowed(const Deviation<Quantity>& of_yardstick, const BoundsOf& bounds_of) {
  return std::max(2 * of_yardstick.error, bounds_of(of_yardstick.quantity).floor * of_yardstick.unit);
}

// `before` and `after` complete what is compared: "naive, bf16: O, transposed inputs".
template <class Quantity, class BoundsOf>
void compare_yardstick(Comparisons& comparisons, const Deviations<Quantity>& of_yardstick,
                       const BoundsOf& bounds_of, const std::string& before, const std::string& after = "") {
  for (const Deviation<Quantity>& deviation : of_yardstick)
    comparisons.add(before + deviation.of + after, deviation.error,
                    bounds_of(deviation.quantity).yardstick * deviation.unit);
}

template <class Quantity, class BoundsOf>
void compare_candidate(Comparisons& comparisons, const Deviations<Quantity>& of_candidate,
                       const Deviations<Quantity>& of_yardstick, const BoundsOf& bounds_of,
                       const std::string& after = "") {
  for (const Deviation<Quantity>& deviation : of_candidate) {
    const auto yardstick = std::ranges::find(of_yardstick, deviation.of, &Deviation<Quantity>::of);
    if (yardstick == of_yardstick.end())
      throw Error(ErrorKind::internal, "the check's yardstick has no " + deviation.of);
    comparisons.add(deviation.of + after, deviation.error, allowed(*yardstick, bounds_of));
  }
}

}  // namespace bench::worker
