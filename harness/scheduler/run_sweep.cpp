#include "harness/scheduler/run_sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/scheduler/speed_of_light.hpp"
#include "harness/scheduler/summaries.hpp"

namespace bench::scheduler {
namespace {

registry::Support support(const Sweep& sweep, const registry::PlannedCase& planned) {
  if (planned.policy.timing == Timing::graph && sweep.device == "cpu")
    return {.yes = false, .reason = "CUDA graphs need a CUDA device"};
  if (!sweep.spec->supports) return {};
  return sweep.spec->supports(planned.configuration, sweep.device, sweep.machine);
}

CaseResult skipped(const registry::PlannedCase& planned, const std::string& reason) {
  return {.configuration = planned.configuration,
          .status = Status::skipped,
          .reason = reason,
          .policy = planned.policy};
}

// Adds what follows from the samples.
void complete(CaseResult& result, const Sweep& sweep, std::int64_t empty_sample_ns) {
  const registry::WorkloadSpec& spec = *sweep.spec;
  if (spec.work) result.work = spec.work(result.configuration);
  result.summaries = spec.quantities ? spec.quantities(result.configuration) : std::vector<Summary>{};
  if (result.status != Status::ok)
    return;  // its samples, if any, were never verified: no times follow from them
  const std::vector<Summary> quantities = result.summaries;
  const SpeedOfLight light =
      speed_of_light(sweep.gpu_name, spec.arithmetic ? spec.arithmetic(result.configuration) : "");
  result.summaries = summarize(result, {.quantities = quantities,
                                        .headline = spec.headline,
                                        .peak_flop_per_s = light.flop_per_s,
                                        .memory_columns = spec.memory_columns});
  if (spec.headline == registry::Headline::device_time && sweep.device != "cpu")
    result.notes.emplace_back(
        "times are the device's, between events around each sample's steps, whose launches were queued up "
        "before");
  if (!light.note.empty()) result.notes.push_back(light.note);
  if (refuse_faster_than_light(result)) {
    result.summaries = quantities;
    return;
  }
  std::vector<std::string> warnings = judge_samples(result, empty_sample_ns, spec.headline);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(result.warnings));
}

double at_most_s(const std::vector<registry::PlannedCase>& cases) {
  double total = 0;
  for (const auto& planned : cases) total += std::min(planned.policy.time_budget_s, planned.policy.timeout_s);
  return total;
}

}  // namespace

bool any_supported(const Sweep& sweep) {
  return std::any_of(sweep.cases.begin(), sweep.cases.end(),
                     [&](const auto& planned) { return support(sweep, planned).yes; });
}

SweepEnd run_sweep(const Sweep& sweep, WorkerSource& source, Clock& clock, Progress& progress,
                   const ResultSink& sink) {
  progress.begin_run(sweep.cases.size(), at_most_s(sweep.cases));
  const CaseListener listener = [&](const CaseState& state) { progress.state(state); };
  bool worker_is_fresh = true;

  for (std::size_t index = 0; index < sweep.cases.size(); ++index) {
    const registry::PlannedCase& planned = sweep.cases[index];
    progress.begin_case(index, planned.configuration.id());
    if (const registry::Support supported = support(sweep, planned); !supported.yes) {
      CaseResult result = skipped(planned, supported.reason);
      progress.end_case(result);
      sink(std::move(result));
      continue;
    }

    const auto run_once = [&] {
      if (!worker_is_fresh && needs_fresh_worker(planned.policy)) source.discard();
      worker_is_fresh = false;
      CaseOutcome outcome = run_case(source.worker(), planned, sweep.case_options, clock, listener);
      complete(outcome.result, sweep, outcome.worker_lost ? 0 : source.worker().hello().empty_sample_ns);
      if (outcome.worker_lost || outcome.result.status == Status::out_of_memory) {
        source.discard();
        worker_is_fresh = true;
      }
      return outcome;
    };
    CaseOutcome outcome = run_once();
    if (!outcome.interrupted && outcome.result.status == Status::out_of_memory) outcome = run_once();
    if (outcome.interrupted) return SweepEnd::interrupted;
    progress.end_case(outcome.result);
    sink(std::move(outcome.result));
  }
  return SweepEnd::finished;
}

}  // namespace bench::scheduler
