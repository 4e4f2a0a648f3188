#pragma once

#include <string>
#include <vector>

#include "reports/compare/comparison.hpp"

namespace bench::reports {

// What makes two documents' times incomparable (`refused`), and what a reader should know about them
// (`noted`). Each a clause: "OMP_NUM_THREADS is 2 in a and 4 in b".
struct Differences {
  std::vector<std::string> refused, noted;
};

Differences differences(const Side& base, const Side& other);

}  // namespace bench::reports
