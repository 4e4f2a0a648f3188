#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/json.hpp"
#include "reports/compare/values.hpp"
#include "reports/free_name.hpp"

// What Google Benchmark's compare.py reads; bencher, conbench and github-action-benchmark read it too.
namespace bench::reports {
namespace {

using nlohmann::ordered_json;

// Their readers fail on null and NaN: what is not finite is left out.
void add_counters(ordered_json& entry, const CaseResult& result) {
  for (const Summary& summary : result.summaries)
    if (summary.n == 0 && std::isfinite(summary.value))
      entry[free_name(summary.metric, [&](const std::string& name) { return entry.contains(name); })] =
          summary.value;
}

ordered_json entry_of(const std::string& name, std::size_t family, std::size_t instance) {
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", instance},
          {"run_name", name},
          {"run_type", "iteration"}};
}

}  // namespace

// One entry a sample, as a repetition, so that compare.py's U test sees them all. The headline time has the
// case's id for its name, another one the id and itself. There is no CPU time: it repeats the real one, which
// compare.py needs.
std::string google_benchmark(const Document& document) {
  auto entries = ordered_json::array();
  for (std::size_t family = 0; family < document.cases.size(); ++family) {
    const CaseResult& result = document.cases[family];
    // Samples of two processes are no repetitions of each other: each process is a benchmark of its own,
    // which compare.py holds against the same one of another file.
    const std::string id = result.configuration.id() +
                           (result.repetition > 0 ? fmt::format("/process:{}", result.repetition) : "");
    if (result.status != Status::ok) continue;  // compare.py fails on an entry without a time
    std::size_t instance = 0;
    for (const Summary* time : sampled_times(result)) {
      std::vector<double> values = values_of(result, *time);
      if (values.empty()) values = {time->value};
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        ordered_json entry = entry_of(instance == 0 ? id : id + "/metric:" + time->metric, family, instance);
        entry["repetitions"] = values.size();
        entry["repetition_index"] = i;
        entry["threads"] = 1;
        entry["iterations"] = std::max(1, result.steps_per_sample);
        entry["real_time"] = values[i];
        entry["cpu_time"] = values[i];
        entry["time_unit"] = "ns";
        if (instance == 0) add_counters(entry, result);
        entries.push_back(std::move(entry));
      }
      ++instance;
    }
  }
  const ordered_json json{{"context",
                           {{"date", document.run.begin_utc},
                            {"executable", document.run.argv.empty() ? "bench" : document.run.argv.front()},
                            {"num_cpus", document.environment.cpus_allowed},
                            {"mhz_per_cpu", 0},
                            {"cpu_scaling_enabled", false},
                            {"caches", ordered_json::array()},
                            {"library_build_type", "release"},
                            {"json_schema_version", 1}}},
                          {"benchmarks", std::move(entries)}};
  return protocol::dump(json, 2) + "\n";
}

}  // namespace bench::reports
