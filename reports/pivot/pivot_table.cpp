#include <algorithm>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "reports/compare/comparison_table.hpp"
#include "reports/pivot/pivot.hpp"
#include "reports/scale.hpp"

namespace bench::reports {
namespace {

constexpr std::string_view kNothing = "–";

std::optional<double> distance_of(const PivotCell& cell, Quantity kind) {
  if (kind != Quantity::time || !cell.value || !cell.low || !cell.high) return std::nullopt;
  return std::max(*cell.high - *cell.value, *cell.value - *cell.low);
}

Scale scale_of(const PivotValue& value) {
  std::vector<double> values, distances;
  for (const auto& row : value.cells)
    for (const PivotCell& cell : row) {
      if (cell.value) values.push_back(*cell.value);
      if (const auto distance = distance_of(cell, value.about.kind)) distances.push_back(*distance);
    }
  return choose_scale(value.about.unit, values, distances);
}

std::string text_of(const PivotCell& cell, Quantity kind, const Scale& scale) {
  if (!cell.present) return std::string(kNothing);
  if (cell.status != Status::ok) return words(cell.status);
  if (!cell.value) return std::string(kNothing);
  const auto distance = distance_of(cell, kind);
  return format_scaled(*cell.value, scale) + (distance ? " ± " + format_scaled(*distance, scale) : "");
}

}  // namespace

Table pivot_table(const Pivot& pivot) {
  Table table;
  table.title = pivot.title;
  table.common = pivot.common;
  table.rows.resize(pivot.rows.size());
  for (std::size_t i = 0; i < pivot.row_names.size(); ++i) {
    Column column{pivot.row_names[i], "", Alignment::right};
    for (std::size_t row = 0; row < pivot.rows.size(); ++row) {
      const std::string& text = pivot.rows[row][i];
      if (!number_from<double>(text)) column.alignment = Alignment::left;
      table.rows[row].push_back(text.empty() ? std::string(kNothing) : text);
    }
    table.columns.push_back(std::move(column));
  }
  table.key_columns = pivot.row_names.size();
  for (const PivotValue& value : pivot.values) {
    const Scale scale = scale_of(value);
    const auto [metric, unit] = heading_of(value.about.heading, value.about.kind, scale);
    for (std::size_t column = 0; column < pivot.columns.size(); ++column) {
      const std::string label = key_text(pivot.columns[column]);
      table.columns.push_back({label.empty() ? metric : metric + ", " + label, unit, Alignment::right});
      for (std::size_t row = 0; row < pivot.rows.size(); ++row)
        table.rows[row].push_back(text_of(value.cells[row][column], value.about.kind, scale));
    }
  }
  if (pivot.repetitions > 1)
    table.notes.push_back(
        fmt::format("a case was measured up to {} times: its cell is the median of them, without an interval",
                    pivot.repetitions));
  return table;
}

}  // namespace bench::reports
