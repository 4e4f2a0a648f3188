#include "reports/latex_text.hpp"

#include <string_view>

#include "harness/core/text.hpp"

namespace bench::reports {
namespace {

std::string escaped_latex(std::string_view raw) {
  const std::string text = printable(raw);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest(text.data() + i, text.size() - i);
    const auto takes = [&](std::string_view symbol, std::string_view command) {
      if (!rest.starts_with(symbol)) return false;
      result += command;
      i += symbol.size() - 1;
      return true;
    };
    if (takes("±", "$\\pm$") || takes("µ", "$\\mu$") || takes("–", "--") || takes("·", "$\\cdot$") ||
        takes("\\", "\\textbackslash{}") || takes("~", "\\textasciitilde{}") ||
        takes("^", "\\textasciicircum{}") || takes("<", "\\textless{}") || takes(">", "\\textgreater{}") ||
        takes("|", "\\textbar{}"))
      continue;
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string row_of(const std::vector<std::string>& cells) {
  return join(cells, " & ") + " \\\\\n";
}

}  // namespace

std::string latex_table(const Table& table) {
  std::string text = "% needs \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n";
  std::vector<std::string> caption{escaped_latex(table.title)};
  for (const std::string& common : table.common) caption.push_back(escaped_latex(common));
  text += "  \\caption{" + join(caption, ", ") + "}\n";
  if (!table.columns.empty()) {
    std::string alignments;
    std::vector<std::string> headings;
    for (const Column& column : table.columns) {
      alignments += column.alignment == Alignment::left ? 'l' : 'r';
      headings.push_back(
          escaped_latex(column.heading + (column.unit.empty() ? "" : " (" + column.unit + ")")));
    }
    text +=
        "  \\begin{tabular}{" + alignments + "}\n    \\toprule\n    " + row_of(headings) + "    \\midrule\n";
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const std::string& cell : row) cells.push_back(escaped_latex(cell));
      text += "    " + row_of(cells);
    }
    text += "    \\bottomrule\n  \\end{tabular}\n";
  }
  text += "\\end{table}\n";
  for (const std::string& note : table.problems) text += "% " + printable(note) + "\n";
  for (const std::string& note : table.notes) text += "% " + printable(note) + "\n";
  return text;
}

}  // namespace bench::reports
