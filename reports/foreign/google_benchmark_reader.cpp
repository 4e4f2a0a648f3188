#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/text.hpp"
#include "harness/protocol/older_documents.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/statistics/sampled_summary.hpp"
#include "reports/foreign/foreign.hpp"
#include "reports/foreign/value_of_text.hpp"

namespace bench::reports {
namespace {

using nlohmann::ordered_json;
using protocol::Reader;

// "BM_Sum/64/n:8/real_time": a part with a colon is a parameter, a number an argument, anything else belongs
// to the name.
Case case_of(const std::string& run_name) {
  Case result;
  int arguments = 0;
  for (const std::string& part : split(run_name, '/')) {
    const auto colon = part.find(':');
    if (result.workload.empty()) {
      result.workload = part;
    } else if (colon != std::string::npos && colon > 0) {
      result.set(part.substr(0, colon), value_of_text(part.substr(colon + 1)));
    } else if (number_from<double>(part)) {
      ++arguments;
      result.set(arguments == 1 ? "argument" : fmt::format("argument-{}", arguments), value_of_text(part));
    } else {
      result.workload += "/" + part;
    }
  }
  return result;
}

double ns_per(const Reader& entry) {
  const std::string unit = entry.has("time_unit") ? entry.text("time_unit") : "ns";
  for (const auto& [name, ns] : {std::pair("ns", 1.0), {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}})
    if (unit == name) return ns;
  entry.fail("time_unit", "\"" + unit + "\" is none of ns, us, ms, s");
}

// A time that a sample can hold.
double time_of(const Reader& entry, std::string_view name) {
  const double ns = entry.real(name) * ns_per(entry);
  if (!(ns >= 0 && ns < 1e18)) entry.fail(name, "is no time");
  return ns;
}

constexpr std::string_view kKnown[] = {"name",           "family_index",     "per_family_instance_index",
                                       "run_name",       "run_type",         "repetitions",
                                       "threads",        "repetition_index", "iterations",
                                       "real_time",      "cpu_time",         "time_unit",
                                       "error_occurred", "error_message",    "aggregate_name",
                                       "aggregate_unit"};

struct Gathered {
  CaseResult result;
  std::vector<double> real_ns, cpu_ns;  // per iteration
  bool samples_hold_real_ns = true;     // whole nanoseconds may be too coarse
  std::map<std::string, std::vector<double>> counters;
};

// A repetition: its time is stored as it was measured, over all iterations, where that is a number of ns.
Sample sample_of(const Reader& entry, double real_ns) {
  constexpr double kMost = 9e18;
  const auto iterations = entry.has("iterations") ? entry.integer<std::int64_t>("iterations", 0) : 1;
  const double total_ns = real_ns * static_cast<double>(iterations);
  if (iterations < 1 || iterations > std::numeric_limits<int>::max() || total_ns > kMost)
    return {.host_ns = std::llround(real_ns)};
  return {.host_ns = std::llround(total_ns), .steps = static_cast<int>(iterations)};
}

void add_entry(const Reader& entry, const ordered_json& json, bool aggregate, Gathered& gathered) {
  double real_ns = time_of(entry, "real_time");
  // The iterations of an aggregate are its repetitions: nothing was measured over them.
  if (!aggregate) {
    const Sample sample = sample_of(entry, real_ns);
    gathered.result.samples.push_back(sample);
    // The summary is of the samples, unless whole nanoseconds are too coarse for them.
    const double stored_ns = static_cast<double>(sample.host_ns) / sample.steps;
    if (std::abs(stored_ns - real_ns) <= 1e-6 * real_ns)
      real_ns = stored_ns;
    else
      gathered.samples_hold_real_ns = false;
  }
  gathered.real_ns.push_back(real_ns);
  if (entry.has("cpu_time")) gathered.cpu_ns.push_back(time_of(entry, "cpu_time"));
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number() || std::ranges::find(kKnown, name) != std::end(kKnown)) continue;
    const double counter = value.get<double>();
    gathered.counters[name].push_back(counter);
    if (value.is_number_integer() && value.dump() != fmt::format("{:.0f}", counter))
      gathered.result.warnings.push_back(fmt::format(
          "{} is {}, which is read as {:.0f}: counters are kept to 53 bits", name, value.dump(), counter));
  }
}

