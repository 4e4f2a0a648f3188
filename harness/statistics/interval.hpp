#pragma once

namespace bench::statistics {

// A closed range that holds the true value with 95%, unless its maker says otherwise.
struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

}  // namespace bench::statistics
