#include "harness/core/text.hpp"
#include "reports/compare/comparison_notes.hpp"
#include "reports/compare/comparison_table.hpp"
#include "reports/markdown_text.hpp"

namespace bench::reports {

std::string comparison_markdown(const Comparison& comparison) {
  const Table table = comparison_table(comparison);
  std::string text = "# " + escaped(table.title) + "\n\n";
  if (!table.common.empty()) text += escaped(join(table.common, " · ")) + "\n\n";
  text += markdown_table(table) + "\n";
  for (const std::string& line : summary_lines(comparison)) text += escaped(line) + "\n";
  if (!table.problems.empty()) text += "\nCases without a partner:\n\n" + list_of(table.problems);
  text += "\nAbout these numbers:\n\n" + list_of(table.notes);
  if (const auto commands = next_commands(comparison); !commands.empty()) {
    text += "\nTo decide, measure both sides again and compare those runs:\n\n";
    for (const std::string& command : commands) text += "- " + code(command) + "\n";
  }
  return text;
}

}  // namespace bench::reports
