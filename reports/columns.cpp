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
  if (summary.kind != Quantity::time || !summary.low || !summary.high) return std::nullopt;
  return std::max(*summary.high - summary.value, summary.value - *summary.low);
}

Scale scale_of(const std::vector<Cases>& lists, const Summary& about) {
  std::vector<double> values, distances;
  for (const Cases& cases : lists) {
    for (const CaseResult* result : cases) {
      if (const Summary* summary = summary_of(result, about)) {
        values.push_back(summary->value);
        if (const auto distance = distance_of(*summary)) distances.push_back(*distance);
      }
    }
  }
  return choose_scale(about.unit, values, distances);
}

Built scaled_column(const Cases& cases, const Summary& about, const Scale& scale) {
  Built built;
  std::tie(built.column.heading, built.column.unit) = heading_of(about.heading, about.kind, scale);
  for (const CaseResult* result : cases) {
    const Summary* summary = summary_of(result, about);
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

const Summary* summary_of(const CaseResult* result, const Summary& about) {
  if (result == nullptr || result->status != Status::ok) return nullptr;
  const auto found = std::ranges::find_if(
      result->summaries, [&](const Summary& summary) { return is_same_metric(summary, about); });
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
    built.cells.push_back(result == nullptr ? std::string(kNothing) : words(result->status));
  return built;
}

Built metric_column(const Cases& cases, const Summary& about) {
  return scaled_column(cases, about, scale_of({cases}, about));
}

std::vector<Built> metric_columns(const std::vector<Cases>& lists, const Summary& about) {
  const Scale scale = scale_of(lists, about);
  std::vector<Built> columns;
  for (const Cases& cases : lists) {
    columns.push_back(scaled_column(cases, about, scale));
    for (std::size_t row = 0; row < cases.size(); ++row)
      if (cases[row] != nullptr && cases[row]->status != Status::ok)
        columns.back().cells[row] = words(cases[row]->status);
  }
  return columns;
}

std::vector<const Summary*> metrics_of(const Cases& cases) {
  std::vector<const Summary*> metrics;
  for (const CaseResult* result : cases) {
    if (result == nullptr || result->status != Status::ok) continue;
    auto place = metrics.begin();
    for (const Summary& summary : result->summaries) {
      const auto known = std::ranges::find_if(
          metrics, [&](const Summary* metric) { return is_same_metric(*metric, summary); });
      place = known == metrics.end() ? metrics.insert(place, &summary) + 1 : known + 1;
    }
  }
  return metrics;
}

}  // namespace bench::reports
