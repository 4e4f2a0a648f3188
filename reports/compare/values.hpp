#pragma once

#include <vector>

#include "harness/core/result.hpp"

namespace bench::reports {

// The sampled times of a result, headline first.
std::vector<const Summary*> sampled_times(const CaseResult& result);

// ns per step in time order: the samples of which the summary is the median, the slowest rank of each. Empty
// where the document holds no samples for it.
std::vector<double> values_of(const CaseResult& result, const Summary& summary);

}  // namespace bench::reports
