#pragma once

#include <algorithm>
#include <vector>

#include "harness/core/document.hpp"
#include "harness/statistics/sampled_summary.hpp"

// Runs of which only the step times and one exact quantity matter.
namespace bench::support {

inline CaseResult made_up_case(const std::string& size, const std::vector<std::int64_t>& step_us,
                               double peak_bytes = 1e6, int repetition = 0) {
  CaseResult result{.configuration = {.workload = "model", .values = {{"size", size}}},
                    .repetition = repetition,
                    .steps_per_sample = 1};
  std::vector<double> values;
  for (const std::int64_t us : step_us) {
    result.samples.push_back({.host_ns = us * 1000});
    values.push_back(static_cast<double>(us) * 1000);
  }
  const Summary step = statistics::sampled_summary(
      {.metric = "step", .heading = "step", .unit = "ns", .kind = Quantity::time, .source = TimeSource{}},
      values);
  result.summaries = {step,
                      {.metric = "peak_allocated",
                       .heading = "peak allocated",
                       .unit = "bytes",
                       .kind = Quantity::memory,
                       .value = peak_bytes}};
  return result;
}

inline Document made_up_run(std::vector<CaseResult> cases, const std::string& device = "cpu") {
  Document document;
  document.run = {.argv = {"bench", "run", "model", "--size", "small,large", "--out", "here"},
                  .workload = "model",
                  .device = device,
                  .planned_cases = static_cast<std::int64_t>(cases.size()),
                  .complete = true};
  document.environment.cpu_model = "Example(R) CPU";
  document.conditions = {{"OMP_NUM_THREADS", "2"}};
  document.cases = std::move(cases);
  return document;
}

// Ten samples around `us`, in steps of 0.1%.
inline std::vector<std::int64_t> around(std::int64_t us) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < 10; ++i) values.push_back(us + us * ((i * 7) % 10 - 5) / 1000);
  return values;
}

}  // namespace bench::support
