#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "reports/parameters.hpp"

namespace bench::reports {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// RFC 4180. Spreadsheets run text that begins with = + - @ as a formula: an apostrophe keeps it text. Control
// characters, line breaks among them, become '?'.
std::string text_cell(std::string_view text) {
  std::string cell = printable(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string_view::npos && !is_number(cell)) {
    cell.insert(0, 1, '\'');
  }
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string value_cell(const std::optional<Value>& value) {
  return value ? text_cell(to_text(*value)) : "";
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string line_of(const std::vector<std::string>& cells) {
  return join(cells, ",") + "\r\n";
}

std::vector<std::string> summary_cells(const Summary& summary) {
  return {text_cell(summary.metric),    text_cell(summary.unit),
          number_cell(summary.value),   number_cell(summary.low),
          number_cell(summary.high),    fmt::format("{}", summary.n),
          number_cell(summary.mean),    number_cell(summary.standard_deviation),
          number_cell(summary.minimum), number_cell(summary.p10),
          number_cell(summary.p90)};
}

}  // namespace

std::string csv(const Document& document) {
  const std::vector<std::string> names = parameter_names(document);
  std::vector<std::string> heading{"case_id", "label", "device", "workload"};
  for (const std::string& name : names) heading.push_back(text_cell(name));
  heading.insert(heading.end(), kMeasurementParameters.begin(), kMeasurementParameters.end());
  for (const char* name : {"steps_per_sample", "status", "reason", "metric", "unit", "value", "low", "high",
                           "n", "mean", "standard_deviation", "minimum", "p10", "p90"}) {
    heading.emplace_back(name);
  }

  std::string text = line_of(heading);
  for (const CaseResult& result : document.cases) {
    std::vector<std::string> about_case{text_cell(result.configuration.id()), text_cell(document.run.label),
                                        text_cell(document.run.device),
                                        text_cell(result.configuration.workload)};
    for (const std::string& name : names) about_case.push_back(value_cell(parameter_of(result, name)));
    for (const std::string& name : kMeasurementParameters) {
      about_case.push_back(value_cell(parameter_of(result, name)));
    }
    about_case.push_back(fmt::format("{}", result.steps_per_sample));
    about_case.emplace_back(to_text(result.status));
    about_case.push_back(text_cell(result.reason));

    const auto add_row = [&](std::vector<std::string> measured) {
      std::vector<std::string> cells = about_case;
      cells.insert(cells.end(), measured.begin(), measured.end());
      cells.resize(heading.size());
      text += line_of(cells);
    };
    // A case that is not ok has no numbers, but stays visible.
    if (result.status != Status::ok || result.summaries.empty()) {
      add_row({});
    } else {
      for (const Summary& summary : result.summaries) add_row(summary_cells(summary));
    }
  }
  return text;
}

}  // namespace bench::reports
