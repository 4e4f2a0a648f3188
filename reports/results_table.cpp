#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/notes.hpp"
#include "reports/parameters.hpp"
#include "reports/scale.hpp"
#include "reports/table.hpp"

namespace bench::reports {
namespace {

constexpr std::string_view kNothing = "–";

// Cells of one column, top to bottom, and what stands above them.
struct Built {
  Column column;
  std::vector<std::string> cells;
};

Built parameter_column(const Document& document, const std::string& name) {
  Built built{.column = {.heading = name, .unit = "", .alignment = Alignment::right}, .cells = {}};
  for (const CaseResult& result : document.cases) {
    const auto value = parameter_of(result, name);
    if (value && std::holds_alternative<std::string>(*value)) built.column.alignment = Alignment::left;
    built.cells.push_back(value ? to_text(*value) : std::string(kNothing));
  }
  return built;
}

Built status_column(const Document& document) {
  Built built{.column = {.heading = "status", .unit = "", .alignment = Alignment::left}, .cells = {}};
  for (const CaseResult& result : document.cases) {
    built.cells.emplace_back(to_text(result.status));
    std::ranges::replace(built.cells.back(), '_', ' ');
  }
  return built;
}

// nullptr for a case that is not ok: it has no numbers.
const Summary* summary_of(const CaseResult& result, const std::string& metric, const std::string& unit) {
  if (result.status != Status::ok) return nullptr;
  const auto found = std::ranges::find_if(result.summaries, [&](const Summary& summary) {
    return summary.metric == metric && summary.unit == unit;
  });
  return found == result.summaries.end() ? nullptr : &*found;
}

// The 95% interval is not symmetric; the distance of its farther end promises no more than it holds.
std::optional<double> distance_of(const Summary& summary) {
  if (summary.unit != "ns" || !summary.low || !summary.high) return std::nullopt;
  return std::max(*summary.high - summary.value, summary.value - *summary.low);
}

Built metric_column(const Document& document, const std::string& metric, const std::string& unit) {
  std::vector<double> values, distances;
  for (const CaseResult& result : document.cases) {
    if (const Summary* summary = summary_of(result, metric, unit)) {
      values.push_back(summary->value);
      if (const auto distance = distance_of(*summary)) distances.push_back(*distance);
    }
  }
  const Scale scale = choose_scale(unit, values, distances);
  Built built;
  std::tie(built.column.heading, built.column.unit) = heading_of(metric, scale);
  for (const CaseResult& result : document.cases) {
    const Summary* summary = summary_of(result, metric, unit);
    if (summary == nullptr) {
      built.cells.emplace_back(kNothing);
      continue;
    }
    built.cells.push_back(format_scaled(summary->value, scale));
    if (const auto distance = distance_of(*summary)) {
      built.cells.back() += " ± " + format_scaled(*distance, scale);
    }
  }
  return built;
}

// (metric, unit) of all ok cases, each case's order kept: one that only later cases have goes behind the one
// that it follows there, so that phases stand beside the step whichever mode comes first.
std::vector<std::pair<std::string, std::string>> metrics_of(const Document& document) {
  std::vector<std::pair<std::string, std::string>> metrics;
  for (const CaseResult& result : document.cases) {
    if (result.status != Status::ok) continue;
    auto place = metrics.begin();
    for (const Summary& summary : result.summaries) {
      const std::pair metric(summary.metric, summary.unit);
      const auto known = std::ranges::find(metrics, metric);
      place = known == metrics.end() ? metrics.insert(place, metric) + 1 : known + 1;
    }
  }
  return metrics;
}

}  // namespace

Table results_table(const Document& document) {
  Table table;
  table.title = document.run.workload + (document.run.device.empty() ? "" : " on " + document.run.device);
  const std::vector<std::string> varying = varying_parameters(document);
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

  std::vector<Built> columns;
  for (const std::string& name : varying) columns.push_back(parameter_column(document, name));
  if (std::ranges::any_of(document.cases, [](const CaseResult& r) { return r.status != Status::ok; })) {
    columns.push_back(status_column(document));
  }
  table.key_columns = columns.size();
  for (const auto& [metric, unit] : metrics_of(document))
    columns.push_back(metric_column(document, metric, unit));

  table.rows.resize(document.cases.size());
  for (Built& built : columns) {
    table.columns.push_back(std::move(built.column));
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      table.rows[row].push_back(std::move(built.cells[row]));
    }
  }
  table.problems = problems_of(document);
  table.notes = notes_of(document);
  return table;
}

}  // namespace bench::reports
