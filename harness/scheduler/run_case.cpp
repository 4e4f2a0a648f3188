#include "harness/scheduler/run_case.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/scheduler/sampling.hpp"
#include "harness/statistics/descriptive.hpp"

namespace bench::scheduler {
namespace {

// The case ended before its time: not an error of bench's, but the way out of the steps below.
struct CaseEnded {};

class CaseRun {
 public:
  CaseRun(Worker& worker, const registry::PlannedCase& planned, const RunCaseOptions& options, Clock& clock,
          const CaseListener& listener)
      : worker_(worker), options_(options), clock_(clock), listener_(listener) {
    result().configuration = planned.configuration;
    result().policy = planned.policy;
    deadline_ns_ = clock.now_ns() + static_cast<std::int64_t>(planned.policy.timeout_s * 1e9);
  }

  CaseOutcome run() {
    try {
      prepare();
      warm_up();
      take_samples();
      verify();
      observe_memory();
      release();
    } catch (const CaseEnded&) {
    }
    return std::move(outcome_);
  }

 private:
  CaseResult& result() { return outcome_.result; }
  const Policy& policy() { return result().policy; }
  bool check_comes_late() { return needs_fresh_worker(policy()); }

  void enter(std::string phase, std::int64_t total = 0) {
    state_ = {.phase = std::move(phase), .done = 0, .total = total, .median_ns = state_.median_ns};
    listener_(state_);
  }

  [[noreturn]] void end(Status status, std::string reason) {
    result().status = status;
    result().reason = std::move(reason);
    if (status == Status::incorrect) {  // a wrong result gets no time
      result().samples.clear();
      result().first_step_ns.reset();
    }
    throw CaseEnded{};
  }

  // Sends a command and returns what answered it; anything else ends the case.
  protocol::Event ask(const protocol::Command& command) {
    Reply reply = worker_.ask(command, deadline_ns_, [this](const protocol::Event* event) { hear(event); });
    switch (reply.kind) {
      case Reply::Kind::answered:
        break;
      case Reply::Kind::crashed:
        outcome_.worker_lost = true;
        end(Status::crashed, fmt::format("{}: {}", state_.phase, reply.reason));
      case Reply::Kind::timed_out:
        outcome_.worker_lost = true;
        end(Status::timed_out,
            fmt::format("{}: the case took longer than --timeout {:g}s", state_.phase, policy().timeout_s));
      case Reply::Kind::interrupted:
        outcome_.worker_lost = true;
        outcome_.interrupted = true;
        throw CaseEnded{};
    }
    if (const auto* failed = std::get_if<protocol::Failed>(&reply.event)) end(failed->status, failed->reason);
    return std::move(reply.event);
  }

  protocol::Done ask_done(const protocol::Command& command) {
    const protocol::Event event = ask(command);
    if (const auto* done = std::get_if<protocol::Done>(&event)) return *done;
    end(Status::failed,
        fmt::format("{}: the worker answered with something else than what was asked", state_.phase));
  }

  void hear(const protocol::Event* event) {
    if (event != nullptr) {
      if (const auto* progress = std::get_if<protocol::Progress>(event)) {
        state_.phase = progress->phase;
        state_.done = progress->done;
        state_.total = progress->total;
      } else if (const auto* arrived = std::get_if<protocol::Samples>(event)) {
        for (const Sample& sample : arrived->samples) {
          result().samples.push_back(sample);
          step_ns_[sample.kind == SampleKind::measured].push_back(static_cast<double>(sample.host_ns) /
                                                                  sample.steps);
        }
        state_.done += static_cast<std::int64_t>(arrived->samples.size());
        const auto& measured = step_ns_[1];
        if (!measured.empty()) state_.median_ns = statistics::median(measured);
      }
    }
    listener_(state_);
  }

  void prepare() {
    enter("set-up");
    const protocol::Event event = ask(protocol::Prepare{.configuration = result().configuration,
                                                        .seed = policy().seed,
                                                        .cache = policy().cache,
                                                        .check = !check_comes_late(),
                                                        .inject_fault = options_.inject_fault,
                                                        .check_file = options_.check_file});
    const auto* prepared = std::get_if<protocol::Prepared>(&event);
    if (prepared == nullptr) end(Status::failed, "set-up: the worker did not say what it prepared");
    result().phase_names = prepared->phase_names;
    result().check = prepared->check;
    outcome_.compile_ns = prepared->compile_ns;
    if (!prepared->check.passed) end_incorrect("check", prepared->check);
  }

  [[noreturn]] void end_incorrect(std::string_view phase, const Check& check) {
    end(Status::incorrect, fmt::format("{}: {}", phase, check.reason));
  }

  void measure(SampleKind kind, int samples, int steps) {
    const protocol::Done done =
        ask_done(protocol::Measure{.kind = kind, .samples = samples, .steps_per_sample = steps});
    if (kind == SampleKind::measured)
      for (const auto& [name, value] : done.counters) result().counters[name] += value;
  }

