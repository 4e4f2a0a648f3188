#include "harness/statistics/sampled_summary.hpp"

#include "harness/statistics/description.hpp"

namespace bench::statistics {

Summary sampled_summary(Summary about, const std::vector<double>& values) {
  const Description described = describe(values);
  about.value = described.median;
  about.n = described.n;
  if (described.interval) {
    about.low = described.interval->low;
    about.high = described.interval->high;
    about.interval_capped = described.interval->capped;
  }
  about.mean = described.mean;
  about.standard_deviation = described.standard_deviation;
  about.minimum = described.minimum;
  about.p10 = described.p10;
  about.p90 = described.p90;
  return about;
}

}  // namespace bench::statistics
