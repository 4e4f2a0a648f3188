#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/summary.hpp"

namespace bench::reports {

// How one column prints its numbers, chosen once for all of them so that they compare at a glance.
struct Scale {
  std::string unit;    // "ms", "MiB", "TFLOP/s"; empty for a pure number
  double divisor = 1;  // stored unit -> printed unit
  std::optional<int>
      decimals;  // nullopt: three significant digits each, for columns no fixed count of decimals suits
};

// `unit` as stored: "ns", "bytes", "FLOP/s", "1", ... `distances` are those of the intervals, in the same
// unit.
Scale choose_scale(std::string_view unit, std::span<const double> values,
                   std::span<const double> distances = {});

// "3487", "12,345", "0.850".
std::string format_scaled(double value, const Scale& scale);

// Heading and unit of a column, from a summary's heading and the printed unit. A rate's unit is part of its
// heading: {"tokens/s", ""}, {"model TFLOP/s", ""}.
std::pair<std::string, std::string> heading_of(const std::string& heading, Quantity kind, const Scale& scale);

}  // namespace bench::reports
