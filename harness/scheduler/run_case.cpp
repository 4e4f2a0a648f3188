#include "harness/scheduler/run_case.hpp"

#include <algorithm>
#include <functional>
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
      if (options_.profile) {
        take_profiled_steps();
        release();
        return std::move(outcome_);
      }
      take_samples();
      verify();
      observe_memory();
      if (check_comes_late()) check_late();
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
      case Reply::Kind::killed_for_memory:
        outcome_.worker_lost = true;
        end(Status::out_of_memory, fmt::format("{}: {}", state_.phase, reply.reason));
      case Reply::Kind::timed_out:
        outcome_.worker_lost = true;
        end(Status::timed_out,
            fmt::format(
                "{}: the case took longer than --timeout {:g}s; fewer --steps, or a longer one, let it end",
                state_.phase, policy().timeout_s));
      case Reply::Kind::interrupted:
        outcome_.worker_lost = true;
        outcome_.interrupted = true;
        throw CaseEnded{};
    }
    if (const auto* failed = std::get_if<protocol::Failed>(&reply.event)) {
      outcome_.worker_lost = failed->worker_unusable;
      end(failed->status, failed->reason);
    }
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
          if (sample.kind == SampleKind::replaced) {
            ++replaced_;
            continue;
          }
          step_ns_[sample.kind == SampleKind::measured].push_back(static_cast<double>(sample.host_ns) /
                                                                  sample.steps);
        }
        state_.done += static_cast<std::int64_t>(arrived->samples.size());
        update_live_median();
      }
    }
    listener_(state_);
  }

  // Ten times a second, as it sorts all there is.
  void update_live_median() {
    const auto& measured = step_ns_[1];
    const std::int64_t now_ns = clock_.now_ns();
    if (measured.empty() || (state_.median_ns && now_ns - median_at_ns_ < 100'000'000)) return;
    state_.median_ns = statistics::median(measured);
    median_at_ns_ = now_ns;
  }

  void prepare() {
    enter("set-up");
    const protocol::Event event =
        ask(protocol::Prepare{.configuration = options_.told.value_or(result().configuration),
                              .seed = policy().seed,
                              .cache = policy().cache,
                              .timing = policy().timing,
                              .headline = options_.headline,
                              .check = !options_.profile && !check_comes_late(),
                              .inject_fault = options_.inject_fault,
                              .check_file = options_.check_file});
    const auto* prepared = std::get_if<protocol::Prepared>(&event);
    if (prepared == nullptr) end(Status::failed, "set-up: the worker did not say what it prepared");
    result().phase_names = prepared->phase_names;
    if (options_.profile || check_comes_late()) return;
    result().check = prepared->check;
    outcome_.compile_ns = prepared->compile_ns;
    if (!prepared->check.passed) end_incorrect("check", prepared->check);
  }

  [[noreturn]] void end_incorrect(std::string_view phase, const Check& check) {
    end(Status::incorrect, fmt::format("{}: {}", phase, check.reason));
  }

  void measure(SampleKind kind, int samples, int steps) {
    const auto& taken = step_ns_[kind == SampleKind::measured];
    const std::size_t before = taken.size() + replaced_;
    const protocol::Done done =
        ask_done(protocol::Measure{.kind = kind, .samples = samples, .steps_per_sample = steps});
    const std::size_t came = taken.size() + replaced_ - before;
    if (came != static_cast<std::size_t>(samples))
      end(Status::failed, fmt::format("{}: the worker took {} samples of {}", state_.phase, came, samples));
    if (!budget_began_ns_) {
      budget_began_ns_ = clock_.now_ns();
      if (steps == 1) result().first_step_ns = static_cast<std::int64_t>(taken.front());
    }
    if (kind == SampleKind::measured)
      for (const auto& [name, value] : done.counters) result().counters[name] += value;
  }

  // Warm-up steps one by one or in chunks, until there are `wanted` of them or their part of the budget is
  // used.
  void warm_up() {
    enter("warm-up", policy().warmup_steps);
    const auto& steps_ns = step_ns_[0];
    while (static_cast<int>(steps_ns.size()) < policy().warmup_steps) {
      const int done = static_cast<int>(steps_ns.size());
      int wanted = 1;
      if (done >= 1) {
        // What a step takes: the first one is another matter, but until the second it is all there is to go
        // by.
        const double step_ns = *std::min_element(steps_ns.begin() + (done > 1 ? 1 : 0), steps_ns.end());
        if (warmup_budget_used(policy(), elapsed_s(), step_ns / 1e9)) {
          result().warnings.push_back(
              fmt::format("warm-up cut to {} of {} steps: a third of the time budget of {:g} s was used",
                          done, policy().warmup_steps, policy().time_budget_s));
          break;
        }
        if (done >= 2) wanted = chunk_size(step_ns, policy().warmup_steps - done);
      }
      measure(SampleKind::warm_up, wanted, 1);
    }
  }

  // Seconds since the end of the first step, where the time budget begins.
  double elapsed_s() const {
    return budget_began_ns_ ? seconds_between(*budget_began_ns_, clock_.now_ns()) : 0;
  }

  // back-to-back needs to know how long a step takes once it is warm.
  int choose_steps_per_sample() {
    auto& warmup_ns = step_ns_[0];
    if (steps_per_sample(policy().timing, policy().cache, 1) == 1) return 1;
    constexpr std::size_t kProbes = 2;  // the first step says little
    if (warmup_ns.size() < kProbes) {
      result().warnings.push_back(
          "one or two steps more than the warm-up asked for were run before the samples, to "
          "choose the steps per sample; they are kept and marked as warm-up");
      while (warmup_ns.size() < kProbes) measure(SampleKind::warm_up, 1, 1);
    }
    return steps_per_sample(policy().timing, policy().cache,
                            statistics::median(std::span(warmup_ns).subspan(1)));
  }

  void take_samples() {
    result().steps_per_sample = choose_steps_per_sample();
    enter("samples", policy().steps.value_or(0));
    const auto& measured_ns = step_ns_[1];
    std::vector<double> host_ns;
    surroundings().before_samples();
    for (;;) {
      for (std::size_t i = host_ns.size(); i < measured_ns.size(); ++i)
        host_ns.push_back(measured_ns[i] * result().steps_per_sample);
      const StopDecision decision = should_stop(policy(), result().steps_per_sample, host_ns, elapsed_s());
      if (decision.stop) {
        result().stop_reason = decision.reason;
        break;
      }
      take_chunks(host_ns);
      refuse_endless_replacing();
    }
    take_in(surroundings().after_samples());
  }

  // Half of all samples for nothing is no training step any more.
  void refuse_endless_replacing() {
    constexpr std::size_t kAlwaysAllowed = 10;
    if (replaced_ > kAlwaysAllowed && replaced_ > step_ns_[1].size())
      end(Status::failed,
          fmt::format("samples: the loss scaler skipped the optimizer in {} of {} samples, as gradients "
                      "overflowed fp16; more --warmup lets the scale settle",
                      replaced_, replaced_ + step_ns_[1].size()));
  }

  // One after another, each a sample of its own, however long they take.
  void take_profiled_steps() {
    constexpr int kDefaultSteps = 10;
    result().steps_per_sample = 1;
    const int steps = policy().steps.value_or(kDefaultSteps);
    enter("profiled steps", steps);
    measure(SampleKind::measured, steps, 1);
  }

  // As many samples as are wanted before the next look at the rule, unless the budget ends before.
  void take_chunks(const std::vector<double>& host_ns) {
    const std::size_t before = step_ns_[1].size();
    int wanted = samples_wanted(policy(), static_cast<int>(before));
    double sample_ns = host_ns.empty() ? 250e6 : host_ns.back();
    do {
      const int chunk = chunk_size(sample_ns, wanted);
      measure(SampleKind::measured, chunk, result().steps_per_sample);
      surroundings().between_samples();
      wanted -= chunk;
      if (!step_ns_[1].empty()) sample_ns = step_ns_[1].back() * result().steps_per_sample;
      // With few samples each one may be the last that the budget allows: look at once.
    } while (wanted > 0 && before >= kMinimumAutoSamples &&
             elapsed_s() + sample_ns / 1e9 <= policy().time_budget_s);
  }

  // A worker that says nothing of a check has not made it, and an unchecked result gets no time.
  Check ask_check(const protocol::Command& command) {
    const protocol::Done done = ask_done(command);
    if (!done.check) end(Status::failed, fmt::format("{}: the worker did not make it", state_.phase));
    result().notes.insert(result().notes.end(), done.notes.begin(), done.notes.end());
    return *done.check;
  }

  Surroundings& surroundings() {
    return options_.surroundings == nullptr ? nothing_to_watch_ : *options_.surroundings;
  }

  void take_in(const Observed& observed) {
    for (const auto& [name, value] : observed.counters) result().counters[name] = value;
    result().warnings.insert(result().warnings.end(), observed.warnings.begin(), observed.warnings.end());
    result().notes.insert(result().notes.end(), observed.notes.begin(), observed.notes.end());
  }

  void verify() {
    enter("verification");
    result().verification = ask_check(protocol::Verify{});
    if (!result().verification->passed) end_incorrect("verification after timing", *result().verification);
  }

  // After the memory pass, as the worker drops the timed state for it.
  void check_late() {
    enter("check");
    result().check = ask_check(protocol::RunCheck{});
    if (!result().check->passed) end_incorrect("check", *result().check);
  }

  // Asks for something that the times, taken and verified by now, do not depend on. False: it failed, which
  // is a warning and not the end of the case.
  bool try_to(const std::string& what, const std::function<void()>& asking) {
    try {
      asking();
      return true;
    } catch (const CaseEnded&) {
      if (outcome_.interrupted) throw;
      result().warnings.push_back(fmt::format("{}: {}", what, result().reason));
      result().status = Status::ok;
      result().reason.clear();
      return false;
    }
  }

  void observe_memory() {
    enter("memory pass");
    const bool observed = try_to("no memory numbers", [this] {
      result().memory = ask_done(protocol::Observe{.pass = protocol::Pass::memory}).memory;
    });
    if (observed) return;
    if (check_comes_late())
      end(Status::failed,
          "memory pass: it failed, and with it the check that comes after it: " + result().warnings.back());
    throw CaseEnded{};
  }

  void release() {
    try_to("the worker did not give its memory back", [this] { ask_done(protocol::Release{}); });
  }

  Worker& worker_;
  const RunCaseOptions& options_;
  Clock& clock_;
  const CaseListener& listener_;
  NoSurroundings nothing_to_watch_;
  CaseOutcome outcome_;
  CaseState state_;
  std::int64_t deadline_ns_ = 0;
  std::optional<std::int64_t> budget_began_ns_;
  std::int64_t median_at_ns_ = 0;   // when the live median was computed last
  std::vector<double> step_ns_[2];  // of one step: [0] warm-up, [1] measured
  std::size_t replaced_ = 0;        // samples that count for nothing
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
