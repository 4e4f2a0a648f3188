#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/reader.hpp"
#include "harness/statistics/sampled_summary.hpp"
#include "reports/compare/timing.hpp"
#include "reports/foreign/foreign.hpp"
#include "reports/foreign/identity.hpp"

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

Case configuration_from(const Reader& entry) {
  Case configuration{.workload = "hyperfine", .values = {}};
  configuration.set("command", entry.text("command"));
  if (!entry.has("parameters")) return configuration;
  entry.members("parameters", [&](const std::string& name, const ordered_json& value) {
    add_parameter(configuration, name,
                  value_of_text(value.is_string() ? value.get<std::string>() : value.dump()));
  });
  return configuration;
}

void add_times(const Reader& entry, CaseResult& result) {
  std::vector<double> values;
  if (entry.has("times")) {
    const ordered_json& times = entry.array("times");
    for (std::size_t i = 0; i < times.size(); ++i) {
      result.samples.push_back({.host_ns = ns_from_seconds(entry, times[i], i)});
      values.push_back(static_cast<double>(result.samples.back().host_ns));
    }
  }
  if (values.empty()) {
    result.status = Status::failed;
    result.reason = said("the file holds no times of its runs");
    return;
  }
  result.summaries.push_back(statistics::sampled_summary(
      {.metric = "time", .heading = "time", .unit = "ns", .kind = Quantity::time, .source = TimeSource{}},
      values));
}

// The first code that is not 0 says how the command failed; null: a signal ended it.
void add_exit_codes(const Reader& entry, CaseResult& result) {
  if (!entry.has("exit_codes")) return;
  const ordered_json& codes = entry.array("exit_codes");
  const auto failed = std::ranges::find_if(codes, [](const ordered_json& code) { return code != 0; });
  if (failed == codes.end()) return;
  result.status = Status::failed;
  result.reason = said(failed->is_number_integer() ? "the command exited with " + failed->dump()
                                                   : "the command was ended by a signal");
}

CaseResult case_from(const Reader& entry) {
  CaseResult result{.configuration = configuration_from(entry), .steps_per_sample = 1};
  result.policy.warmup_steps = 0;  // those that hyperfine was told to make are not in its file
  add_times(entry, result);
  add_exit_codes(entry, result);
  return result;
}

}  // namespace

bool is_hyperfine(const ordered_json& json) {
  const auto results = json.find("results");
  return results != json.end() && results->is_array() && !results->empty() &&
         results->front().contains("command");
}

Document from_hyperfine(const ordered_json& json, const std::string& where) {
  const Reader reader(json, where);
  Document document;
  document.run.workload = document.run.measured_by = "hyperfine";
  document.run.complete = true;
  document.conditions[kProcessesCondition] = kOneProcessASample;
  reader.each("results", [&](const Reader& entry) { document.cases.push_back(case_from(entry)); });
  number_occurrences(document.cases);
  document.run.planned_cases = static_cast<std::int64_t>(document.cases.size());
  return document;
}

}  // namespace bench::reports
