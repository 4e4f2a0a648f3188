#include <benchmark/benchmark.h>

#include <fstream>
#include <memory>
#include <string>

#include "harness/cli/plan_file.hpp"
#include "harness/cli/resume.hpp"
#include "harness/protocol/json.hpp"
#include "harness/registry/registry.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/journal.hpp"
#include "harness/scheduler/summaries.hpp"
#include "harness/scheduler/sweep_estimate.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/model/definition.hpp"

// How going on with a run grows with its finished cases: linearly; 10,000 of them should take under a second.
namespace bench::cli {
namespace {

const registry::Registration registration{model::make_spec()};

CaseResult measured(const registry::PlannedCase& planned) {
  CaseResult result{.configuration = planned.configuration, .policy = planned.policy};
  result.stop_reason = remark(RemarkCode::steps_taken, {{"samples", 10}, {"steps_per_sample", 1}});
  result.steps_per_sample = 1;
  result.phase_names = {"forward", "backward", "optimizer"};
  for (int i = 0; i < 15; ++i)
    result.samples.push_back({.begin_ns = 1'000'000'000 + i,
                              .host_ns = 12'345'678 + 1000 * i,
                              .phase_ns = {1'000'000, 2'000'000, 3'000'000},
                              .steps = 1,
                              .kind = i < 5 ? SampleKind::warm_up : SampleKind::measured});
  result.work = model::work_of(planned.configuration);
  result.check = Check{.items = {{"gradient of blocks.0.attention.query", 1e-6, 1e-4}}};
  result.memory = MemoryReport{1'000'000, 2'000'000, {{"parameters", 1'000'000}, {"activations", 1'000'000}}};
  result.summaries = scheduler::summarize(result, {});
  return result;
}

// A run directory whose cases are all finished.
class FinishedRun {
 public:
  explicit FinishedRun(std::int64_t cases) {
    const std::vector<std::string> argv{
        "bench",       "run",    "model", "--context", "1:100:+1", "--batch", fmt_range(cases / 100),
        "--max-cases", "1000000"};
    const auto request = std::get<RunRequest>(parse_command_line({argv.begin() + 1, argv.end()}));
    const Plan plan = make_plan(request, {});
    scheduler::write_whole_file(folder_.path("plan.json"), plan_file_content(plan, argv));
    std::ofstream journal(folder_.path("cases.jsonl"));
    journal << protocol::journal_header_line({}) << "\n";
    for (const registry::PlannedCase& planned : plan.cases)
      journal << protocol::journal_case_line(measured(planned)) << "\n";
  }
  std::string path(const std::string& name = "") const { return folder_.path(name); }

 private:
  static std::string fmt_range(std::int64_t last) { return "1:" + std::to_string(last) + ":+1"; }
  support::TemporaryFolder folder_;
};

void resume(benchmark::State& state) {
  const FinishedRun run(state.range(0));
  RunRequest typed;
  typed.resume = run.path();
  for (auto _ : state) {
    const scheduler::Journal journal(run.path("cases.jsonl"), scheduler::Journal::Start::resumed);
    Resumed resumed = read_resumed(typed);
    scheduler::Sweep sweep;
    sweep.spec = resumed.plan.spec;
    sweep.cases = resumed.plan.cases;
    sweep.device = "cpu";
    mark_finished(sweep, results_by_place(resumed.plan, *resumed.document, run.path()), *resumed.document,
                  run.path());
    if (static_cast<std::int64_t>(sweep.finished.size()) != state.range(0))
      state.SkipWithError("not every case is finished");
    benchmark::DoNotOptimize(scheduler::SweepEstimate(sweep).total_s());
  }
  state.SetComplexityN(state.range(0));
}

BENCHMARK(resume)
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace bench::cli
