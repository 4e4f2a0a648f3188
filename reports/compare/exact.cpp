#include "reports/compare/exact.hpp"

#include <string_view>

#include "reports/compare/values.hpp"

namespace bench::reports {
namespace {

Exact::Kind kind_of(std::string_view metric, std::string_view unit) {
  if (metric.find("kernel") != std::string_view::npos) return Exact::Kind::kernels;
  if (unit != "bytes") return Exact::Kind::other;
  return metric.find("peak") != std::string_view::npos || metric.find("memory") != std::string_view::npos
             ? Exact::Kind::memory
             : Exact::Kind::bytes;
}

}  // namespace

std::vector<Exact> exact_quantities(const CaseResult& base, const CaseResult& other) {
  std::vector<Exact> quantities;
  for (const Summary& summary : base.summaries) {
    const Summary* partner = summary.n == 0 ? find_summary(other, summary.metric) : nullptr;
    if (partner == nullptr || partner->n != 0 || partner->unit != summary.unit) continue;
    quantities.push_back({.metric = summary.metric,
                          .unit = summary.unit,
                          .kind = kind_of(summary.metric, summary.unit),
                          .base = summary.value,
                          .value = partner->value});
  }
  const auto add_work = [&](const char* metric, const char* unit, double Work::*member) {
    const double in_base = base.work.*member, in_other = other.work.*member;
    if (in_base > 0 && in_other > 0)
      quantities.push_back({.metric = metric,
                            .unit = unit,
                            .kind = kind_of(metric, unit),
                            .base = in_base,
                            .value = in_other});
  };
  add_work("model_flop", "FLOP", &Work::flop);
  add_work("bytes_moved", "bytes", &Work::bytes_moved);
  add_work("bytes_sent", "bytes", &Work::bytes_sent);
  return quantities;
}

}  // namespace bench::reports
