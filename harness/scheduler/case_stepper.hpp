#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/result.hpp"
#include "harness/registry/expand.hpp"
#include "harness/scheduler/arrived_samples.hpp"
#include "harness/scheduler/case_pass.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/surroundings.hpp"
#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

// What is going on inside a case, for whoever shows progress.
struct CaseState {
  std::string phase;                 // "set-up", "check", "warm-up", "samples", "verification", "memory pass"
  std::int64_t done = 0, total = 0;  // total 0: unknown
  std::optional<double> median_ns;   // of one step, once there are samples
};
using CaseListener = std::function<void(const CaseState&)>;

struct RunCaseOptions {
  std::string inject_fault;
  Surroundings* surroundings = nullptr;  // watched around the samples; nullptr: nothing to watch
  bool profile = false;  // for a profiler: warm-up and steps, nothing checked, verified or observed
  Headline headline = Headline::host_time;
  std::string check_file;                       // for a peer: what the native worker wrote
  std::optional<Case> told;                     // to a peer, instead of the case: the same, spelled out
  std::vector<CasePass> passes{memory_pass()};  // in this order, after the times are taken and verified
};

struct CaseOutcome {
  CaseResult result;
  bool interrupted = false;                // the result is then worth nothing
  bool worker_lost = false;                // a fresh worker is needed
  std::optional<std::int64_t> compile_ns;  // of an implementation that compiles itself
};

// True for a case that must not inherit a warm worker from the case before it.
bool needs_fresh_worker(const Policy& policy);

// One case in one slot of a worker, step by step. Whoever drives it decides the order: run_case() goes
// through one case from beginning to end, and two steppers on two slots can take samples by turns.
//
// Each step tells whether the case goes on. After one that says false it has ended, outcome() says how, and
// all further steps but release() do nothing and say false.
class CaseStepper {
 public:
  // `worker`, `clock` and the surroundings outlive this object. The case's time limit runs from here.
  CaseStepper(Worker& worker, int slot, const registry::PlannedCase& planned, RunCaseOptions options,
              Clock& clock, CaseListener listener);

  // Set-up and check; a case whose warm-up is below 3 steps is checked by check_late() instead.
  bool prepare();
  // Warm-up steps, until there are as many as were asked for or their part of the time budget is used.
  bool warm_up();
  // Samples until the policy's rule stops.
  bool take_samples();
  // The same for a driver with a rule of its own: begin, take as often as it likes, end. A step that is to
  // count for nothing, as after other work in the worker, is a warm-up sample and kept as such.
  bool begin_samples();
  bool take(SampleKind kind, int samples);
  bool end_samples(Remark stop_reason);
  // One after another, each a sample of its own, however long they take.
  bool take_profiled_steps();
  bool verify();
  // What the options name. No other slot of the worker may be prepared: its memory would be counted too.
  bool make_passes();
  // After the passes, as the worker drops the timed state for it. Does nothing where prepare() has checked.
  bool check_late();
  // Gives the slot back, also after the case has ended. Failing is no fault of the case: its times stand.
  bool release();

  const CaseState& state() const { return state_; }
  const ArrivedSamples& samples() const { return samples_; }
  const CaseOutcome& outcome() const& { return outcome_; }
  CaseOutcome outcome() && { return std::move(outcome_); }

 private:
  struct CaseEnded {};  // the way out of a step: no error of bench's

  CaseResult& result() { return outcome_.result; }
  const Policy& policy() const { return outcome_.result.policy; }
  bool check_comes_late() const { return needs_fresh_worker(policy()); }
  Surroundings& surroundings() {
    return options_.surroundings == nullptr ? nothing_to_watch_ : *options_.surroundings;
  }
  double elapsed_s() const;

  bool step(const std::function<void()>& work);
  void enter(std::string phase, std::int64_t total = 0);
  Remark in_phase(RemarkCode code, RemarkValues values = {}) const;
  Remark timed_out_remark(const std::string& where) const;
  [[noreturn]] void end(Status status, Remark reason);
  [[noreturn]] void end_incorrect(std::string_view phase, const Check& check);
  bool try_to(RemarkCode failure, RemarkValues values, const std::function<void()>& asking);

  protocol::Event ask(const protocol::Command& command);
  protocol::Done ask_done(const protocol::Command& command);
  Check ask_check(const protocol::Command& command);
  void hear(const protocol::Event* event);
  void update_live_median();

  void measure(SampleKind kind, int samples, int steps);
  void measure_watched(int samples);
  int choose_steps_per_sample();
  void take_until_next_look(double sample_ns);
  void refuse_endless_replacing();
  void take_in(const Observed& observed);

  Worker& worker_;
  const int slot_;
  const RunCaseOptions options_;
  Clock& clock_;
  const CaseListener listener_;
  NoSurroundings nothing_to_watch_;
  CaseOutcome outcome_;
  CaseState state_;
  ArrivedSamples samples_;
  bool ended_ = false;
  bool holds_slot_ = false;  // the worker has the case prepared
  const std::int64_t deadline_ns_;
  std::optional<std::int64_t> budget_began_ns_;
  std::int64_t median_at_ns_ = 0;  // when the live median was computed last
};

}  // namespace bench::scheduler
