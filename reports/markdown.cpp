#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "reports/machine_text.hpp"
#include "reports/markdown_text.hpp"
#include "reports/shell.hpp"
#include "reports/table.hpp"

namespace bench::reports {
namespace {

std::string run_lines(const Document& document) {
  const RunInfo& run = document.run;
  if (!run.measured_by.empty()) {
    const std::string program = run.argv.empty() ? "" : " in " + code(published_line(run.argv));
    return "Measured by " + escaped(run.measured_by) + program + "; read from its file.\n";
  }
  std::string text = "Command: " + code(published_line(run.argv)) + "\n\n";
  std::vector<std::string> parts;
  if (!run.git_commit.empty()) parts.push_back("commit " + run.git_commit);
  for (const auto& [program, id] : run.build_ids) parts.push_back(program + " build " + id);
  parts.push_back(fmt::format("seed {}", run.seed));
  parts.push_back(fmt::format("method version {}", document.method_version));
  text += escaped(join(parts, ", ")) + "\n";
  if (document.conditions.empty()) return text;
  text += "\nConditions that bench set for the workers:\n\n";
  for (const auto& [name, value] : document.conditions) text += "- " + code(name + "=" + value) + "\n";
  return text;
}

}  // namespace

std::string markdown(const Document& document) {
  const Table table = results_table(document);
  std::string text = "# " + escaped(table.title);
  if (!document.run.begin_utc.empty()) text += ", " + escaped(date_text(document.run.begin_utc));
  text += "\n\n";
  if (const std::string machine = machine_line(document); !machine.empty()) text += escaped(machine) + "\n\n";
  if (!document.run.label.empty()) text += "Label: " + code(document.run.label) + "\n\n";
  if (!table.common.empty()) text += escaped(join(table.common, " · ")) + "\n\n";
  text += table.columns.empty() ? "No case was measured.\n" : markdown_table(table);
  if (!table.problems.empty()) text += "\nCases without a result:\n\n" + list_of(table.problems);
  if (!table.notes.empty()) text += "\nAbout these numbers:\n\n" + list_of(table.notes);
  return text + "\n" + run_lines(document);
}

}  // namespace bench::reports
