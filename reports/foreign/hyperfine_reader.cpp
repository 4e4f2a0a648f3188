#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/reader.hpp"
#include "harness/statistics/sampled_summary.hpp"
#include "reports/compare/timing.hpp"
#include "reports/foreign/foreign.hpp"
#include "reports/foreign/value_of_text.hpp"

namespace bench::reports {
namespace {

using nlohmann::ordered_json;
using protocol::Reader;

std::int64_t ns_from_seconds(const Reader& entry, const ordered_json& seconds, std::size_t index) {
  const std::string name = fmt::format("times[{}]", index);
  if (!seconds.is_number()) entry.fail(name, "expected a number, found " + protocol::found(seconds));
  const double ns = seconds.get<double>() * 1e9;
  if (!(ns >= 0 && ns < 1e18)) entry.fail(name, "is no time");
  return std::llround(ns);
}

CaseResult case_from(const Reader& entry) {
  CaseResult result;
  result.configuration.workload = "hyperfine";
  result.configuration.set("command", entry.text("command"));
  if (entry.has("parameters"))
    for (const auto& [name, value] : entry.text_map("parameters"))
      result.configuration.set(name, value_of_text(value));
  result.steps_per_sample = 1;
  std::vector<double> values;
  if (entry.has("times")) {
    const ordered_json& times = entry.array("times");
    for (std::size_t i = 0; i < times.size(); ++i) {
      result.samples.push_back({.host_ns = ns_from_seconds(entry, times[i], i)});
      values.push_back(static_cast<double>(result.samples.back().host_ns));
    }
  }
  if (values.empty()) entry.fail("times", "no time is here: hyperfine --export-json writes them");
  result.summaries.push_back(statistics::sampled_summary(
      {.metric = "time", .heading = "time", .unit = "ns", .kind = Quantity::time, .source = TimeSource{}},
      values));
  if (entry.has("exit_codes")) {
    const ordered_json& codes = entry.array("exit_codes");
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::string code = codes[i].dump();
      if (code != "0" && result.status == Status::ok) {
        result.status = Status::failed;
        result.reason = codes[i].is_number_integer() ? "the command exited with " + code
                                                     : "the command was ended by a signal";
      }
    }
  }
  return result;
}

}  // namespace

bool is_hyperfine(const ordered_json& json) {
  return json.is_object() && json.contains("results") && !json.contains("schema_version");
}

Document from_hyperfine(const ordered_json& json, const std::string& where) {
  const Reader reader(json, where);
  Document document;
  document.run.workload = "hyperfine";
  document.run.complete = true;
  document.conditions[kProcessesCondition] = kOneProcessASample;
  reader.each("results", [&](const Reader& entry) { document.cases.push_back(case_from(entry)); });
  document.run.planned_cases = static_cast<std::int64_t>(document.cases.size());
  return document;
}

}  // namespace bench::reports
