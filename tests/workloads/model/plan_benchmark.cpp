#include <benchmark/benchmark.h>

#include <string>

#include "harness/registry/expand.hpp"
#include "workloads/model/definition.hpp"

// How planning a sweep grows with its cases: linearly, 100,000 of them in under a second.
namespace bench::model {
namespace {

void plan(benchmark::State& state, const std::string& filter) {
  const registry::WorkloadSpec spec = make_spec();
  const registry::ExpandRequest request{
      .options = {{"context", "1:100:+1"}, {"batch", "1:" + std::to_string(state.range(0) / 100) + ":+1"}},
      .preset = {},
      .filter = filter};
  std::size_t cases = 0;
  for (auto _ : state) cases += registry::expand(spec, request).size();
  state.SetItemsProcessed(static_cast<std::int64_t>(cases));
  state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(plan, all, "")
    ->RangeMultiplier(10)
    ->Range(1'000, 100'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(plan, filtered, "context:(64|128)/")
    ->RangeMultiplier(10)
    ->Range(1'000, 100'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace bench::model
