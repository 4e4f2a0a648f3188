#include "reports/foreign/value_of_text.hpp"

#include <cmath>

#include "harness/core/text.hpp"

namespace bench::reports {

Value value_of_text(const std::string& text) {
  if (const auto integer = number_from<std::int64_t>(text)) return *integer;
  if (const auto real = number_from<double>(text); real && std::isfinite(*real)) return *real;
  return text;
}

}  // namespace bench::reports
