#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/result.hpp"

namespace bench::scheduler {

// Everything that a finished case's samples, work and memory say, in the order in which tables show it:
// quantities, step, phases, tokens/s, FLOP/s, mfu (the share of `peak_flop_per_s`), peak memory. Rates come
// from the median step. A step lasts as long as its slowest rank.
std::vector<Summary> summarize(const CaseResult& result, const std::vector<Summary>& quantities,
                               std::optional<double> peak_flop_per_s = std::nullopt);

// What a reader must know to trust the times: outliers, stolen time, throttling, a harness share above 1%, an
// interval that had to be capped.
std::vector<std::string> judge_samples(const CaseResult& result, std::int64_t empty_sample_ns);

}  // namespace bench::scheduler