// One value if all repetitions agree, else the median.
Summary counter_summary(const std::string& name, const std::vector<double>& values) {
  Summary about{.metric = name, .unit = "1"};
  if (name.ends_with("_per_second"))
    about.unit = name.substr(0, name.size() - 11) + "/s";
  else if (name.find("bytes") != std::string::npos || name == "peak_allocated")
    about.unit = "bytes";
  protocol::add_type(about);
  const bool exact = std::ranges::all_of(values, [&](double value) { return value == values.front(); }) &&
                     about.kind != Quantity::rate;
  if (!exact) return statistics::sampled_summary(std::move(about), values);
  about.value = values.front();
  return about;
}

CaseResult finished(Gathered& gathered) {
  CaseResult& result = gathered.result;
  if (gathered.real_ns.empty()) return result;
  if (result.samples.empty())
    result.policy.warmup_steps = 0;  // bench's default says nothing about an aggregate
  else
    result.steps_per_sample = result.samples.front().steps;
  Summary real{.metric = "real_time", .heading = "real time", .unit = "ns", .kind = Quantity::time};
  if (gathered.samples_hold_real_ns && !result.samples.empty()) real.source = TimeSource{};
  result.summaries.push_back(statistics::sampled_summary(std::move(real), gathered.real_ns));
  if (!gathered.cpu_ns.empty())
    result.summaries.push_back(statistics::sampled_summary(
        {.metric = "cpu_time", .heading = "CPU time", .unit = "ns", .kind = Quantity::time},
        gathered.cpu_ns));
  for (const auto& [name, values] : gathered.counters)
    result.summaries.push_back(counter_summary(name, values));
  return result;
}

}  // namespace

bool is_google_benchmark(const ordered_json& json) {
  return json.is_object() && json.contains("context") && json.contains("benchmarks");
}

Document from_google_benchmark(const ordered_json& json, const std::string& where) {
  const Reader reader(json, where);
  const Reader context = reader.object("context");
  Document document;
  document.run.workload = "Google Benchmark";
  document.run.complete = true;
  if (context.has("executable")) document.run.argv = {context.text("executable")};
  if (context.has("date")) document.run.begin_utc = context.text("date");
  if (context.has("num_cpus")) document.environment.cpus_online = context.integer<std::int64_t>("num_cpus");
  document.environment.cpus_allowed = document.environment.cpus_online;
  if (context.has("library_build_type"))
    document.environment.libraries["google-benchmark"] = context.text("library_build_type") + " build";

  std::vector<Gathered> cases;
  std::map<std::string, std::size_t> known;
  std::size_t index = 0;
  reader.each("benchmarks", [&](const Reader& entry) {
    const ordered_json& entry_json = json["benchmarks"][index++];
    // Aggregates follow from the repetitions; where only they were written, the median stands for them.
    if (entry.has("run_type") && entry.text("run_type") == "aggregate" &&
        !(entry.has("aggregate_name") && entry.text("aggregate_name") == "median"))
      return;
    const bool aggregate = entry.has("run_type") && entry.text("run_type") == "aggregate";
    const std::string& name = entry.has("run_name") ? entry.text("run_name") : entry.text("name");
    const auto [at, is_new] = known.emplace(name, cases.size());
    if (is_new) {
      cases.emplace_back();
      cases.back().result.configuration = case_of(name);
    } else if (aggregate) {
      return;
    }
    Gathered& gathered = cases[at->second];
    if (entry.has("error_occurred") && entry.boolean("error_occurred")) {
      gathered.result.status = Status::failed;
      gathered.result.reason = entry.has("error_message") ? entry.text("error_message") : "an error";
      return;
    }
    add_entry(entry, entry_json, aggregate, gathered);
  });
  for (Gathered& gathered : cases) document.cases.push_back(finished(gathered));
  document.run.planned_cases = static_cast<std::int64_t>(document.cases.size());
  return document;
}

}  // namespace bench::reports
