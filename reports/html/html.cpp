#include "reports/html/html.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/recorded_conditions.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/protocol/json.hpp"
#include "reports/columns.hpp"
#include "reports/compare/values.hpp"
#include "reports/machine_text.hpp"
#include "reports/parameters.hpp"
#include "reports/results_table.hpp"
#include "reports/shell.hpp"

namespace bench::reports {
namespace {

using nlohmann::ordered_json;

// One document of all runs; of several, each case knows its run.
Document merged(const std::vector<NamedRun>& runs) {
  Document all = *runs.front().document;
  if (runs.size() == 1) return all;
  all.cases.clear();
  all.run.complete = true;
  all.run.planned_cases = 0;
  for (const NamedRun& run : runs) {
    all.run.complete &= run.document->run.complete;
    all.run.planned_cases += run.document->run.planned_cases;
    for (const CaseResult& result : run.document->cases) {
      all.cases.push_back(result);
      auto& values = all.cases.back().configuration.values;
      values.insert(values.begin(), {"run", run.name});
    }
  }
  return all;
}

double per_step(const Sample& sample) {
  return static_cast<double>(sample.host_ns) / sample.steps;
}

ordered_json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json();
}

// What the details of a case show. Short member names where a case has many.
ordered_json case_data(const Document& document, const CaseResult& result,
                       const std::vector<std::string>& names, const std::vector<std::string>& varying,
                       const std::vector<const Summary*>& metrics) {
  ordered_json json{{"id", printable(result.configuration.id())},
                    {"label", printable(case_label(result, varying))},
                    {"status", to_text(result.status)},
                    {"reason", printable(result.reason.text)}};
  auto parameters = ordered_json::array();
  for (const std::string& name : names) {
    const auto value = parameter_of(document, result, name);
    parameters.push_back(value ? printable(to_text(*value)) : "");
  }
  json["parameters"] = std::move(parameters);
  auto numbers = ordered_json::array();
  for (std::size_t at = 0; at < metrics.size() && result.status == Status::ok; ++at)
    for (const Summary& summary : result.summaries)
      if (is_same_metric(summary, *metrics[at]) && std::isfinite(summary.value))
        numbers.push_back(
            {at, summary.value, finite_or_null(summary.low), finite_or_null(summary.high), summary.n});
  json["metrics"] = std::move(numbers);

  auto warmup = ordered_json::array();
  for (const Sample& sample : result.samples)
    if (sample.kind == SampleKind::warm_up && sample.rank == 0) warmup.push_back(per_step(sample));
  json["warmup"] = std::move(warmup);
  std::vector<double> values;
  if (const auto sampled = sampled_times(result); !sampled.empty() && result.status == Status::ok)
    values = values_of(result, *sampled.front());
  json["samples"] = values;
  json["memory"] = ordered_json::array();
  if (result.memory)
    for (const auto& [category, bytes] : result.memory->peak_by_category)
      json["memory"].push_back({printable(category), bytes});
  json["check"] = ordered_json::array();
  if (result.check)
    for (std::size_t i = 0; i < std::min<std::size_t>(result.check->items.size(), 5); ++i) {
      const CheckItem& item = result.check->items[i];
      json["check"].push_back(
          {printable(item.what), format_significant(item.error), format_significant(item.allowed)});
    }
  for (const auto& [name, lines] : {std::pair("warnings", &result.warnings), {"notes", &result.notes}}) {
    json[name] = ordered_json::array();
    for (const Remark& remark : *lines) json[name].push_back(printable(remark.text));
  }
  json["counters"] = ordered_json::array();
  for (const auto& [name, value] : result.counters)
    if (std::isfinite(value)) json["counters"].push_back({printable(name), value});
  return json;
}

ordered_json run_data(const NamedRun& run) {
  const Document& document = *run.document;
  auto facts = ordered_json::array();
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts.push_back({printable(name), printable(value)});
  };
  add("measured by", document.run.measured_by);
  add(document.run.measured_by.empty() ? "command" : "program", published_line(document.run.argv));
  add("label", document.run.label);
  add("commit", document.run.git_commit);
  for (const auto& [program, id] : document.run.build_ids) add(program + " build", id);
  add("finished", document.run.complete ? "yes" : "no: cases are missing");
  for (const RecordedCondition& condition : recorded_conditions(document))
    add(condition.name, condition.value);
  return {{"name", printable(run.name)},
          {"date", printable(date_text(document.run.begin_utc))},
          {"machine", printable(machine_line(document))},
          {"facts", std::move(facts)}};
}

ordered_json report_data(const std::vector<NamedRun>& runs) {
  const Document document = merged(runs);
  const Table table = cases_table(document);  // a row a case, so that each opens its own
  std::vector<std::string> names{"workload"};
  for (const std::string& name : parameter_names(document)) names.push_back(name);
  names.insert(names.end(), kMeasurementParameters.begin(), kMeasurementParameters.end());
  const std::vector<std::string> varying = varying_parameters(document);

  const auto texts = [](const std::vector<std::string>& lines) {
    auto json = ordered_json::array();
    for (const std::string& line : lines) json.push_back(printable(line));
    return json;
  };
  ordered_json json{{"title", printable(table.title)}, {"common", texts(table.common)}};
  json["columns"] = ordered_json::array();
  for (const Column& column : table.columns)
    json["columns"].push_back({{"heading", printable(column.heading)},
                               {"unit", printable(column.unit)},
                               {"left", column.alignment == Alignment::left}});
  json["statusColumn"] = table.status_column ? static_cast<int>(*table.status_column) : -1;
  json["rows"] = ordered_json::array();
  for (const auto& row : table.rows) json["rows"].push_back(texts(row));
  json["parameters"] = texts(names);
  Cases all;
  for (const CaseResult& result : document.cases) all.push_back(&result);
  const std::vector<const Summary*> metrics = metrics_of(all);
  json["metrics"] = ordered_json::array();
  for (const Summary* metric : metrics)
    json["metrics"].push_back({{"heading", printable(metric->heading)},
                               {"unit", printable(metric->unit)},
                               {"kind", to_text(metric->kind)}});
  json["cases"] = ordered_json::array();
  for (const CaseResult& result : document.cases)
    json["cases"].push_back(case_data(document, result, names, varying, metrics));
  json["problems"] = texts(table.problems);
  json["notes"] = texts(table.notes);
  json["runs"] = ordered_json::array();
  for (const NamedRun& run : runs) json["runs"].push_back(run_data(run));
  return json;
}

// JSON that cannot end the <script> around it, whatever a label holds: no "<" is left for "</script" or
// "<!--".
std::string safe_in_script(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string html_report(const std::vector<NamedRun>& runs) {
  std::string page = kHtmlPage;
  const auto put = [&](std::string_view mark, const std::string& text) {
    const auto at = page.find(mark);
    page.replace(at, mark.size(), text);
  };
  // The data last: nothing in it is looked at again.
  put("@style@", kHtmlStyle);
  put("@script@", kHtmlScript);
  put("@data@", safe_in_script(protocol::dump(report_data(runs))));
  return page;
}

std::string html(const Document& document) {
  return html_report({{"", &document}});
}

}  // namespace bench::reports
