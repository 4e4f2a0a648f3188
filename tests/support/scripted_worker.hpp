#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/scheduler/worker.hpp"
#include "tests/support/fake_clock.hpp"

namespace bench::support {

// A worker that is a script on a fake clock: exact and instant. Unless told otherwise every case is right and
// its n-th step (of all slots, warm-up included, counted from 0) takes step_ns(n). As a real worker it fails
// what is asked of a slot that holds no case, and a memory pass beside another prepared slot is no one's
// memory.
class ScriptedWorker final : public scheduler::Worker {
 public:
  explicit ScriptedWorker(FakeClock& clock) : clock_(clock) { hello_.program = "scripted-worker"; }

  std::function<std::int64_t(int)> step_ns = [](int) { return std::int64_t{1'000'000}; };
  // How much longer than rank 0 each rank takes, from rank 0 on: {1, 1.5} is a worker of two ranks.
  std::vector<double> rank_factors{1};
  std::vector<std::string> phase_names{"only"};
  Check check, verification;
  int replaced = 0;  // of the measured samples to come, those that fall short
  std::map<std::string, double> counters{{"minor_faults", 1.0}};  // of each Measure
  std::optional<std::int64_t> compile_ns;
  MemoryReport memory{
      .before_bytes = 1000, .peak_allocated_bytes = 5000, .peak_by_category = {{"other", 5000}}};
  std::map<std::string, double> pass_counters;  // of the counters pass; empty: there is no such pass here
  // Answers instead of the usual one, by the command's name ("prepare", "write_check", "warm-up", "sample",
  // "check", "verify", "memory", "release"); used once each.
  std::map<std::string, std::vector<scheduler::Reply>> instead;

  // What was asked, in order: "prepare", "warm-up 1x1", "sample 10x5" (samples x steps), ...; of slots other
  // than 0 with the slot: "1: prepare".
  std::vector<std::string> asked;
  std::vector<protocol::Prepare> prepared;
  std::vector<protocol::WriteCheck> checks_written;

  const protocol::Hello& hello() const override { return hello_; }
  protocol::Hello& hello() { return hello_; }
  scheduler::Reply ask(const protocol::Command& command, std::int64_t deadline_ns,
                       const scheduler::EventListener& listener) override;

  static scheduler::Reply failed(Status status, std::string reason, bool worker_unusable = false) {
    return {.kind = scheduler::Reply::Kind::answered,
            .event =
                protocol::Failed{
                    .status = status, .reason = std::move(reason), .worker_unusable = worker_unusable},
            .reason = {}};
  }
  static scheduler::Reply ended(scheduler::Reply::Kind kind, std::string reason) {
    return {.kind = kind, .event = {}, .reason = std::move(reason)};
  }

 private:
  scheduler::Reply measure(const protocol::Measure& command, std::int64_t deadline_ns,
                           const scheduler::EventListener& listener);
  scheduler::Reply observe(const protocol::Observe& command);
  scheduler::Reply fail(int slot, std::string reason);

  FakeClock& clock_;
  protocol::Hello hello_;
  int steps_done_ = 0;
  std::set<int> slots_;  // that hold a case
};

// Hands out one script after another; the last one stays.
class ScriptedSource final : public scheduler::WorkerSource {
 public:
  explicit ScriptedSource(std::vector<ScriptedWorker*> scripts) : scripts_(std::move(scripts)) {}
  scheduler::Worker& worker(int) override { return *scripts_.at(std::min(discarded, scripts_.size() - 1)); }
  void discard() override { ++discarded; }
  std::size_t discarded = 0;

 private:
  std::vector<ScriptedWorker*> scripts_;
};

}  // namespace bench::support
