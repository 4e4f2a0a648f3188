#include <fmt/format.h>

#include "reports/csv_text.hpp"
#include "reports/parameters.hpp"

namespace bench::reports {
namespace {

std::string value_cell(const std::optional<Value>& value) {
  return value ? csv_text(to_text(*value)) : "";
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::vector<std::string> summary_cells(const Summary& summary) {
  return {csv_text(summary.metric),     csv_text(summary.unit),
          number_cell(summary.value),   number_cell(summary.low),
          number_cell(summary.high),    fmt::format("{}", summary.n),
          number_cell(summary.mean),    number_cell(summary.standard_deviation),
          number_cell(summary.minimum), number_cell(summary.p10),
          number_cell(summary.p90)};
}

}  // namespace

std::string csv(const Document& document) {
  const std::vector<std::string> names = parameter_names(document);
  const std::vector<std::string> about{"case_id", "label", "device", "workload"};
  std::vector<std::string> measured = kMeasurementParameters;
  measured.insert(measured.end(),
                  {"repetition", "steps_per_sample", "status", "reason", "metric", "unit", "value", "low",
                   "high", "n", "mean", "standard_deviation", "minimum", "p10", "p90"});
  std::vector<std::string> fixed = about;
  fixed.insert(fixed.end(), measured.begin(), measured.end());
  std::vector<std::string> heading = about;
  for (std::string& name : parameter_headings(names, fixed)) heading.push_back(std::move(name));
  heading.insert(heading.end(), measured.begin(), measured.end());

  std::string text = csv_line(heading);
  for (const CaseResult& result : document.cases) {
    std::vector<std::string> about_case{csv_text(result.configuration.id()), csv_text(document.run.label),
                                        csv_text(document.run.device),
                                        csv_text(result.configuration.workload)};
    for (const std::string& name : names) about_case.push_back(value_cell(parameter_of(result, name)));
    for (const std::string& name : kMeasurementParameters)
      about_case.push_back(value_cell(parameter_of(document, result, name)));
    about_case.push_back(fmt::format("{}", result.repetition));
    about_case.push_back(fmt::format("{}", result.steps_per_sample));
    about_case.emplace_back(to_text(result.status));
    about_case.push_back(csv_text(result.reason.text));

    const auto add_row = [&](const std::vector<std::string>& numbers) {
      std::vector<std::string> cells = about_case;
      cells.insert(cells.end(), numbers.begin(), numbers.end());
      cells.resize(heading.size());
      text += csv_line(cells);
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
