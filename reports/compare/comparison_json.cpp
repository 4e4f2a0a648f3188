#include <cmath>

#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/comparison_notes.hpp"

namespace bench::reports {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Timed& timed) {
  ordered_json json{{"status", to_text(timed.status)}};
  if (!timed.reason.empty()) json["reason"] = timed.reason;
  if (timed.processes == 0) return json;
  json["median_ns"] = timed.median_ns;
  if (timed.interval_ns) json["low_ns"] = timed.interval_ns->low, json["high_ns"] = timed.interval_ns->high;
  json["samples"] = timed.samples;
  json["processes"] = timed.processes;
  return json;
}

ordered_json to_json(const ComparedSide& side, const std::string& name) {
  ordered_json json{{"name", name}};
  if (!side.present) return json;
  json.update(to_json(side.timed));
  if (side.change) {
    json["ratio"] = side.change->ratio;
    if (side.change->ratio_interval) {
      json["ratio_low"] = side.change->ratio_interval->low;
      json["ratio_high"] = side.change->ratio_interval->high;
    }
    json["verdict"] = to_text(side.change->verdict);
  }
  json["exact"] = ordered_json::array();
  for (const Exact& exact : side.exact)
    json["exact"].push_back(
        {{"metric", exact.metric}, {"unit", exact.unit}, {"base", exact.base}, {"value", exact.value}});
  return json;
}

ordered_json to_json(const SideSummary& summary, const std::string& name) {
  ordered_json json{{"name", name}, {"compared", summary.compared}};
  json["verdicts"] = ordered_json::object();
  for (const auto& [verdict, count] : summary.verdicts)
    json["verdicts"][std::string(to_text(verdict))] = count;
  if (summary.mean_ratio) json["geometric_mean_ratio"] = *summary.mean_ratio;
  if (summary.mean_interval) {
    json["geometric_mean_ratio_low"] = summary.mean_interval->low;
    json["geometric_mean_ratio_high"] = summary.mean_interval->high;
  }
  json["process_noise"] = summary.noise;
  json["process_noise_assumed"] = summary.noise_assumed;
  json["only_in_base"] = summary.only_base;
  json["only_here"] = summary.only_here;
  json["differences"] = summary.differences;
  return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{{"base", comparison.base.name}, {"threshold", comparison.options.threshold}};
  json["sides"] = ordered_json::array();
  for (std::size_t i = 0; i < comparison.sides.size(); ++i)
    json["sides"].push_back(to_json(comparison.summaries[i], comparison.sides[i].name));
  json["cases"] = ordered_json::array();
  for (const ComparedCase& row : comparison.cases) {
    ordered_json one = protocol::to_json(row.about.configuration);
    one["metric"] = row.metric;
    one["base"] = to_json(row.base);
    one["sides"] = ordered_json::array();
    for (std::size_t i = 0; i < row.sides.size(); ++i)
      one["sides"].push_back(to_json(row.sides[i], comparison.sides[i].name));
    json["cases"].push_back(std::move(one));
  }
  json["next_commands"] = next_commands(comparison);
  return protocol::dump(json, 2) + "\n";
}

}  // namespace bench::reports
