#include "harness/scheduler/case_stepper.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "harness/scheduler/rank_answers.hpp"
#include "harness/scheduler/sampling.hpp"
#include "harness/statistics/descriptive.hpp"

namespace bench::scheduler {

bool needs_fresh_worker(const Policy& policy) {
  return policy.warmup_steps < 3;
}

CaseStepper::CaseStepper(Worker& worker, int slot, const registry::PlannedCase& planned,
                         RunCaseOptions options, Clock& clock, CaseListener listener)
    : worker_(worker),
      slot_(slot),
      options_(std::move(options)),
      clock_(clock),
      listener_(std::move(listener)),
      deadline_ns_(clock.now_ns() + static_cast<std::int64_t>(planned.policy.timeout_s * 1e9)) {
  result().configuration = planned.configuration;
  result().policy = planned.policy;
}

bool CaseStepper::prepare() {
  return step([this] {
    enter("set-up");
    const bool checked = !options_.profile && !check_comes_late();
    const protocol::Event event =
        ask(protocol::Prepare{.slot = slot_,
                              .configuration = options_.told.value_or(result().configuration),
                              .seed = policy().seed,
                              .cache = policy().cache,
                              .timing = policy().timing,
                              .headline = options_.headline,
                              .check = checked,
                              .inject_fault = options_.inject_fault,
                              .check_file = options_.check_file});
    const auto* prepared = std::get_if<protocol::Prepared>(&event);
    if (prepared == nullptr) end(Status::failed, remark(RemarkCode::not_prepared));
    result().phase_names = prepared->phase_names;
    holds_slot_ = prepared->check.passed;
    if (!checked) return;
    result().check = prepared->check;
    outcome_.compile_ns = prepared->compile_ns;
    if (!prepared->check.passed) end_incorrect("check", prepared->check);
  });
}

bool CaseStepper::warm_up() {
  return step([this] {
    enter("warm-up", policy().warmup_steps);
    const auto& steps_ns = samples_.step_ns(SampleKind::warm_up);
    while (static_cast<int>(steps_ns.size()) < policy().warmup_steps) {
      const int done = static_cast<int>(steps_ns.size());
      int wanted = 1;
      if (done >= 1) {
        // What a step takes: the first one is another matter, but until the second it is all there is to go
        // by.
        const double step_ns = *std::min_element(steps_ns.begin() + (done > 1 ? 1 : 0), steps_ns.end());
        if (warmup_budget_used(policy(), elapsed_s(), step_ns / 1e9)) {
          result().warnings.push_back(remark(
              RemarkCode::warm_up_cut,
              {{"done", done}, {"asked", policy().warmup_steps}, {"budget_s", policy().time_budget_s}}));
          break;
        }
        if (done >= 2) wanted = chunk_size(step_ns, policy().warmup_steps - done);
      }
      measure(SampleKind::warm_up, wanted, 1);
    }
  });
}

bool CaseStepper::take_samples() {
  if (!begin_samples()) return false;
  const auto& measured_ns = samples_.step_ns(SampleKind::measured);
  std::optional<Remark> stopped;
  const bool goes_on = step([&] {
    std::vector<double> host_ns;
    for (;;) {
      for (std::size_t i = host_ns.size(); i < measured_ns.size(); ++i)
        host_ns.push_back(measured_ns[i] * result().steps_per_sample);
      stopped = should_stop(policy(), result().steps_per_sample, host_ns, elapsed_s());
      if (stopped) return;
      take_until_next_look(host_ns.empty() ? 250e6 : host_ns.back());
      refuse_endless_replacing();
    }
  });
  return goes_on && end_samples(std::move(*stopped));
}

bool CaseStepper::begin_samples() {
  return step([this] {
    result().steps_per_sample = choose_steps_per_sample();
    enter("samples", policy().steps.value_or(0));
    surroundings().before_samples();
  });
}

bool CaseStepper::take(SampleKind kind, int samples) {
  return step([&] {
    if (kind == SampleKind::measured)
      measure_watched(samples);
    else
      measure(SampleKind::warm_up, samples, 1);
  });
}

bool CaseStepper::end_samples(Remark stop_reason) {
  return step([&] {
    result().stop_reason = std::move(stop_reason);
    const Observed observed = surroundings().after_samples();
    for (const auto& [name, value] : observed.counters) result().counters[name] = value;
    result().warnings.insert(result().warnings.end(), observed.warnings.begin(), observed.warnings.end());
    result().notes.insert(result().notes.end(), observed.notes.begin(), observed.notes.end());
  });
}

bool CaseStepper::take_profiled_steps() {
  return step([this] {
    constexpr int kDefaultSteps = 10;
    result().steps_per_sample = 1;
    const int steps = policy().steps.value_or(kDefaultSteps);
    enter("profiled steps", steps);
    measure(SampleKind::measured, steps, 1);
  });
}

bool CaseStepper::verify() {
  return step([this] {
    enter("verification");
    result().verification = ask_check(protocol::Verify{.slot = slot_});
    if (!result().verification->passed) end_incorrect("verification after timing", *result().verification);
  });
}

bool CaseStepper::make_passes() {
  return step([this] {
    for (auto pass = options_.passes.begin(); pass != options_.passes.end(); ++pass) {
      enter(fmt::format("{} pass", to_text(pass->pass)));
      const bool made = try_to(RemarkCode::pass_failed, {{"gives", pass->gives}}, [&] {
        pass->take_in(ask_done(protocol::Observe{.slot = slot_, .pass = pass->pass}), result());
      });
      if (made) continue;
      if (outcome_.interrupted) throw CaseEnded{};
      // With it the worker has dropped the case.
      if (check_comes_late())
        end(Status::failed, in_phase(RemarkCode::check_lost, {{"how", result().warnings.back().text}}));
      while (++pass != options_.passes.end())
        result().warnings.push_back(
            remark(RemarkCode::pass_not_made, {{"gives", pass->gives}, {"phase", state_.phase}}));
      throw CaseEnded{};
    }
  });
}

bool CaseStepper::check_late() {
  return step([this] {
    if (!check_comes_late()) return;
    enter("check");
    result().check = ask_check(protocol::RunCheck{.slot = slot_});
    if (!result().check->passed) end_incorrect("check", *result().check);
  });
}

bool CaseStepper::release() {
  if (!std::exchange(holds_slot_, false)) return false;
  return try_to(RemarkCode::memory_not_released, {}, [this] { ask_done(protocol::Release{.slot = slot_}); });
}

// ---- asking ------------------------------------------------------------------------------------------

bool CaseStepper::step(const std::function<void()>& work) {
  if (ended_) return false;
  try {
    work();
  } catch (const CaseEnded&) {
    ended_ = true;
  }
  return !ended_;
}

void CaseStepper::enter(std::string phase, std::int64_t total) {
  state_ = {.phase = std::move(phase), .done = 0, .total = total, .median_ns = state_.median_ns};
  listener_(state_);
}

Remark CaseStepper::in_phase(RemarkCode code, RemarkValues values) const {
  values.emplace_back("phase", state_.phase);
  return remark(code, std::move(values));
}

// `where` its ranks were; empty of a single process.
Remark CaseStepper::timed_out_remark(const std::string& where) const {
  RemarkValues values{{"timeout_s", policy().timeout_s}};
  if (!where.empty()) values.emplace_back("where", where);
  return in_phase(RemarkCode::timed_out, std::move(values));
}

void CaseStepper::end(Status status, Remark reason) {
  result().status = status;
  result().reason = std::move(reason);
  if (status == Status::incorrect) {  // a wrong result gets no time
    result().samples.clear();
    result().first_step_ns.reset();
  }
  throw CaseEnded{};
}

void CaseStepper::end_incorrect(std::string_view phase, const Check& check) {
  end(Status::incorrect,
      remark(RemarkCode::wrong_result, {{"phase", std::string(phase)}, {"what", check.reason}}));
}

// Asks for something that what the case has come to does not depend on. False: it failed, which is a warning
// unless the case was interrupted.
bool CaseStepper::try_to(RemarkCode failure, RemarkValues values, const std::function<void()>& asking) {
  const Status status = result().status;
  const Remark reason = result().reason;
  try {
    asking();
    return true;
  } catch (const CaseEnded&) {
    if (outcome_.interrupted) return false;
    values.emplace_back("how", result().reason.text);
    result().warnings.push_back(remark(failure, std::move(values)));
    result().status = status;
    result().reason = reason;
    return false;
  }
}

// Sends a command and returns what answered it; anything else ends the case.
protocol::Event CaseStepper::ask(const protocol::Command& command) {
  Reply reply = worker_.ask(command, deadline_ns_, [this](const protocol::Event* event) { hear(event); });
  if (reply.kind != Reply::Kind::answered) {
    outcome_.worker_lost = true;
    holds_slot_ = false;
  }
  switch (reply.kind) {
    case Reply::Kind::answered:
      break;
    case Reply::Kind::crashed:
      end(Status::crashed, in_phase(RemarkCode::worker_ended, {{"how", reply.reason}}));
    case Reply::Kind::killed_for_memory:
      end(Status::out_of_memory, in_phase(RemarkCode::worker_ended, {{"how", reply.reason}}));
    case Reply::Kind::timed_out:
      end(Status::timed_out, timed_out_remark(reply.reason));
    case Reply::Kind::interrupted:
      outcome_.interrupted = true;
      throw CaseEnded{};
  }
  reply.event = merge_answers(std::move(reply.event), reply.of_others);
  const int answering = std::visit([](const auto& event) { return event.slot; }, reply.event);
  if (answering != slot_)
    end(Status::failed, in_phase(RemarkCode::other_slot, {{"answered", answering}, {"asked", slot_}}));
  if (const auto* failed = std::get_if<protocol::Failed>(&reply.event)) {
    outcome_.worker_lost = failed->worker_unusable;
    holds_slot_ = false;
    end(failed->status, said(failed->reason));
  }
  return std::move(reply.event);
}

protocol::Done CaseStepper::ask_done(const protocol::Command& command) {
  protocol::Event event = ask(command);
  if (auto* done = std::get_if<protocol::Done>(&event)) return std::move(*done);
  end(Status::failed, in_phase(RemarkCode::other_answer));
}

// A worker that says nothing of a check has not made it, and an unchecked result gets no time.
Check CaseStepper::ask_check(const protocol::Command& command) {
  const protocol::Done done = ask_done(command);
  if (!done.check) end(Status::failed, in_phase(RemarkCode::check_not_made));
  for (const std::string& note : done.notes) result().notes.push_back(said(note));
  return *done.check;
}

void CaseStepper::hear(const protocol::Event* event) {
  if (event != nullptr) {
    if (const auto* progress = std::get_if<protocol::Progress>(event)) {
      state_.phase = progress->phase;
      state_.done = progress->done;
      state_.total = progress->total;
    } else if (const auto* arrived = std::get_if<protocol::Samples>(event)) {
      const std::size_t before = samples_.count();
      for (const Sample& sample : arrived->samples) {
        result().samples.push_back(sample);
        samples_.add(sample);
      }
      state_.done += static_cast<std::int64_t>(samples_.count() - before);
      update_live_median();
    }
  }
  listener_(state_);
}

// Ten times a second, as it sorts all there is.
void CaseStepper::update_live_median() {
  const auto& measured = samples_.step_ns(SampleKind::measured);
  const std::int64_t now_ns = clock_.now_ns();
  if (measured.empty() || (state_.median_ns && now_ns - median_at_ns_ < 100'000'000)) return;
  state_.median_ns = statistics::median(measured);
  median_at_ns_ = now_ns;
}

// ---- measuring ---------------------------------------------------------------------------------------

void CaseStepper::measure(SampleKind kind, int samples, int steps) {
  samples_.begin_batch();
  const protocol::Done done =
      ask_done(protocol::Measure{.slot = slot_, .kind = kind, .samples = samples, .steps_per_sample = steps});
  if (const std::string fault = samples_.fault_of_batch(samples); !fault.empty())
    end(Status::failed, in_phase(RemarkCode::samples_missing, {{"how", fault}}));
  if (!budget_began_ns_) {
    budget_began_ns_ = clock_.now_ns();
    if (steps == 1) result().first_step_ns = samples_.first_host_ns();
  }
  if (kind != SampleKind::measured) return;
  for (const auto& [name, value] : done.counters) result().counters[name] += value;
}

void CaseStepper::measure_watched(int samples) {
  measure(SampleKind::measured, samples, result().steps_per_sample);
  surroundings().between_samples();
}

// Seconds since the end of the first step, where the time budget begins.
double CaseStepper::elapsed_s() const {
  return budget_began_ns_ ? seconds_between(*budget_began_ns_, clock_.now_ns()) : 0;
}

// back-to-back needs to know how long a step takes once it is warm.
int CaseStepper::choose_steps_per_sample() {
  const auto& warmup_ns = samples_.step_ns(SampleKind::warm_up);
  if (steps_per_sample(policy().timing, policy().cache, 1) == 1) return 1;
  constexpr std::size_t kProbes = 2;  // the first step says little
  if (warmup_ns.size() < kProbes) {
    result().warnings.push_back(remark(RemarkCode::warm_up_extended));
    while (warmup_ns.size() < kProbes) measure(SampleKind::warm_up, 1, 1);
  }
  return steps_per_sample(policy().timing, policy().cache,
                          statistics::median(std::span(warmup_ns).subspan(1)));
}

// As many samples as are wanted before the next look at the rule, unless the budget ends before.
// `sample_ns`: what one takes, as far as is known.
void CaseStepper::take_until_next_look(double sample_ns) {
  const auto& measured_ns = samples_.step_ns(SampleKind::measured);
  const std::size_t before = measured_ns.size();
  int wanted = samples_wanted(policy(), static_cast<int>(before));
  do {
    const int chunk = chunk_size(sample_ns, wanted);
    measure_watched(chunk);
    wanted -= chunk;
    if (!measured_ns.empty()) sample_ns = measured_ns.back() * result().steps_per_sample;
    // With few samples each one may be the last that the budget allows: look at once.
  } while (wanted > 0 && before >= kMinimumAutoSamples &&
           elapsed_s() + sample_ns / 1e9 <= policy().time_budget_s);
}

// Half of all samples for nothing is no training step any more.
void CaseStepper::refuse_endless_replacing() {
  constexpr std::int64_t kAlwaysAllowed = 10;
  const auto replaced = static_cast<std::int64_t>(samples_.count(SampleKind::replaced));
  const auto measured = static_cast<std::int64_t>(samples_.count(SampleKind::measured));
  if (replaced > kAlwaysAllowed && replaced > measured)
    end(Status::failed,
        remark(RemarkCode::mostly_replaced, {{"replaced", replaced}, {"samples", replaced + measured}}));
}

}  // namespace bench::scheduler
