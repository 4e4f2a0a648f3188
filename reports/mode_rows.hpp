#pragma once

#include <string>
#include <vector>

#include "reports/columns.hpp"

// Cases that differ in their `mode` alone share a row, with a cell for each mode.
namespace bench::reports {

inline const std::string kModeParameter = "mode";

struct ModeRows {
  std::vector<std::string> modes;  // by work, the least first
  // by_mode[m][row]: the case of mode m; nullptr: it was not asked for. Parameters that only some modes have
  // (an optimizer) tell rows apart; a case without them belongs to each of those rows.
  std::vector<Cases> by_mode;
  Cases richest;  // of each row the case with the most parameters, which says what the row is
};

// No modes: the document has none to merge.
ModeRows mode_rows_of(const Document& document);

}  // namespace bench::reports
