#pragma once

#include <string>
#include <utility>

#include "harness/registry/parameters.hpp"

// A workload that runs on several ranks says so by having this parameter: an axis as any other.
namespace bench::registry {

inline constexpr const char* kRanks = "ranks";
inline constexpr int kMostRanks = 1024;

inline Parameter ranks_parameter(std::string by_default = "1", int minimum = 1) {
  Parameter parameter =
      count(kRanks, "processes that run the case together", std::move(by_default), kMostRanks, "", minimum);
  parameter.absent_means = "1";
  return parameter;
}

// 1 of a workload without the parameter.
inline int ranks_of(const Case& configuration) {
  return configuration.has(kRanks) ? static_cast<int>(configuration.integer(kRanks)) : 1;
}

}  // namespace bench::registry
