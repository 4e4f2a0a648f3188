#include "harness/scheduler/run_sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/scheduler/peer_check.hpp"
#include "harness/scheduler/speed_of_light.hpp"
#include "harness/scheduler/summaries.hpp"

namespace bench::scheduler {
namespace {

std::string program_of(const Sweep& sweep, const Case& configuration) {
  return sweep.spec->program ? sweep.spec->program(configuration) : "";
}

registry::Support support(const Sweep& sweep, const registry::PlannedCase& planned) {
  if (planned.policy.timing == Timing::graph && sweep.device == "cpu")
    return {.yes = false, .reason = "CUDA graphs need a CUDA device"};
  if (sweep.spec->supports) {
    registry::Support supported = sweep.spec->supports(planned.configuration, sweep.device, sweep.machine);
    if (!supported.yes) return supported;
  }
  const auto unavailable = sweep.unavailable.find(program_of(sweep, planned.configuration));
  if (unavailable != sweep.unavailable.end()) return {.yes = false, .reason = unavailable->second};
  return {};
}

CaseResult ended(const registry::PlannedCase& planned, Status status, const std::string& reason) {
  return {
      .configuration = planned.configuration, .status = status, .reason = reason, .policy = planned.policy};
}

// Adds what follows from the samples.
void complete(CaseOutcome& outcome, const Sweep& sweep, std::int64_t empty_sample_ns) {
  CaseResult& result = outcome.result;
  const registry::WorkloadSpec& spec = *sweep.spec;
  if (spec.work) result.work = spec.work(result.configuration);
  result.summaries = spec.quantities ? spec.quantities(result.configuration) : std::vector<Summary>{};
  if (result.status != Status::ok)
    return;  // its samples, if any, were never verified: no times follow from them
  const std::vector<Summary> quantities = result.summaries;
  const SpeedOfLight light =
      speed_of_light(sweep.gpu_name, spec.arithmetic ? spec.arithmetic(result.configuration) : "");
  result.summaries = summarize(result, quantities, light.flop_per_s);
  if (!light.note.empty()) result.notes.push_back(light.note);
  if (refuse_faster_than_light(result)) {
    result.summaries = quantities;
    return;
  }
  if (outcome.compile_ns)
    result.summaries.push_back(
        {.metric = "compile", .unit = "ns", .value = static_cast<double>(*outcome.compile_ns)});
  std::vector<std::string> warnings = judge_samples(result, empty_sample_ns);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(result.warnings));
}

// One try, on the worker of the case's program.
CaseOutcome run_supported(const Sweep& sweep, const registry::PlannedCase& planned, WorkerPrograms& programs,
                          PeerCheck& check, Clock& clock, const CaseListener& listener) {
  const std::string program = program_of(sweep, planned.configuration);
  RunCaseOptions options = sweep.case_options;
  CaseOutcome outcome;
  if (!program.empty()) {
    options.check_file = check.path();
    const Case reference = sweep.spec->reference_case ? sweep.spec->reference_case(planned.configuration)
                                                      : planned.configuration;
    if (const auto failure = check.provide(reference, planned.policy, programs, clock, listener)) {
      outcome = {.result = ended(planned, failure->status, failure->reason),
                 .interrupted = failure->interrupted,
                 .worker_lost = failure->worker_lost};
      complete(outcome, sweep, 0);
      if (outcome.worker_lost || failure->status == Status::out_of_memory) programs.discard();
      return outcome;
    }
  }
  Worker& worker = programs.worker_for_work(program, needs_fresh_worker(planned.policy));
  outcome = run_case(worker, planned, options, clock, listener);
  complete(outcome, sweep, outcome.worker_lost ? 0 : worker.hello().empty_sample_ns);
  if (outcome.worker_lost || outcome.result.status == Status::out_of_memory) programs.discard();
  return outcome;
}

double at_most_s(const std::vector<registry::PlannedCase>& cases) {
  double total = 0;
  for (const auto& planned : cases) total += std::min(planned.policy.time_budget_s, planned.policy.timeout_s);
  return total;
}

}  // namespace

std::set<std::string> programs_of(const Sweep& sweep) {
  std::set<std::string> programs;
  for (const auto& planned : sweep.cases) {
    if (!support(sweep, planned).yes) continue;
    programs.insert(program_of(sweep, planned.configuration));
    programs.insert("");
  }
  return programs;
}

SweepEnd run_sweep(const Sweep& sweep, WorkerPrograms& programs, Clock& clock, Progress& progress,
                   const ResultSink& sink) {
  progress.begin_run(sweep.cases.size(), at_most_s(sweep.cases));
  const CaseListener listener = [&](const CaseState& state) { progress.state(state); };
  PeerCheck check(sweep.check_path);

  for (std::size_t index = 0; index < sweep.cases.size(); ++index) {
    const registry::PlannedCase& planned = sweep.cases[index];
    progress.begin_case(index, planned.configuration.id());
    if (const registry::Support supported = support(sweep, planned); !supported.yes) {
      CaseResult result = ended(planned, Status::skipped, supported.reason);
      progress.end_case(result);
      sink(std::move(result));
      continue;
    }

    const auto run_once = [&] { return run_supported(sweep, planned, programs, check, clock, listener); };
    CaseOutcome outcome = run_once();
    if (!outcome.interrupted && outcome.result.status == Status::out_of_memory) outcome = run_once();
    if (outcome.interrupted) return SweepEnd::interrupted;
    progress.end_case(outcome.result);
    sink(std::move(outcome.result));
  }
  return SweepEnd::finished;
}

}  // namespace bench::scheduler
