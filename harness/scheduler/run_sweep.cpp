#include "harness/scheduler/run_sweep.hpp"

#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/registry/maximum.hpp"
#include "harness/scheduler/peer_check.hpp"
#include "harness/scheduler/speed_of_light.hpp"
#include "harness/scheduler/summaries.hpp"
#include "harness/scheduler/sweep_estimate.hpp"

namespace bench::scheduler {
namespace {

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
  result.summaries = summarize(result, {.quantities = quantities,
                                        .headline = spec.headline,
                                        .peak_flop_per_s = light.flop_per_s,
                                        .memory_columns = spec.memory_columns});
  if (spec.headline == registry::Headline::device_time && sweep.device != "cpu")
    result.notes.emplace_back(
        "times are the device's, between events around each sample's steps, whose launches were queued up "
        "before where so many fit");
  if (!light.note.empty()) result.notes.push_back(light.note);
  if (refuse_faster_than_light(result)) {
    result.summaries = quantities;
    return;
  }
  if (outcome.compile_ns)
    result.summaries.push_back(
        {.metric = "compile", .unit = "ns", .value = static_cast<double>(*outcome.compile_ns)});
  std::vector<std::string> warnings = judge_samples(result, empty_sample_ns, spec.headline);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(result.warnings));
  if (std::string note = host_bound_note(result); !note.empty()) result.notes.push_back(std::move(note));
}

// One try, on the worker of the case's program.
CaseOutcome run_supported(const Sweep& sweep, const registry::PlannedCase& planned, WorkerPrograms& programs,
                          PeerCheck& check, Clock& clock, const CaseListener& listener) {
  const std::string program = program_of(sweep, planned.configuration);
  RunCaseOptions options = sweep.case_options;
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
  Worker& worker = programs.worker_for_work(program, !options.profile && needs_fresh_worker(planned.policy));
  outcome = run_case(worker, planned, options, clock, listener);
  complete(outcome, sweep, outcome.worker_lost ? 0 : worker.hello().empty_sample_ns);
  if (outcome.worker_lost || outcome.result.status == Status::out_of_memory) programs.discard();
  return outcome;
}

// What a person who sees it run out of memory wants to know next.
void add_what_would_fit(CaseResult& result, const Sweep& sweep) {
  const auto prediction = registry::predict_memory(*sweep.spec, result.configuration, sweep.device);
  if (!prediction || sweep.room.bytes <= 0) return;
  result.reason +=
      "; " + registry::explain_misfit(*sweep.spec, result.configuration, *prediction, sweep.room);
}

// Everything that becomes of one case. Interrupted: its result is worth nothing.
class CaseRunner {
 public:
  CaseRunner(const Sweep& sweep, WorkerPrograms& programs, Clock& clock, Progress& progress)
      : sweep_(sweep),
        programs_(programs),
        clock_(clock),
        check_(sweep.check_path),
        listener_([&progress](const CaseState& state) { progress.state(state); }) {}

  CaseOutcome run(registry::PlannedCase planned) {
    const std::string asked = to_text_of_maximized(planned);
    for (;;) {
      CaseOutcome outcome = try_twice(planned);
      if (outcome.interrupted) return outcome;
      registry::PlannedCase smaller = planned;
      const bool too_large = outcome.result.status == Status::out_of_memory;
      if (too_large && registry::make_smaller(*sweep_.spec, smaller) && !is_asked_for(smaller)) {
        planned = std::move(smaller);
        continue;
      }
      if (too_large && !refused_) add_what_would_fit(outcome.result, sweep_);
      if (planned.maximum) add_note_of_max(outcome.result, planned, asked);
      return outcome;
    }
  }

 private:
  // A row of its own: it is not measured as what `max` came down to, too.
  bool is_asked_for(const registry::PlannedCase& planned) {
    if (asked_.empty())
      for (const registry::PlannedCase& asked : sweep_.cases) asked_.insert(asked.configuration.id());
    return asked_.contains(planned.configuration.id());
  }

  static std::string to_text_of_maximized(const registry::PlannedCase& planned) {
    return planned.maximum ? to_text(*planned.configuration.find(planned.maximum->parameter)) : "";
  }

  static void add_note_of_max(CaseResult& result, const registry::PlannedCase& planned,
                              const std::string& tried_first) {
    const std::string found = to_text_of_maximized(planned);
    if (result.status == Status::out_of_memory) return;  // the reason says it
    const std::string& parameter = planned.maximum->parameter;
    result.notes.push_back(
        found == tried_first
            ? fmt::format("{} max: {} is the largest power of two that the memory formula does not rule out",
                          parameter, found)
            : fmt::format("{} max: {}; the formula did not rule {} out, which then did not fit", parameter,
                          found, tried_first));
  }

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
  WorkerPrograms& programs_;
  Clock& clock_;
  PeerCheck check_;
  CaseListener listener_;
  bool refused_ = false;
  std::unordered_set<std::string> asked_;  // ids; filled when `max` first comes down
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
  CaseRunner runner(sweep, programs, clock, progress);

  for (std::size_t place = 0; place < sweep.size(); ++place) {
    const std::size_t index = place % sweep.cases.size();
    const int repetition = static_cast<int>(place / sweep.cases.size());
    const registry::PlannedCase& planned = sweep.cases[index];
    if (index == 0 && repetition > 0) programs.discard();
    if (sweep.finished.contains(place)) continue;
    progress.begin_case(place, planned.configuration.id(),
                        {.case_s = estimate.case_s(index), .after_s = estimate.after_s(place)});
    const std::int64_t began_ns = clock.now_ns();
    CaseOutcome outcome = runner.run(planned);
    if (outcome.interrupted) return SweepEnd::interrupted;
    outcome.result.repetition = repetition;
    estimate.learn(index, outcome.result, seconds_between(began_ns, clock.now_ns()));
    progress.end_case(outcome.result, estimate.after_s(place));
    sink(std::move(outcome.result));
  }
  return SweepEnd::finished;
}

}  // namespace bench::scheduler
