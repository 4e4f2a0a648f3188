#include "harness/scheduler/run_sweep.hpp"

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/registry/maximum.hpp"
#include "harness/registry/ranks.hpp"
#include "harness/scheduler/maxima.hpp"
#include "harness/scheduler/peer_check.hpp"
#include "harness/scheduler/speed_of_light.hpp"
#include "harness/scheduler/summaries.hpp"
#include "harness/scheduler/sweep_estimate.hpp"

namespace bench::scheduler {
namespace {

CaseResult ended(const registry::PlannedCase& planned, Status status, const Remark& reason) {
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
  result.summaries = summarize(result, {.quantities = quantities,
                                        .headline = spec.headline,
                                        .peak_flop_per_s = light.flop_per_s,
                                        .memory_columns = spec.memory_columns});
  if (spec.headline == Headline::device_time && sweep.device != "cpu")
    result.notes.push_back(remark(RemarkCode::device_times));
  if (light.note) result.notes.push_back(*light.note);
  if (refuse_faster_than_light(result)) {
    result.summaries = quantities;
    return;
  }
  if (outcome.compile_ns)
    result.summaries.push_back({.metric = "compile",
                                .heading = "compile",
                                .unit = "ns",
                                .kind = Quantity::time,
                                .value = static_cast<double>(*outcome.compile_ns)});
  std::vector<Remark> warnings = warnings_about_samples(result, empty_sample_ns, spec.headline);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(result.warnings));
  if (auto note = host_bound_note(result)) result.notes.push_back(std::move(*note));
}

// One try, on the worker of the case's program.
CaseOutcome run_supported(const Sweep& sweep, const registry::PlannedCase& planned, WorkerPrograms& programs,
                          PeerCheck& check, Clock& clock, const CaseListener& listener) {
  const std::string program = program_of(sweep, planned.configuration);
  RunCaseOptions options = sweep.case_options;
  options.headline = sweep.spec->headline;
  if (!program.empty() && sweep.spec->spell_out) options.told = sweep.spec->spell_out(planned.configuration);
  CaseOutcome outcome;
  if (!program.empty() && !options.profile) {
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
  Worker& worker = programs.worker_for_work(program, registry::ranks_of(planned.configuration),
                                            !options.profile && needs_fresh_worker(planned.policy));
  outcome = run_case(worker, planned, options, clock, listener);
  complete(outcome, sweep, outcome.worker_lost ? 0 : worker.hello().empty_sample_ns);
  if (outcome.worker_lost || outcome.result.status == Status::out_of_memory) programs.discard();
  return outcome;
}

// What a person who sees it run out of memory wants to know next.
void add_what_would_fit(CaseResult& result, const Sweep& sweep) {
  const auto prediction = registry::predict_memory(*sweep.spec, result.configuration, sweep.device);
  if (!prediction || sweep.room.bytes <= 0) return;
  const Remark misfit = registry::explain_misfit(*sweep.spec, result.configuration, *prediction, sweep.room);
  result.reason =
      remark(RemarkCode::out_of_memory, {{"how", result.reason.text}, {"prediction", misfit.text}});
}

// Everything that becomes of one case. Interrupted: its result is worth nothing.
class CaseRunner {
 public:
  CaseRunner(const Sweep& sweep, const Maxima& maxima, WorkerPrograms& programs, Clock& clock,
             Progress& progress)
      : sweep_(sweep),
        maxima_(maxima),
        programs_(programs),
        clock_(clock),
        check_(sweep.check_path),
        listener_([&progress](const CaseState& state) { progress.state(state); }) {}

  CaseOutcome run(registry::PlannedCase planned) {
    for (;;) {
      CaseOutcome outcome = try_twice(planned);
      if (outcome.interrupted || outcome.result.status != Status::out_of_memory) return outcome;
      registry::PlannedCase smaller = planned;
      if (!registry::make_smaller(*sweep_.spec, smaller) || maxima_.is_answered(smaller)) {
        if (!refused_) add_what_would_fit(outcome.result, sweep_);
        return outcome;
      }
      planned = std::move(smaller);
    }
  }

 private:
  CaseOutcome try_twice(const registry::PlannedCase& planned) {
    const auto refused = refusal(sweep_, planned);
    refused_ = refused.has_value();
    if (refused) {
      CaseOutcome outcome{.result = ended(planned, refused->status, refused->reason)};
      complete(outcome, sweep_, 0);
      return outcome;
    }
    CaseOutcome outcome = run_supported(sweep_, planned, programs_, check_, clock_, listener_);
    if (!outcome.interrupted && outcome.result.status == Status::out_of_memory)
      outcome = run_supported(sweep_, planned, programs_, check_, clock_, listener_);
    return outcome;
  }

  const Sweep& sweep_;
  const Maxima& maxima_;
  WorkerPrograms& programs_;
  Clock& clock_;
  PeerCheck check_;
  CaseListener listener_;
  bool refused_ = false;
};

}  // namespace

SweepEnd run_sweep(const Sweep& sweep, WorkerPrograms& programs, Clock& clock, Progress& progress,
                   const ResultSink& sink) {
  SweepEstimate estimate(sweep);
  progress.begin_run({.cases = sweep.size(),
                      .finished = sweep.finished.size(),
                      .expected_s = estimate.total_s(),
                      .at_most_s = estimate.at_most_s(),
                      .beyond_timeout = estimate.beyond_timeout()});
  Maxima maxima(sweep);
  CaseRunner runner(sweep, maxima, programs, clock, progress);

  for (std::size_t place = 0; place < sweep.size(); ++place) {
    const std::size_t index = place % sweep.cases.size();
    const int repetition = static_cast<int>(place / sweep.cases.size());
    if (index == 0) maxima.begin_repetition();
    if (index == 0 && repetition > 0) programs.discard();
    if (const auto before = sweep.finished.find(place); before != sweep.finished.end()) {
      if (before->second) maxima.end(index, sweep.cases[index].configuration, *before->second);
      continue;
    }
    const registry::PlannedCase first = maxima.planned(index);
    registry::PlannedCase planned = first;
    if (maxima.is_answered(planned)) continue;
    progress.begin_case(place, planned.configuration.id(),
                        {.case_s = estimate.case_s(index), .after_s = estimate.after_s(place)});
    const std::int64_t began_ns = clock.now_ns();
    CaseOutcome outcome = runner.run(std::move(planned));
    if (outcome.interrupted) return SweepEnd::interrupted;
    CaseResult& result = outcome.result;
    result.repetition = repetition;
    if (auto note = maxima.note(index, first, result)) result.notes.push_back(std::move(*note));
    maxima.end(index, result.configuration, result.status);
    estimate.take_in(index, result, seconds_between(began_ns, clock.now_ns()));
    progress.end_case(result, estimate.after_s(place));
    sink(std::move(result));
  }
  return SweepEnd::finished;
}

}  // namespace bench::scheduler
