#pragma once

#include <string>
#include <vector>

#include "harness/core/result.hpp"

namespace bench::reports {

// The summary of these times, at least one, in time order.
Summary sampled_summary(const std::string& metric, const std::vector<double>& values_ns);

// A parameter's text as the value it looks like: "64" is an integer, "0.5" a real.
Value value_of_text(const std::string& text);

}  // namespace bench::reports
