#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

// "backend:gloo/ranks:2: step = 210 µs + bytes sent / 1.02 GB/s, off by 9% at most (4 sizes)": of cases whose
// work is communication alone and that differ in `bytes` alone; a line each, after one that says what they
// are. Empty: no three sizes of anything.
std::vector<std::string> latency_fits_of(const Document& document);

}  // namespace bench::reports
