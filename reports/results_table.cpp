#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "reports/columns.hpp"
#include "reports/mode_rows.hpp"
#include "reports/notes.hpp"
#include "reports/parameters.hpp"
#include "reports/results_table.hpp"

namespace bench::reports {
namespace {

// Everything but columns and rows.
Table framed(const Document& document, const std::vector<std::string>& varying) {
  Table table;
  table.title = document.run.workload + (document.run.device.empty() ? "" : " on " + document.run.device);
  std::string sometimes;  // one value, of those cases that have the parameter at all
  for (const std::string& name : parameter_names(document)) {
    if (std::ranges::find(varying, name) != varying.end()) continue;
    const std::string text = name + " " + to_text(*common_value(document, name));
    if (std::ranges::all_of(document.cases,
                            [&](const CaseResult& r) { return parameter_of(r, name).has_value(); }))
      table.common.push_back(text);
    else
      sometimes += (sometimes.empty() ? "where it applies: " : ", ") + text;
  }
  if (!sometimes.empty()) table.common.push_back(sometimes);
  table.problems = problems_of(document);
  table.notes = notes_of(document);
  return table;
}

void add_column(Table& table, Built&& built) {
  table.rows.resize(built.cells.size());
  table.columns.push_back(std::move(built.column));
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    table.rows[row].push_back(std::move(built.cells[row]));
}

bool is_rate(const Summary& summary) {
  return summary.kind == Quantity::rate || summary.kind == Quantity::share;
}

// The same number in each row, whatever the mode: a count of parameters.
bool is_the_same_in_all_modes(const ModeRows& found, const Summary& about) {
  for (std::size_t row = 0; row < found.richest.size(); ++row) {
    std::optional<double> value;
    for (const Cases& cases : found.by_mode) {
      const Summary* summary = summary_of(cases[row], about);
      if (summary == nullptr) continue;
      if (summary->n > 0 || (value && *value != summary->value)) return false;
      value = summary->value;
    }
  }
  return true;
}

// What every mode holds that was measured at all: the peak of a whole step.
bool is_of_every_mode(const ModeRows& found, const Summary& about) {
  return std::ranges::all_of(found.by_mode, [&](const Cases& cases) {
    return std::ranges::none_of(cases,
                                [](const CaseResult* one) { return one && one->status == Status::ok; }) ||
           std::ranges::any_of(cases,
                               [&](const CaseResult* one) { return summary_of(one, about) != nullptr; });
  });
}

// For each row the first of its modes that has the number.
Cases any_mode(const ModeRows& found, const Summary& about) {
  Cases cases = found.richest;
  for (std::size_t row = 0; row < cases.size(); ++row)
    for (const Cases& of_mode : found.by_mode)
      if (summary_of(of_mode[row], about) != nullptr) cases[row] = of_mode[row];
  return cases;
}

void add_of_modes(Table& table, const ModeRows& found, const std::vector<std::size_t>& modes,
                  const std::string& prefix, const Summary& about) {
  std::vector<Cases> lists;
  for (const std::size_t mode : modes) lists.push_back(found.by_mode[mode]);
  std::vector<Built> columns = metric_columns(lists, about);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    columns[i].column.heading = prefix + found.modes[modes[i]];
    add_column(table, std::move(columns[i]));
  }
}

// A column for each mode that has the number: "bwd peak mem (backward)".
void add_where_known(Table& table, const ModeRows& found, const Summary& about) {
  for (std::size_t mode = 0; mode < found.modes.size(); ++mode) {
    if (std::ranges::none_of(found.by_mode[mode],
                             [&](const CaseResult* result) { return summary_of(result, about) != nullptr; }))
      continue;
    Built built = metric_column(found.by_mode[mode], about);
    built.column.heading += fmt::format(" ({})", found.modes[mode]);
    add_column(table, std::move(built));
  }
}

// A row for cases that differ in their mode alone: each mode's step from its own case, rates of the mode with
// the most work, and peak memory of the modes with the least and the most. Whatever else differs, of each
// mode that has it. Phases are left to the other formats.
Table table_of_mode_rows(const Document& document, const ModeRows& found) {
  std::vector<std::string> varying = varying_parameters(document);
  Table table = framed(document, varying);
  std::erase(varying, kModeParameter);
  for (const std::string& name : varying) add_column(table, parameter_column(found.richest, name));
  table.key_columns = varying.size();
  if (varying.empty()) {  // a single row still needs its name
    add_column(table, {.column = {.heading = "workload", .alignment = Alignment::left},
                       .cells = std::vector<std::string>(found.richest.size(), document.run.workload)});
    table.key_columns = 1;
  }

  Cases all;
  for (const CaseResult& result : document.cases) all.push_back(&result);
  std::vector<std::size_t> modes(found.modes.size());
  for (std::size_t mode = 0; mode < modes.size(); ++mode) modes[mode] = mode;
  const std::size_t most = modes.size() - 1;
  const std::vector<const Summary*> metrics = metrics_of(all);
  const auto headline =
      std::ranges::find_if(metrics, [](const Summary* one) { return is_sampled_time(*one); });
  for (auto metric = metrics.begin(); metric != metrics.end(); ++metric) {
    const Summary& about = **metric;
    if (metric == headline) {
      add_of_modes(table, found, modes, "", about);
    } else if (is_rate(about)) {
      Built built = metric_column(found.by_mode[most], about);
      built.column.heading += fmt::format(" ({})", found.modes[most]);
      add_column(table, std::move(built));
    } else if (is_the_same_in_all_modes(found, about)) {
      add_column(table, metric_column(any_mode(found, about), about));
    } else if (about.kind == Quantity::memory && is_of_every_mode(found, about)) {
      add_of_modes(table, found, {0, most}, "peak ", about);
    } else if (about.kind != Quantity::time) {
      add_where_known(table, found, about);
    }
  }
  return table;
}

}  // namespace

Table cases_table(const Document& document) {
  const std::vector<std::string> varying = varying_parameters(document);
  Table table = framed(document, varying);
  Cases all;
  for (const CaseResult& result : document.cases) all.push_back(&result);
  for (const std::string& name : varying) add_column(table, parameter_column(all, name));
  if (std::ranges::any_of(document.cases, [](const CaseResult& r) { return r.status != Status::ok; })) {
    table.status_column = table.columns.size();
    add_column(table, status_column(all));
  }
  table.key_columns = table.columns.size();
  for (const Summary* about : metrics_of(all)) add_column(table, metric_column(all, *about));
  table.rows.resize(all.size());
  return table;
}

Table results_table(const Document& document) {
  // Where nothing was timed, each case and how it ended is all there is to show.
  if (std::ranges::none_of(document.cases, [](const CaseResult& r) { return r.status == Status::ok; }))
    return cases_table(document);
  const ModeRows found = mode_rows_of(document);
  return found.modes.empty() ? cases_table(document) : table_of_mode_rows(document, found);
}

}  // namespace bench::reports
