#include "reports/compare/exact.hpp"

#include <algorithm>
#include <string_view>

namespace bench::reports {
namespace {

Exact::Kind kind_of(std::string_view metric, std::string_view unit) {
  if (metric.find("kernel") != std::string_view::npos) return Exact::Kind::kernels;
  if (unit != "bytes") return Exact::Kind::other;
  return metric.find("peak") != std::string_view::npos || metric.find("memory") != std::string_view::npos
             ? Exact::Kind::memory
             : Exact::Kind::bytes;
}

void add(std::vector<Exact>& quantities, const std::string& metric, const std::string& unit, double value) {
  const auto known = std::ranges::find(quantities, metric, &Exact::metric);
  if (known == quantities.end()) {
    quantities.push_back(
        {.metric = metric, .unit = unit, .kind = kind_of(metric, unit), .base = value, .base_least = value});
  } else if (known->unit == unit) {
    known->base = std::max(known->base, value);
    known->base_least = std::min(known->base_least, value);
  }
}

// Of one side, told as the base's.
std::vector<Exact> quantities_of(const Repetitions& repetitions) {
  std::vector<Exact> quantities;
  for (const CaseResult* result : repetitions)
    for (const Summary& summary : result->summaries)
      if (summary.n == 0) add(quantities, summary.metric, summary.unit, summary.value);
  for (const CaseResult* result : repetitions) {
    const Work& work = result->work;
    if (work.flop > 0) add(quantities, "model_flop", "FLOP", work.flop);
    if (work.bytes_moved > 0) add(quantities, "bytes_moved", "bytes", work.bytes_moved);
    if (work.bytes_sent > 0) add(quantities, "bytes_sent", "bytes", work.bytes_sent);
  }
  return quantities;
}

}  // namespace

std::vector<Exact> exact_quantities(const Repetitions& base, const Repetitions& other) {
  std::vector<Exact> quantities;
  const std::vector<Exact> in_other = quantities_of(other);
  for (Exact& quantity : quantities_of(base)) {
    const auto partner = std::ranges::find(in_other, quantity.metric, &Exact::metric);
    if (partner == in_other.end() || partner->unit != quantity.unit) continue;
    quantity.value = partner->base;
    quantity.least = partner->base_least;
    quantities.push_back(std::move(quantity));
  }
  return quantities;
}

}  // namespace bench::reports
