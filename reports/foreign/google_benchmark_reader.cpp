#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/text.hpp"
#include "harness/protocol/older_documents.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/statistics/sampled_summary.hpp"
#include "reports/foreign/foreign.hpp"
#include "reports/foreign/google_benchmark_rows.hpp"
#include "reports/foreign/identity.hpp"

namespace bench::reports {
namespace {

using nlohmann::ordered_json;
using protocol::Reader;

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// "BM_Sum/64/n:8/real_time": NAME:VALUE is a parameter, a number an argument, anything else
// ("std::less<int>") belongs to the benchmark's name.
Case case_of(const std::string& run_name) {
  Case result;
  for (const std::string& part : split(run_name, '/')) {
    const auto colon = part.find(':');
    if (result.workload.empty())
      result.workload = part;
    else if (colon != part.npos && is_plain_name(part.substr(0, colon)) &&
             part.find(':', colon + 1) != colon + 1)
      add_parameter(result, part.substr(0, colon), value_of_text(part.substr(colon + 1)));
    else if (number_from<double>(part))
      add_parameter(result, "argument", value_of_text(part));
    else
      result.workload += "/" + part;
  }
  return result;
}

double ns_per(const Reader& row) {
  const std::string unit = row.has("time_unit") ? row.text("time_unit") : "ns";
  for (const auto& [name, ns] : {std::pair("ns", 1.0), {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}})
    if (unit == name) return ns;
  row.fail("time_unit", "\"" + unit + "\" is none of ns, us, ms, s");
}

// nullopt: there is none, or it is no finite number.
std::optional<double> time_of(const Reader& row, std::string_view name) {
  if (!row.has(name) || row.member(name).is_null()) return std::nullopt;
  const double ns = row.real(name) * ns_per(row);
  if (!(ns >= 0 && ns < 1e18)) row.fail(name, "is no time");
  return ns;
}

// A whole number, which some versions write as 1e+06.
std::int64_t count_of(const Reader& entry, std::string_view name) {
  const double count = entry.real(name);
  if (!(count >= 0 && count < 9e18) || count != std::floor(count)) entry.fail(name, "is no count");
  return static_cast<std::int64_t>(count);
}

std::int64_t iterations_of(const Reader& row) {
  return row.has("iterations") ? count_of(row, "iterations") : 1;
}

constexpr std::string_view kNoCounters[] = {"family_index",     "per_family_instance_index",
                                            "repetitions",      "threads",
                                            "repetition_index", "iterations",
                                            "real_time",        "cpu_time"};

using Counters = std::map<std::string, std::vector<double>>;

void add_warning(CaseResult& result, const Remark& warning) {
  if (std::ranges::find(result.warnings, warning) == result.warnings.end())
    result.warnings.push_back(warning);
}

void add_counters(const ordered_json& row, CaseResult& result, Counters& counters) {
  for (const auto& [name, value] : row.items()) {
    if (std::ranges::find(kNoCounters, name) != std::end(kNoCounters)) continue;
    if (value.is_null()) counters[name].push_back(std::numeric_limits<double>::quiet_NaN());
    if (!value.is_number()) continue;
    const double counter = value.get<double>();
    counters[name].push_back(counter);
    if (value.is_number_integer() && value.dump() != fmt::format("{:.0f}", counter))
      add_warning(result, remark(RemarkCode::counter_rounded,
                                 {{"metric", name}, {"written", value.dump()}, {"read", counter}}));
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
  if (name == "max_bytes_used") about.kind = Quantity::memory;  // of libbenchmark's memory manager
  const bool exact = std::ranges::all_of(values, [&](double value) { return value == values.front(); }) &&
                     about.kind != Quantity::rate;
  if (!exact) return statistics::sampled_summary(std::move(about), values);
  about.value = values.front();
  return about;
}

void add_counter_summaries(const Counters& counters, CaseResult& result) {
  for (const auto& [name, values] : counters) {
    if (std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      result.summaries.push_back(counter_summary(name, values));
    else
      add_warning(result, remark(RemarkCode::value_not_finite, {{"metric", name}}));
  }
}

const Summary kRealTime{.metric = "real_time", .heading = "real time", .unit = "ns", .kind = Quantity::time};
const Summary kCpuTime{.metric = "cpu_time", .heading = "CPU time", .unit = "ns", .kind = Quantity::time};

// A repetition: its time is stored as it was measured, over all iterations, where that is a number of ns.
Sample sample_of(const Reader& row, double real_ns) {
  constexpr double kMost = 9e18;
  const std::int64_t iterations = iterations_of(row);
  const double total_ns = real_ns * static_cast<double>(iterations);
  if (iterations > std::numeric_limits<int>::max() || total_ns > kMost)
    return {.host_ns = std::llround(real_ns)};
  return {.host_ns = std::llround(total_ns), .steps = static_cast<int>(iterations)};
}

// Whether the row has no result, which is then the case's outcome.
bool ended_early(const Reader& row, CaseResult& result) {
  const auto is = [&](const char* member) { return row.has(member) && row.boolean(member); };
  const auto end = [&](Status status, const char* message, const char* otherwise) {
    result.status = status;
    result.reason = said(row.text_if(message).value_or(otherwise));
    return true;
  };
  if (is("error_occurred")) return end(Status::failed, "error_message", "an error");
  if (is("skipped")) return end(Status::skipped, "skip_message", "it skipped itself");
  if (iterations_of(row) == 0) return end(Status::skipped, "skip_message", "it made no iteration");
  if (!time_of(row, "real_time"))
    return end(Status::failed, "error_message", "the file holds no real_time of it");
  return false;
}

// Reads the rows of one file.
class Rows {
 public:
  explicit Rows(const Reader& file) : file_(file), rows_(file.array("benchmarks")) {}

  // nullopt: nothing of it was timed (a fitted complexity).
  std::optional<CaseResult> case_from(const BenchmarkRows& rows) const {
    CaseResult result{.configuration = case_of(rows.name)};
    result.policy.warmup_steps = 0;  // libbenchmark does not say
    if (!rows.repetitions.empty())
      take_repetitions(rows, result);
    else if (!take_aggregates(rows, result))
      return std::nullopt;
    return result;
  }

 private:
  Reader row(std::size_t place) const { return file_.item("benchmarks", place, rows_[place]); }

  void take_repetitions(const BenchmarkRows& rows, CaseResult& result) const {
    std::vector<double> real_ns, cpu_ns;  // per iteration
    Counters counters;
    bool samples_hold_real_ns = true;  // whole nanoseconds may be too coarse
    for (const std::size_t place : rows.repetitions) {
      const Reader entry = row(place);
      if (ended_early(entry, result)) return;
      const double ns = *time_of(entry, "real_time");
      const Sample sample = sample_of(entry, ns);
      result.samples.push_back(sample);
      const double stored_ns = static_cast<double>(sample.host_ns) / sample.steps;
      const bool is_held = std::abs(stored_ns - ns) <= 1e-6 * ns;
      samples_hold_real_ns &= is_held;
      real_ns.push_back(is_held ? stored_ns : ns);
      if (const auto cpu = time_of(entry, "cpu_time")) cpu_ns.push_back(*cpu);
      add_counters(rows_[place], result, counters);
    }
    result.steps_per_sample = result.samples.front().steps;
    result.summaries.push_back(statistics::sampled_summary(kRealTime, real_ns));
    if (samples_hold_real_ns) result.summaries.back().source = TimeSource{};
    if (!cpu_ns.empty()) result.summaries.push_back(statistics::sampled_summary(kCpuTime, cpu_ns));
    add_counter_summaries(counters, result);
  }

  // Where only aggregates were written the median stands for the repetitions, before there was one the mean.
  bool take_aggregates(const BenchmarkRows& rows, CaseResult& result) const {
    for (const std::string name : {"median", "mean"}) {
      const auto found = rows.aggregates.find(name);
      if (found == rows.aggregates.end()) continue;
      const Reader entry = row(found->second);
      if (ended_early(entry, result)) return true;
      const auto add_time = [&](Summary about, double ns) {
        about.value = ns;
        about.n = entry.has("repetitions") ? count_of(entry, "repetitions") : 1;
        about.mean = aggregate(rows, "mean", about.metric);
        about.standard_deviation = aggregate(rows, "stddev", about.metric);
        result.summaries.push_back(std::move(about));
      };
      add_time(kRealTime, *time_of(entry, "real_time"));
      if (const auto cpu = time_of(entry, "cpu_time")) add_time(kCpuTime, *cpu);
      Counters counters;
      add_counters(rows_[found->second], result, counters);
      add_counter_summaries(counters, result);
      result.notes.push_back(
          said("the file holds only aggregates of the repetitions: times are their " + name));
      return true;
    }
    return false;
  }

  std::optional<double> aggregate(const BenchmarkRows& rows, const std::string& name,
                                  const std::string& metric) const {
    const auto found = rows.aggregates.find(name);
    return found == rows.aggregates.end() ? std::nullopt : time_of(row(found->second), metric);
  }

  const Reader& file_;
  const ordered_json& rows_;
};

}  // namespace

bool is_google_benchmark(const ordered_json& json) {
  return json.contains("context") && json.contains("benchmarks");
}

Document from_google_benchmark(const ordered_json& json, const std::string& where) {
  const Reader reader(json, where);
  const Reader context = reader.object("context");
  Document document;
  document.run.workload = document.run.measured_by = "Google Benchmark";
  document.run.complete = true;
  if (context.has("executable")) document.run.argv = {context.text("executable")};
  if (context.has("date")) document.run.begin_utc = context.text("date");
  if (context.has("num_cpus")) document.environment.cpus_online = count_of(context, "num_cpus");
  document.environment.cpus_allowed = document.environment.cpus_online;
  if (context.has("library_build_type"))
    document.environment.libraries["google-benchmark"] = context.text("library_build_type") + " build";

  const Rows rows(reader);
  for (const BenchmarkRows& benchmark : benchmark_rows(reader))
    if (auto result = rows.case_from(benchmark)) document.cases.push_back(std::move(*result));
  number_occurrences(document.cases);
  document.run.planned_cases = static_cast<std::int64_t>(document.cases.size());
  return document;
}

}  // namespace bench::reports
