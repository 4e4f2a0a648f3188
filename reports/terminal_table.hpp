#pragma once

#include <cstddef>
#include <string>

#include "reports/table.hpp"

namespace bench::reports {

// Aligned columns with everything around them, as `bench run` prints it; ends with a newline. A table wider
// than `width` is continued below with its key columns repeated.
std::string terminal_table(const Table& table, std::size_t width = 120);

}  // namespace bench::reports
