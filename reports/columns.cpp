#include "reports/columns.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "reports/parameters.hpp"
#include "reports/scale.hpp"

namespace bench::reports {
namespace {

constexpr std::string_view kNothing = "–";

// The 95% interval is not symmetric; the distance of its farther end promises no more than it holds.
std::optional<double> distance_of(const Summary& summary) {
  if (summary.unit != "ns" || !summary.low || !summary.high) return std::nullopt;
  return std::max(*summary.high - summary.value, summary.value - *summary.low);
}

std::string status_text(const CaseResult& result) {
  std::string text(to_text(result.status));
  std::ranges::replace(text, '_', ' ');
  return text;
}

Scale scale_of(const std::vector<Cases>& lists, const std::string& metric, const std::string& unit) {
  std::vector<double> values, distances;
  for (const Cases& cases : lists) {
    for (const CaseResult* result : cases) {
      if (const Summary* summary = summary_of(result, metric, unit)) {
        values.push_back(summary->value);
        if (const auto distance = distance_of(*summary)) distances.push_back(*distance);
      }
    }
  }
  return choose_scale(unit, values, distances);
}

Built scaled_column(const Cases& cases, const std::string& metric, const std::string& unit,
                    const Scale& scale) {
  Built built;
  std::tie(built.column.heading, built.column.unit) = heading_of(metric, scale);
  for (const CaseResult* result : cases) {
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

}  // namespace

const Summary* summary_of(const CaseResult* result, const std::string& metric, const std::string& unit) {
  if (result == nullptr || result->status != Status::ok) return nullptr;
  const auto found = std::ranges::find_if(result->summaries, [&](const Summary& summary) {
    return summary.metric == metric && summary.unit == unit;
  });
  return found == result->summaries.end() ? nullptr : &*found;
}

Built parameter_column(const Cases& cases, const std::string& name) {
  Built built{.column = {.heading = name, .unit = "", .alignment = Alignment::right}, .cells = {}};
  for (const CaseResult* result : cases) {
    const auto value = result == nullptr ? std::nullopt : parameter_of(*result, name);
    if (value && std::holds_alternative<std::string>(*value)) built.column.alignment = Alignment::left;
    built.cells.push_back(value ? to_text(*value) : std::string(kNothing));
  }
  return built;
}

Built status_column(const Cases& cases) {
  Built built{.column = {.heading = "status", .unit = "", .alignment = Alignment::left}, .cells = {}};
  for (const CaseResult* result : cases)
    built.cells.push_back(result == nullptr ? std::string(kNothing) : status_text(*result));
  return built;
}

Built metric_column(const Cases& cases, const std::string& metric, const std::string& unit) {
  return scaled_column(cases, metric, unit, scale_of({cases}, metric, unit));
}

std::vector<Built> metric_columns(const std::vector<Cases>& lists, const std::string& metric,
                                  const std::string& unit) {
  const Scale scale = scale_of(lists, metric, unit);
  std::vector<Built> columns;
  for (const Cases& cases : lists) {
    columns.push_back(scaled_column(cases, metric, unit, scale));
    for (std::size_t row = 0; row < cases.size(); ++row)
      if (cases[row] != nullptr && cases[row]->status != Status::ok)
        columns.back().cells[row] = status_text(*cases[row]);
  }
  return columns;
}

std::vector<std::pair<std::string, std::string>> metrics_of(const Cases& cases) {
  std::vector<std::pair<std::string, std::string>> metrics;
  for (const CaseResult* result : cases) {
    if (result == nullptr || result->status != Status::ok) continue;
    auto place = metrics.begin();
    for (const Summary& summary : result->summaries) {
      const std::pair metric(summary.metric, summary.unit);
      const auto known = std::ranges::find(metrics, metric);
      place = known == metrics.end() ? metrics.insert(place, metric) + 1 : known + 1;
    }
  }
  return metrics;
}

}  // namespace bench::reports
