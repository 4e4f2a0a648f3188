// Loading, comparing and reporting runs of 100 to 10,000 cases: under a second and linear. ->Complexity()
// prints the fitted order.

#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "harness/protocol/json.hpp"
#include "harness/statistics/description.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"
#include "reports/pivot/pivot.hpp"
#include "reports/table.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::reports {
namespace {

CaseResult made_up_case(std::int64_t index, std::uint64_t salt) {
  CaseResult result{
      .configuration = {.workload = "model",
                        .values = {{"size", std::string(index % 2 == 0 ? "small" : "large")},
                                   {"context", std::int64_t{index / 2}},
                                   {"precision", std::string("fp32")},
                                   {"attention", std::string("naive")}}},
      .stop_reason = remark(RemarkCode::steps_taken, {{"samples", 10}, {"steps_per_sample", 1}}),
      .steps_per_sample = 1};
  result.phase_names = {"forward", "backward", "optimizer"};
  std::vector<double> values;
  std::uint64_t state = static_cast<std::uint64_t>(index) * 6364136223846793005U + salt;
  for (int i = 0; i < 15; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto ns = static_cast<std::int64_t>(10'000'000 + (state >> 44U));
    result.samples.push_back({.begin_ns = i * 20'000'000LL,
                              .host_ns = ns,
                              .phase_ns = {ns / 3, ns / 3, ns / 3},
                              .kind = i < 5 ? SampleKind::warm_up : SampleKind::measured});
    if (i >= 5) values.push_back(static_cast<double>(ns));
  }
  const statistics::Description described = statistics::describe(values);
  Summary step{.metric = "step",
               .heading = "step",
               .unit = "ns",
               .kind = Quantity::time,
               .source = TimeSource{},
               .value = described.median,
               .n = described.n};
  step.low = described.interval->low;
  step.high = described.interval->high;
  result.summaries = {step,
                      {.metric = "peak_allocated",
                       .heading = "peak allocated",
                       .unit = "bytes",
                       .kind = Quantity::memory,
                       .value = 1e9 + static_cast<double>(index)}};
  result.check = Check{.passed = true, .reason = "", .items = {{"loss", 1e-8, 1e-5}}};
  // Each its own text, as warnings with numbers in them are.
  result.warnings = {
      remark(RemarkCode::outliers, {{"outliers", 1}, {"samples", 10}, {"slowest_ns", 1e6 * double(index)}})};
  return result;
}

Document made_up_run(std::int64_t cases, std::uint64_t salt) {
  Document document;
  document.run = {.argv = {"bench", "run", "model"},
                  .workload = "model",
                  .device = "cpu",
                  .planned_cases = cases,
                  .complete = true};
  for (std::int64_t i = 0; i < cases; ++i) document.cases.push_back(made_up_case(i, salt));
  return document;
}

void load_run_json(benchmark::State& state) {
  support::TemporaryFolder folder;
  std::ofstream(folder.path("run.json")) << format_named("json").render(made_up_run(state.range(0), 1));
  for (auto _ : state) benchmark::DoNotOptimize(load_document(folder.path("run.json")));
  state.SetComplexityN(state.range(0));
  state.counters["MB"] = static_cast<double>(std::filesystem::file_size(folder.path("run.json"))) / 1e6;
}
BENCHMARK(load_run_json)
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

void load_journal(benchmark::State& state) {
  support::TemporaryFolder folder;
  {
    std::ofstream file(folder.path("cases.jsonl"));
    const Document document = made_up_run(state.range(0), 1);
    file << protocol::journal_header_line(document) << '\n';
    for (const CaseResult& result : document.cases) file << protocol::journal_case_line(result) << '\n';
  }
  for (auto _ : state) benchmark::DoNotOptimize(load_document(folder.path("cases.jsonl")));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(load_journal)->RangeMultiplier(10)->Range(100, 10'000)->Complexity()->Unit(benchmark::kMillisecond);

void compare_markdown(benchmark::State& state) {
  const Document base = made_up_run(state.range(0), 1), other = made_up_run(state.range(0), 2);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        compare_format_named("markdown").render(compare({"a", &base}, {{"b", &other}}, {})));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(compare_markdown)
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

void report(benchmark::State& state, const std::string& format) {
  const Document document = made_up_run(state.range(0), 1);
  for (auto _ : state) benchmark::DoNotOptimize(format_named(format).render(document));
  state.SetComplexityN(state.range(0));
}
#define REPORT(NAME, FORMAT)              \
  BENCHMARK_CAPTURE(report, NAME, FORMAT) \
      ->RangeMultiplier(10)               \
      ->Range(100, 10'000)                \
      ->Complexity()                      \
      ->Unit(benchmark::kMillisecond)
REPORT(markdown, "markdown");
REPORT(csv, "csv");
REPORT(json, "json");
REPORT(html, "html");
REPORT(latex, "latex");
REPORT(google_benchmark, "google-benchmark");
REPORT(nvbench, "nvbench");

void pivot(benchmark::State& state) {
  const Document document = made_up_run(state.range(0), 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        svg_chart(make_pivot({{"a", &document}}, {.rows = {"context"}, .columns = {"size"}})));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(pivot)->RangeMultiplier(10)->Range(100, 10'000)->Complexity()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench::reports
