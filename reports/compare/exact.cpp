#include "reports/compare/exact.hpp"

#include <algorithm>

namespace bench::reports {
namespace {

void add(std::vector<Exact>& quantities, const auto& about, double value) {
  const auto known = std::ranges::find(quantities, about.metric, &Exact::metric);
  if (known == quantities.end()) {
    quantities.push_back({.metric = about.metric,
                          .heading = about.heading,
                          .unit = about.unit,
                          .kind = about.kind,
                          .base = value,
                          .base_least = value});
  } else if (known->unit == about.unit) {
    known->base = std::max(known->base, value);
    known->base_least = std::min(known->base_least, value);
  }
}

// Of one side, told as the base's.
std::vector<Exact> quantities_of(const Repetitions& repetitions) {
  std::vector<Exact> quantities;
  for (const CaseResult* result : repetitions)
    for (const Summary& summary : result->summaries)
      if (summary.n == 0) add(quantities, summary, summary.value);
  for (const CaseResult* result : repetitions)
    for (const Amount& amount : result->work.amounts) add(quantities, amount, amount.per_step);
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
