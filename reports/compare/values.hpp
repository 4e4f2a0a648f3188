#pragma once

#include <string>
#include <vector>

#include "harness/core/result.hpp"

namespace bench::reports {

// The sampled times of a result, headline first: the metrics in ns with samples behind them.
std::vector<std::string> sampled_metrics(const CaseResult& result);

const Summary* find_summary(const CaseResult& result, const std::string& metric);

// ns per step in time order: the samples from which the summary's median was taken, the slowest rank of each.
// Empty where the document holds no samples for it.
std::vector<double> values_of(const CaseResult& result, const Summary& summary);

}  // namespace bench::reports
