#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/json.hpp"
#include "harness/statistics/descriptive.hpp"
#include "harness/statistics/step_times.hpp"
#include "reports/compare/values.hpp"
#include "reports/parameters.hpp"

// What nvbench's compare scripts read. Only times of the device's own events go under nv/cold/time/gpu, as
// the scripts take them for; host times go where nvbench puts those of its CPU-only benchmarks.
namespace bench::reports {
namespace {

using nlohmann::ordered_json;

// Numbers are strings in nvbench's files.
ordered_json summary_of(const std::string& tag, const std::string& name, double value) {
  return {{"tag", tag},
          {"name", name},
          {"data", {{{"name", "value"}, {"type", "float64"}, {"value", fmt::format("{}", value)}}}}};
}

ordered_json summaries_of(const std::string& prefix, const std::vector<double>& values_ns) {
  const double mean = statistics::mean(values_ns) / 1e9;
  const std::vector<double> ascending = statistics::sorted(values_ns);
  const auto quantile = [&](double q) { return statistics::quantile_of_sorted(ascending, q) / 1e9; };
  auto summaries = ordered_json::array();
  const auto add = [&](const char* tag, const char* name, double seconds) {
    summaries.push_back(summary_of(prefix + tag, name, seconds));
  };
  add("mean", "Mean", mean);
  if (const auto deviation = statistics::standard_deviation(values_ns)) {
    add("stdev/absolute", "Standard deviation", *deviation / 1e9);
    if (mean > 0) add("stdev/relative", "Noise", *deviation / 1e9 / mean);
  }
  add("min", "Min", quantile(0));
  add("max", "Max", quantile(1));
  add("median", "Median", quantile(0.5));
  add("q1", "First quartile", quantile(0.25));
  add("q3", "Third quartile", quantile(0.75));
  if (quantile(0.5) > 0)
    add("iqr/relative", "Relative interquartile range", (quantile(0.75) - quantile(0.25)) / quantile(0.5));
  return summaries;
}

ordered_json state_of(const CaseResult& result, const std::vector<std::string>& names) {
  ordered_json state{{"device", 0}, {"type_config_index", 0}, {"min_samples", 1}};
  std::string name = "Device=0";
  state["axis_values"] = ordered_json::array();
  for (const std::string& axis : names) {
    const auto value = parameter_of(result, axis);
    const std::string text = value ? to_text(*value) : "";
    state["axis_values"].push_back({{"name", axis}, {"type", "string"}, {"value", text}});
    name += " " + axis + "=" + text;
  }
  state["name"] = name;
  state["summaries"] = ordered_json::array();
  state["is_skipped"] = result.status != Status::ok;
  if (result.status != Status::ok) {
    state["skip_reason"] = std::string(to_text(result.status)) + ": " + result.reason.text;
    return state;
  }
  const auto add = [&](const ordered_json& summaries) {
    for (const ordered_json& summary : summaries) state["summaries"].push_back(summary);
  };
  const std::vector<double> device_ns = statistics::step_times_ns(result.samples, {TimeSource::Kind::device});
  if (!device_ns.empty()) add(summaries_of("nv/cold/time/gpu/", device_ns));
  const std::vector<const Summary*> times = sampled_times(result);
  if (!times.empty()) {
    std::vector<double> values = values_of(result, *times.front());
    if (values.empty()) values = {times.front()->value};
    add(summaries_of(device_ns.empty() ? "nv/cpu_only/time/cpu/" : "nv/cold/time/cpu/", values));
  }
  return state;
}

ordered_json axis_of(const Document& document, const std::string& name) {
  auto values = ordered_json::array();
  std::vector<std::string> seen;
  for (const CaseResult& result : document.cases) {
    const auto value = parameter_of(result, name);
    const std::string text = value ? to_text(*value) : "";
    if (std::ranges::find(seen, text) != seen.end()) continue;
    seen.push_back(text);
    values.push_back({{"input_string", text}, {"description", ""}, {"value", text}});
  }
  return {{"name", name}, {"type", "string"}, {"flags", ""}, {"values", std::move(values)}};
}

std::string device_name(const Document& document) {
  const Gpu* gpu = used_gpu(document.environment, document.run.device);
  return gpu == nullptr ? document.environment.cpu_model : gpu->name;
}

}  // namespace

std::string nvbench(const Document& document) {
  std::vector<std::string> names = varying_parameters(document);
  auto axes = ordered_json::array(), states = ordered_json::array();
  for (const std::string& name : names) axes.push_back(axis_of(document, name));
  for (const CaseResult& result : document.cases) states.push_back(state_of(result, names));
  const ordered_json version{{"major", 1}, {"minor", 0}, {"patch", 0}, {"string", "1.0.0"}};
  const ordered_json json{
      {"meta", {{"argv", document.run.argv}, {"version", {{"json", version}, {"nvbench", version}}}}},
      {"devices", ordered_json::array({{{"id", 0}, {"name", device_name(document)}}})},
      {"benchmarks", ordered_json::array({{{"name", document.run.workload},
                                           {"index", 0},
                                           {"devices", {0}},
                                           {"axes", std::move(axes)},
                                           {"states", std::move(states)}}})}};
  return protocol::dump(json, 2) + "\n";
}

}  // namespace bench::reports
