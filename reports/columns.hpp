#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/table.hpp"

// The columns that results are shown in.
namespace bench::reports {

// One case a row; nullptr: the row has none.
using Cases = std::vector<const CaseResult*>;

// Cells of one column, top to bottom, and what stands above them.
struct Built {
  Column column;
  std::vector<std::string> cells;
};

Built parameter_column(const Cases& cases, const std::string& name);
Built status_column(const Cases& cases);
// One number of each case, all in one unit; a case that is not ok has none.
Built metric_column(const Cases& cases, const std::string& metric, const std::string& unit);
// The same for several lists of cases, all in the same unit, so that they compare at a glance. A cell of a
// case that is not ok says what it is instead.
std::vector<Built> metric_columns(const std::vector<Cases>& lists, const std::string& metric,
                                  const std::string& unit);

// (metric, unit) of all ok cases, each case's order kept: one that only later cases have goes behind the one
// that it follows there, so that phases stand beside the step whichever mode comes first.
std::vector<std::pair<std::string, std::string>> metrics_of(const Cases& cases);

// nullptr for a case that is not ok: it has no numbers.
const Summary* summary_of(const CaseResult* result, const std::string& metric, const std::string& unit);

}  // namespace bench::reports