  void warm_up() {
    enter("warm-up", policy().warmup_steps);
    const auto& steps_ns = step_ns_[0];
    std::int64_t begin_ns = clock_.now_ns();
    for (int done = 0; done < policy().warmup_steps;) {
      if (done == 1)
        begin_ns = *(sampling_began_ns_ = clock_.now_ns());  // the first step counts for no budget
      int wanted = 1;
      if (done >= 2) {
        // The second step onwards says how long one takes; the first one is another matter.
        const double step_ns = *std::min_element(steps_ns.begin() + 1, steps_ns.end());
        if (warmup_budget_used(policy(), seconds_between(begin_ns, clock_.now_ns()), step_ns / 1e9)) {
          result().warnings.push_back(
              fmt::format("warm-up cut to {} of {} steps: a third of the time budget of {:g} s was used",
                          done, policy().warmup_steps, policy().time_budget_s));
          break;
        }
        wanted = chunk_size(step_ns, policy().warmup_steps - done);
      }
      measure(SampleKind::warm_up, wanted, 1);
      done += wanted;
    }
    if (!steps_ns.empty()) result().first_step_ns = static_cast<std::int64_t>(steps_ns.front());
  }

  void take_samples() {
    const auto& warmup_ns = step_ns_[0];
    const auto& measured_ns = step_ns_[1];
    if (policy().timing == Timing::blocking || warmup_ns.empty()) {
      result().steps_per_sample =
          policy().timing == Timing::blocking ? 1 : steps_per_sample(policy().timing, 10e6);
    } else {
      const std::span<const double> settled = std::span(warmup_ns).subspan(warmup_ns.size() > 1 ? 1 : 0);
      result().steps_per_sample = steps_per_sample(policy().timing, statistics::median(settled));
    }
    enter("samples", policy().steps.value_or(0));
    if (!sampling_began_ns_) sampling_began_ns_ = clock_.now_ns();
    std::vector<double> host_ns;
    for (;;) {
      for (std::size_t i = host_ns.size(); i < measured_ns.size(); ++i)
        host_ns.push_back(measured_ns[i] * result().steps_per_sample);
      const StopDecision decision =
          should_stop(policy(), host_ns, seconds_between(*sampling_began_ns_, clock_.now_ns()));
      if (decision.stop) {
        result().stop_reason = decision.reason;
        break;
      }
      const int taken = static_cast<int>(host_ns.size());
      const int left = policy().steps ? *policy().steps - taken
                                      : kMinimumAutoSamples - (taken < kMinimumAutoSamples ? taken : 0);
      const double sample_ns = host_ns.empty() ? 250e6 : statistics::median(host_ns);
      measure(SampleKind::measured, chunk_size(sample_ns, left), result().steps_per_sample);
      if (measured_ns.size() == host_ns.size()) end(Status::failed, "samples: the worker measured nothing");
    }
    if (!result().first_step_ns && result().steps_per_sample == 1)
      result().first_step_ns = static_cast<std::int64_t>(measured_ns.front());
  }

  void verify() {
    enter("verification");
    result().verification = ask_done(protocol::Verify{}).check.value_or(Check{});
    if (!result().verification.passed) end_incorrect("verification after timing", result().verification);
    if (!check_comes_late()) return;
    enter("check");
    result().check = ask_done(protocol::RunCheck{}).check.value_or(Check{});
    if (!result().check.passed) end_incorrect("check", result().check);
  }

  // The times stand whatever happens here: they were taken, and verified, before.
  void observe_memory() {
    if (!options_.memory_pass) return;
    enter("memory pass");
    try {
      result().memory = ask_done(protocol::Observe{.pass = protocol::Pass::memory}).memory;
    } catch (const CaseEnded&) {
      if (outcome_.interrupted) throw;
      result().warnings.push_back(fmt::format("no memory numbers: {}", result().reason));
      result().status = Status::ok;
      result().reason.clear();
      throw;
    }
  }

  void release() { ask_done(protocol::Release{}); }

  Worker& worker_;
  const RunCaseOptions& options_;
  Clock& clock_;
  const CaseListener& listener_;
  CaseOutcome outcome_;
  CaseState state_;
  std::int64_t deadline_ns_ = 0;
  std::optional<std::int64_t> sampling_began_ns_;  // the end of the first step: where the time budget begins
  std::vector<double> step_ns_[2];                 // of one step: [0] warm-up, [1] measured
};

}  // namespace

bool needs_fresh_worker(const Policy& policy) {
  return policy.warmup_steps < 3;
}

CaseOutcome run_case(Worker& worker, const registry::PlannedCase& planned, const RunCaseOptions& options,
                     Clock& clock, const CaseListener& listener) {
  return CaseRun(worker, planned, options, clock, listener).run();
}

}  // namespace bench::scheduler
