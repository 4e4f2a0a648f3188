#include "harness/statistics/step_times.hpp"

#include <algorithm>
#include <map>

namespace bench::statistics {

std::vector<double> step_times_ns(const std::vector<Sample>& samples, TimeSource source) {
  std::map<int, std::size_t> next_of_rank;
  std::vector<double> slowest;
  for (const Sample& sample : samples) {
    if (sample.kind != SampleKind::measured) continue;
    const std::optional<std::int64_t> ns = time_ns(sample, source);
    if (!ns) return {};
    const double per_step = static_cast<double>(*ns) / sample.steps;
    const std::size_t index = next_of_rank[sample.rank]++;
    if (index == slowest.size())
      slowest.push_back(per_step);
    else
      slowest[index] = std::max(slowest[index], per_step);
  }
  return slowest;
}

}  // namespace bench::statistics
