#include "harness/statistics/process_noise.hpp"

#include <cmath>

#include "harness/statistics/descriptive.hpp"
#include "harness/statistics/student_t.hpp"

namespace bench::statistics {

std::optional<ProcessNoise> process_noise(std::span<const std::vector<double>> groups) {
  ProcessNoise noise;
  double squares = 0;
  for (const std::vector<double>& group : groups) {
    if (group.size() < 2) continue;
    const double deviation = *standard_deviation(group);
    squares += deviation * deviation * static_cast<double>(group.size() - 1);
    noise.degrees_of_freedom += std::ssize(group) - 1;
  }
  if (noise.degrees_of_freedom == 0) return std::nullopt;
  noise.standard_deviation = std::sqrt(squares / static_cast<double>(noise.degrees_of_freedom));
  return noise;
}

double difference_bound(const ProcessNoise& noise, std::int64_t from, std::int64_t to) {
  return student_t_95(noise.degrees_of_freedom) * noise.standard_deviation *
         std::sqrt(1 / static_cast<double>(from) + 1 / static_cast<double>(to));
}

}  // namespace bench::statistics
