#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

enum class Alignment { left, right };

struct Column {
  std::string heading;
  std::string unit;  // "ms"; empty for pure numbers, names, and where the heading is the unit: "tokens/s"
  Alignment alignment = Alignment::right;

  bool operator==(const Column&) const = default;
};

// What printers lay out. Texts are as they come (a label may mean harm): each printer makes them safe for its
// medium.
struct Table {
  std::string title;                // "model on cpu"
  std::vector<std::string> common;  // "context 256": the parameters that have one value in all cases
  std::vector<Column> columns;
  std::optional<std::size_t> status_column;  // absent: all cases are ok
  std::size_t key_columns = 0;  // the first ones say which case a row is; repeated where a table is split
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
  std::vector<std::string> problems;           // the cases that are not ok, with their reasons
  std::vector<std::string> notes;              // how to read the numbers, and warnings; one line each

  bool operator==(const Table&) const = default;
};

// One row per configuration: cases that differ in their mode alone share a row, in which each mode's cells
// come from its own case. Where no two cases do, cases_table.
Table results_table(const Document& document);

// One row per case: the parameters that vary, a status if some case is not ok, and a column per summary in
// the order of first appearance, each in one unit. Sampled times are "median ± distance of the 95% interval's
// farther end".
Table cases_table(const Document& document);

// Aligned columns with everything around them, as `bench run` prints it; ends with a newline. A table wider
// than `width` is continued below with its key columns repeated.
std::string terminal_table(const Table& table, std::size_t width = 120);

}  // namespace bench::reports
