#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bench::statistics {

// How much the median of one process differs from that of another process of the same program, whatever the
// intervals within each say: memory layout, clocks and neighbours are drawn anew with each process. Kalibera
// and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013: repeat at the level where the variation
// arises.
struct ProcessNoise {
  double standard_deviation = 0;  // of the logarithm of one process's median
  std::int64_t degrees_of_freedom = 0;
};

// Pooled over `groups`: each holds the logarithms of the medians that several processes found for one case.
// nullopt when no group has two.
std::optional<ProcessNoise> process_noise(std::span<const std::vector<double>> groups);

// The means over `from` and `to` processes of the same program differ by less than this with 95%, as
// logarithms: t s sqrt(1/from + 1/to).
double difference_bound(const ProcessNoise& noise, std::int64_t from, std::int64_t to);

}  // namespace bench::statistics
