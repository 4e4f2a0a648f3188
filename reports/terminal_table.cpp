#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "reports/terminal_table.hpp"

namespace bench::reports {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kPlusMinus = " ± ";
constexpr std::string_view kDot = " · ";

std::string padded(const std::string& text, std::size_t width, Alignment alignment) {
  const std::size_t have = display_width(text);
  const std::string spaces(width > have ? width - have : 0, ' ');
  return alignment == Alignment::left ? text + spaces : spaces + text;
}

// One column as lines, none wider than `width`.
struct Laid {
  std::vector<std::string> heading;  // its last line is the unit, until settle_headings
  std::vector<std::string> cells;
  std::size_t width = 0;
};

// Pads after ± so that the signs of one column stand below each other.
void line_up_plus_minus(std::vector<std::string>& cells) {
  std::size_t widest = 0;
  const auto right_part = [](const std::string& cell) -> std::size_t {
    const auto at = cell.find(kPlusMinus);
    return at == cell.npos ? 0 : display_width(std::string_view(cell).substr(at));
  };
  for (const std::string& cell : cells) widest = std::max(widest, right_part(cell));
  for (std::string& cell : cells) {
    const std::size_t have = right_part(cell);
    if (have == 0) {
      cell += std::string(widest, ' ');
    } else {
      cell.insert(cell.find(kPlusMinus) + kPlusMinus.size(), widest - have, ' ');
    }
  }
}

// Breaks a heading into words where it is wider than its column's cells, so that it does not widen the table.
std::vector<std::string> heading_lines(const Column& column, std::size_t cell_width) {
  std::vector<std::string> lines;
  for (const std::string& word : split(printable(column.heading), ' ')) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= cell_width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  lines.push_back(printable(column.unit));
  return lines;
}

Laid lay_out(const Table& table, std::size_t index) {
  const Column& column = table.columns[index];
  Laid laid;
  for (const auto& row : table.rows) laid.cells.push_back(printable(row[index]));
  if (column.alignment == Alignment::right) line_up_plus_minus(laid.cells);
  for (const std::string& cell : laid.cells) laid.width = std::max(laid.width, display_width(cell));
  laid.heading = heading_lines(column, laid.width);
  for (const std::string& line : laid.heading) laid.width = std::max(laid.width, display_width(line));
  return laid;
}

// Makes the headings of one block equally high: they stand on the rule below them, those without a unit too.
void settle_headings(std::vector<Laid>& columns) {
  std::size_t height = 0;
  for (Laid& laid : columns) {
    if (laid.heading.size() > 1 && laid.heading.back().empty()) laid.heading.pop_back();
    height = std::max(height, laid.heading.size());
  }
  for (Laid& laid : columns) laid.heading.insert(laid.heading.begin(), height - laid.heading.size(), "");
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The columns `indices` as lines.
std::string block(const Table& table, const std::vector<Laid>& laid,
                  const std::vector<std::size_t>& indices) {
  std::vector<Laid> columns;
  for (const std::size_t index : indices) columns.push_back(laid[index]);
  settle_headings(columns);

  std::string text;
  const auto add_line = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line += (i == 0 ? "" : std::string(kGap)) +
              padded(cell_of(columns[i]), columns[i].width, table.columns[indices[i]].alignment);
    }
    text += without_trailing_spaces(line) + "\n";
  };
  for (std::size_t row = 0; row < columns.front().heading.size(); ++row) {
    add_line([&](const Laid& column) { return column.heading[row]; });
  }
  add_line([](const Laid& column) { return std::string(column.width, '-'); });
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    add_line([&](const Laid& column) { return column.cells[row]; });
  }
  return text;
}

// Which columns stand side by side; each block begins with the key columns.
std::vector<std::vector<std::size_t>> blocks_of(const Table& table, const std::vector<Laid>& laid,
                                                std::size_t width) {
  std::vector<std::size_t> keys;
  std::size_t keys_width = 0;
  for (std::size_t i = 0; i < table.key_columns; ++i) {
    keys.push_back(i);
    keys_width += laid[i].width + kGap.size();
  }
  std::vector<std::vector<std::size_t>> blocks{keys};
  std::size_t used = keys_width;
  for (std::size_t i = table.key_columns; i < laid.size(); ++i) {
    const bool first = blocks.back().size() == keys.size();
    if (!first && used + laid[i].width > width) {
      blocks.push_back(keys);
      used = keys_width;
    }
    blocks.back().push_back(i);
    used += laid[i].width + kGap.size();
  }
  return blocks;
}

// "a · b · c", broken at the dots.
std::string dotted(const std::vector<std::string>& parts, std::size_t width) {
  std::string text, line;
  for (const std::string& part : parts) {
    const std::string shown = printable(part);
    if (!line.empty() && display_width(line) + display_width(kDot) + display_width(shown) > width) {
      text += line + "\n";
      line = "  " + shown;
    } else {
      line += (line.empty() ? "" : std::string(kDot)) + shown;
    }
  }
  return text + line + "\n";
}

}  // namespace

std::string terminal_table(const Table& table, std::size_t width) {
  std::vector<std::string> head{table.title};
  head.insert(head.end(), table.common.begin(), table.common.end());
  std::string text = dotted(head, std::min<std::size_t>(width, 100)) + "\n";

  if (table.rows.empty() || table.columns.empty()) {
    text += "no case was measured\n";
  } else {
    std::vector<Laid> laid;
    for (std::size_t i = 0; i < table.columns.size(); ++i) laid.push_back(lay_out(table, i));
    bool first = true;
    for (const auto& indices : blocks_of(table, laid, width)) {
      if (!std::exchange(first, false)) text += "\n";
      text += block(table, laid, indices);
    }
  }
  if (!table.problems.empty()) text += "\n";
  for (const std::string& problem : table.problems) text += printable(problem) + "\n";
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += printable(note) + "\n";
  return text;
}

}  // namespace bench::reports
