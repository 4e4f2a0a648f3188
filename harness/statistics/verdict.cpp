#include "harness/statistics/verdict.hpp"

#include <cmath>

namespace bench::statistics {

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::same:
      return "same";
    case Verdict::slower:
      return "slower";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Verdict verdict_on(const Interval& log_ratio, double delta) {
  const double bound = std::log1p(delta);
  if (log_ratio.low > bound) return Verdict::slower;
  if (log_ratio.high < -bound) return Verdict::faster;
  if (log_ratio.low >= -bound && log_ratio.high <= bound) return Verdict::same;
  return Verdict::undecided;
}

}  // namespace bench::statistics
