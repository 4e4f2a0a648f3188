#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/parameter.hpp"

// From the text of one option to the values of its axis.
namespace bench::registry {

// `max` of a parameter that has Parameter::has_max: the largest power of two that fits in memory.
struct Largest {};
using AxisValue = std::variant<Value, Largest>;

// The most values that one axis, and the most cases that one plan may have.
inline constexpr double kMostCases = 1'000'000;

// One value. Throws Error(usage) that names the option, the text, and the nearest value or the bounds.
Value parse_value(const Parameter& parameter, std::string_view text);

// A comma list whose entries are values, `max`, or ranges of numbers: lo:hi:x2 (each twice the one before),
// lo:hi:+N (each N more); hi is a value where the steps meet it. Throws as parse_value does.
std::vector<AxisValue> parse_values(const Parameter& parameter, std::string_view text);

}  // namespace bench::registry
