#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"
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
// The number of each case that is the same metric as `about`, all in one unit; a case that is not ok has
// none.
Built metric_column(const Cases& cases, const Summary& about);
// The same for several lists of cases, all in the same unit, so that they compare at a glance. A cell of a
// case that is not ok says what it is instead.
std::vector<Built> metric_columns(const std::vector<Cases>& lists, const Summary& about);

// Of each metric of all ok cases its first summary, each case's order kept: one that only later cases have
// goes behind the one that it follows there, so that phases stand beside the step whichever mode comes first.
std::vector<const Summary*> metrics_of(const Cases& cases);

// nullptr for a case that is not ok: it has no numbers.
const Summary* summary_of(const CaseResult* result, const Summary& about);

}  // namespace bench::reports
