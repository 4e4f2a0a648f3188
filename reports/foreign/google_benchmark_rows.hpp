#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/protocol/reader.hpp"

namespace bench::reports {

// The rows of one benchmark, as places in the file's array "benchmarks".
struct BenchmarkRows {
  std::string name;                               // "BM_Sum/64"
  std::vector<std::size_t> repetitions;           // measured, or skipped
  std::map<std::string, std::size_t> aggregates;  // of them: "median", "BigO", ...
};

// In the order of the first row of each. Two benchmarks of one name stay two where the file tells them apart,
// as libbenchmark does since 1.5.1.
std::vector<BenchmarkRows> benchmark_rows(const protocol::Reader& file);

}  // namespace bench::reports
