#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace bench::reports
