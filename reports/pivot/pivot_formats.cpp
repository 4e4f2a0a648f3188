#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "reports/csv_text.hpp"
#include "reports/latex_text.hpp"
#include "reports/markdown_text.hpp"
#include "reports/pivot/pivot.hpp"

namespace bench::reports {
namespace {

std::string pivot_markdown(const Pivot& pivot) {
  const Table table = pivot_table(pivot);
  const bool intervals = std::ranges::any_of(pivot.values, [](const PivotValue& value) {
    return value.about.kind == Quantity::time && std::ranges::any_of(value.cells, [](const auto& row) {
             return std::ranges::any_of(row, [](const PivotCell& cell) { return cell.low && cell.high; });
           });
  });
  return "# " + escaped(table.title) + "\n\n" + escaped(join(table.common, " · ")) + "\n\n" +
         markdown_table(table) +
         (intervals ? "\nTimes are medians ± their 95% intervals (the farther end).\n" : "");
}

// One row a cell, numbers unscaled, so that the next program need not undo a layout.
std::string pivot_csv(const Pivot& pivot) {
  const std::vector<std::string> fixed{"metric", "unit", "status", "value", "low", "high"};
  std::vector<std::string> names = pivot.row_names;
  names.insert(names.end(), pivot.column_names.begin(), pivot.column_names.end());
  std::vector<std::string> heading = parameter_headings(names, fixed);
  heading.insert(heading.end(), fixed.begin(), fixed.end());
  std::string text = csv_line(heading);
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "";
  };
  for (const PivotValue& value : pivot.values)
    for (std::size_t row = 0; row < pivot.rows.size(); ++row)
      for (std::size_t column = 0; column < pivot.columns.size(); ++column) {
        const PivotCell& cell = value.cells[row][column];
        if (!cell.present) continue;
        std::vector<std::string> cells;
        for (const std::string& key : pivot.rows[row]) cells.push_back(csv_text(key));
        for (const std::string& key : pivot.columns[column]) cells.push_back(csv_text(key));
        cells.insert(cells.end(), {csv_text(value.about.metric), csv_text(value.about.unit),
                                   std::string(to_text(cell.status)), number(cell.value), number(cell.low),
                                   number(cell.high)});
        text += csv_line(cells);
      }
  return text;
}

std::string pivot_latex(const Pivot& pivot) {
  return latex_table(pivot_table(pivot));
}

}  // namespace

const std::vector<PivotFormat>& pivot_formats() {
  static const std::vector<PivotFormat> all{
      {"markdown", pivot_markdown}, {"csv", pivot_csv}, {"latex", pivot_latex}, {"svg", svg_chart}};
  return all;
}

const PivotFormat& pivot_format_named(std::string_view name) {
  const auto found = std::ranges::find(pivot_formats(), name, &PivotFormat::name);
  if (found != pivot_formats().end()) return *found;
  std::vector<std::string> names;
  for (const PivotFormat& format : pivot_formats()) names.push_back(format.name);
  throw Error(ErrorKind::usage, fmt::format("--rows, --columns and --value have no format \"{}\"{}",
                                            printable(name), did_you_mean(name, names)));
}

}  // namespace bench::reports
