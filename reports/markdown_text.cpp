#include "reports/markdown_text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "harness/core/text.hpp"

namespace bench::reports {
namespace {

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
}

}  // namespace

std::string escaped(std::string_view raw) {
  const std::string text = printable(raw);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (const char c = text[i]) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '$':
        result += "&#36;";  // GitHub's formulas
        break;
      case '_':  // inside a word it is no markup, and tokens_per_second stays readable in the source
        if (!(i > 0 && is_word(text, i - 1) && is_word(text, i + 1))) result += '\\';
        result += c;
        break;
      case '@':
        result += is_word(text, i + 1) ? "@&#8203;" : "@";
        break;
      default:
        if (std::string_view("\\`*[]|~").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
  }
  return result;
}

std::string code(std::string_view raw) {
  const std::string text = printable(raw);
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string_view space = longest > 0 || text.empty() ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, space, text, space, fence);
}

std::string markdown_table(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns) {
    const std::string unit = column.unit.empty() ? "" : " (" + column.unit + ")";
    text += " " + escaped(column.heading + unit) + " |";
  }
  text += "\n|";
  for (const Column& column : table.columns)
    text += column.alignment == Alignment::left ? " :--- |" : " ---: |";
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + escaped(cell) + " |";
    text += "\n";
  }
  return text;
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + escaped(line) + "\n";
  return text;
}

}  // namespace bench::reports
