#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/recorded_conditions.hpp"
#include "harness/core/text.hpp"
#include "reports/machine_text.hpp"
#include "reports/markdown_text.hpp"
#include "reports/results_table.hpp"
#include "reports/shell.hpp"

namespace bench::reports {
namespace {

// Those of `places` that say anything of the times; empty: there are none.
std::string listed(std::string_view heading, const std::vector<RecordedCondition>& conditions,
                   std::initializer_list<ConditionPlace> places) {
  std::string lines;
  for (const RecordedCondition& condition : conditions)
    if (std::ranges::find(places, condition.row->place) != places.end() &&
        condition.row->compared != Judgement::ignored)
      lines += "- " + code(condition.name + "=" + condition.value) + "\n";
  return lines.empty() ? "" : fmt::format("\n{}:\n\n{}", heading, lines);
}

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
  const std::vector<RecordedCondition> conditions = recorded_conditions(document);
  text += listed("Conditions that bench set for the workers, and what they say of themselves", conditions,
                 {ConditionPlace::set, ConditionPlace::worker_said});
  text += listed("Conditions as found", conditions, {ConditionPlace::variable, ConditionPlace::fact});
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
