#include <fmt/format.h>

#include "reports/compare/comparison.hpp"
#include "reports/csv_text.hpp"

namespace bench::reports {
namespace {

void add_time(std::vector<std::string>& cells, const Timed& timed) {
  cells.emplace_back(to_text(timed.status));
  if (timed.processes == 0) {
    cells.resize(cells.size() + 5);
    return;
  }
  cells.push_back(fmt::format("{}", timed.median_ns));
  cells.push_back(timed.interval_ns ? fmt::format("{}", timed.interval_ns->low) : "");
  cells.push_back(timed.interval_ns ? fmt::format("{}", timed.interval_ns->high) : "");
  cells.push_back(fmt::format("{}", timed.samples));
  cells.push_back(fmt::format("{}", timed.processes));
}

}  // namespace

// One row a case, time and side; further rows, without times, for its exact quantities.
std::string comparison_csv(const Comparison& comparison) {
  std::string text =
      csv_line({"case_id",      "metric",       "base",       "base_status",    "base_median_ns",
                "base_low_ns",  "base_high_ns", "base_n",     "base_processes", "side",
                "status",       "median_ns",    "low_ns",     "high_ns",        "n",
                "processes",    "ratio",        "ratio_low",  "ratio_high",     "verdict",
                "exact_metric", "exact_unit",   "exact_base", "exact_value"});
  constexpr std::size_t kColumns = 24;
  for (const ComparedCase& row : comparison.cases) {
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      const ComparedSide& side = row.sides[i];
      if (!side.present) continue;
      std::vector<std::string> cells{csv_text(row.about.configuration.id()), csv_text(row.metric),
                                     csv_text(comparison.base.name)};
      add_time(cells, row.base);
      cells.push_back(csv_text(comparison.sides[i].name));
      add_time(cells, side.timed);
      if (side.change) {
        const auto& interval = side.change->ratio_interval;
        cells.push_back(fmt::format("{}", side.change->ratio));
        cells.push_back(interval ? fmt::format("{}", interval->low) : "");
        cells.push_back(interval ? fmt::format("{}", interval->high) : "");
        cells.emplace_back(to_text(side.change->verdict));
      }
      cells.resize(kColumns);
      text += csv_line(cells);
      for (const Exact& exact : side.exact) {
        std::vector<std::string> counted(kColumns);
        counted[0] = cells[0];
        counted[2] = cells[2];
        counted[9] = cells[9];
        counted[20] = csv_text(exact.metric);
        counted[21] = csv_text(exact.unit);
        counted[22] = fmt::format("{}", exact.base);
        counted[23] = fmt::format("{}", exact.value);
        text += csv_line(counted);
      }
    }
  }
  return text;
}

}  // namespace bench::reports
