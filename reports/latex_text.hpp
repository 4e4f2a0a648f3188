#pragma once

#include <string>

#include "reports/table.hpp"

namespace bench::reports {

// One table with booktabs rules, for \input into a document; problems and notes as comments.
std::string latex_table(const Table& table);

}  // namespace bench::reports
