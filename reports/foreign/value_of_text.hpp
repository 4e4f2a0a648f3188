#pragma once

#include <string>

#include "harness/core/case.hpp"

namespace bench::reports {

// A parameter's text as the value it looks like: "64" is an integer, "0.5" a real.
Value value_of_text(const std::string& text);

}  // namespace bench::reports
