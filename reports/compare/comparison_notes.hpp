#pragma once

#include <string>
#include <vector>

#include "reports/compare/comparison.hpp"

namespace bench::reports {

// "6 cases: 2 slower, 1 same, 3 undecided; geometric mean of the changes +3.1%, 95% interval ...", one a
// side.
std::vector<std::string> summary_lines(const Comparison& comparison);

// What a reader must know to read the table, and what differs between the documents.
std::vector<std::string> comparison_notes(const Comparison& comparison);

// The cases without a partner.
std::vector<std::string> unmatched_notes(const Comparison& comparison);

// The commands, ready to paste, that would decide what is undecided; empty when nothing is.
std::vector<std::string> next_commands(const Comparison& comparison);

}  // namespace bench::reports
