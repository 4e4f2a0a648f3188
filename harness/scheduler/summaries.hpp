#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/registry/workload_spec.hpp"

namespace bench::scheduler {

struct SummaryRequest {
  std::vector<Summary> quantities = {};  // exact facts, which come first
  Headline headline = Headline::host_time;
  std::optional<double> peak_flop_per_s = std::nullopt;
  std::function<std::vector<Summary>(const Case&, const MemoryReport&)> memory_columns = nullptr;
};

// Everything that a finished case's samples, work and memory say, in the order in which tables show it:
// quantities, step (and its mean with cold caches), phases, the rates of its work, mfu (the share of
// `peak_flop_per_s`), memory. Rates come from the median step. A step lasts as long as its slowest rank.
std::vector<Summary> summarize(const CaseResult& result, const SummaryRequest& request = {});

// What a reader must know to trust the times: outliers, stolen time, throttling, memory that a GPU's driver
// gave meanwhile, a harness share above 1%, an interval that had to be capped.
std::vector<Remark> warnings_about_samples(const CaseResult& result, std::int64_t empty_sample_ns,
                                           Headline headline = Headline::host_time);

// Whether the samples lasted as long as the host took to start their work, while a GPU waited for it: its
// launching threads had a processor for more than 90% of them. nullopt where it was not so, or not watched.
std::optional<Remark> host_bound_note(const CaseResult& result);

}  // namespace bench::scheduler
