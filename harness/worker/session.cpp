#include "harness/worker/session.hpp"

#include <unistd.h>

#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/machine/counters.hpp"
#include "harness/registry/ranks.hpp"
#include "harness/worker/denormals.hpp"
#include "harness/worker/failure.hpp"
#include "harness/worker/monotonic_clock.hpp"

namespace bench::worker {
namespace {

constexpr std::int64_t kStreamInterval_ns = 250'000'000;  // the protocol promises samples every 500 ms

WorkloadFactory require_factory(const std::string& workload) {
  const WorkloadFactory factory = find_workload_factory(workload);
  if (factory == nullptr)
    throw Error(ErrorKind::internal, fmt::format("this worker was built without workload {}", workload));
  return factory;
}

}  // namespace

Session::~Session() {
  if (!profiling_) return;
  try {
    device_.stop_profiler();
  } catch (const std::exception&) {  // a lost device: the profiler sees the process end
  }
}

bool Session::handle(const protocol::Command& command) {
  std::visit([this](const auto& concrete) { on(concrete); }, command);
  return !std::holds_alternative<protocol::Quit>(command);
}

void Session::guarded(int number, std::string phase, const std::function<void()>& work) {
  enter(number, std::move(phase));
  try {
    work();
    if (Ranks* const ranks = this->ranks(number)) ranks->enter("answered");
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception(), phase_);
    const std::string broken = device_.broken();
    Ranks* const ranks = this->ranks(number);
    // First: others that wait for this one end their waits by it.
    if (ranks != nullptr) ranks->fail(to_text(failure.status), failure.reason);
    const bool together = ranks != nullptr;
    const std::int64_t at_ns = monotonic_ns();
    if (broken.empty())
      release(number);
    else
      abandon(number);
    emit_(protocol::Failed{
        .slot = number,
        .status = failure.status,
        .reason = broken.empty() ? failure.reason : fmt::format("{} ({})", failure.reason, broken),
        // Ranks that one of them failed may be anywhere.
        .worker_unusable = !broken.empty() || together,
        .at_ns = at_ns});
  }
}

void Session::abandon(int number) {
  const auto found = slots_.find(number);
  if (found == slots_.end()) return;
  static_cast<void>(found->second.release());  // leaked on purpose: bench ends this process next
  slots_.erase(found);
}

void Session::enter(int number, std::string phase) {
  phase_ = std::move(phase);
  if (Ranks* const ranks = this->ranks(number)) ranks->enter_phase(phase_);
}

Ranks* Session::ranks(int number) const {
  const auto found = ranks_.find(number);
  return found == ranks_.end() ? nullptr : found->second.get();
}

Check Session::agreed(int number, Check check) {
  Ranks* const ranks = this->ranks(number);
  if (ranks == nullptr) return check;
  const std::vector<std::string> reasons = ranks->gather(check.passed ? "" : "no: " + check.reason);
  for (std::size_t rank = 0; check.passed && rank < reasons.size(); ++rank)
    if (!reasons[rank].empty())
      check = {.passed = false, .reason = fmt::format("that of rank {} failed", rank)};
  return check;
}

void Session::release(int number) {
  slots_.erase(number);
  ranks_.erase(number);
  device_.empty_cache();
}

Setup Session::setup_of(int slot, const Case& configuration, std::uint64_t seed) {
  return {
      .configuration = configuration,
      .seed = seed,
      .inject_fault = {},
      .device = &device_,
      .progress = [this, slot](std::string_view phase, std::int64_t done, std::int64_t total) {
        emit_(protocol::Progress{.slot = slot, .phase = std::string(phase), .done = done, .total = total});
      }};
}

Slot& Session::add_slot(const protocol::Prepare& command) {
  Setup setup = setup_of(command.slot, command.configuration, command.seed);
  setup.timing = command.timing;
  setup.headline = command.headline;
  setup.inject_fault = command.inject_fault;
  setup.ranks = ranks(command.slot);
  auto added = std::make_unique<Slot>(require_factory(command.configuration.workload), setup, command.cache);
  return *slots_.emplace(command.slot, std::move(added)).first->second;
}

Slot& Session::slot(int number) {
  const auto found = slots_.find(number);
  if (found == slots_.end())
    throw Error(ErrorKind::internal, fmt::format("slot {} holds no prepared case", number));
  return *found->second;
}

void Session::on(const protocol::Prepare& command) {
  const int number = command.slot;
  guarded(number, "set-up", [&] {
    release(number);
    if (const int size = registry::ranks_of(command.configuration); size > 1) {
      if (!meet_) throw Error(ErrorKind::usage, "this case runs on several ranks, which bench run starts");
      ranks_[number] = meet_(size);
      enter(number, phase_);
    }
    Slot& added = add_slot(command);
    protocol::Prepared answer{.slot = number, .phase_names = added.phase_names()};
    if (command.check) {
      enter(number, "check");
      answer.check = agreed(number, added.check());
      device_.empty_cache();  // gigabytes, which the timed state may need
    }
    if (!answer.check.passed) {  // a wrong result gets no time
      release(number);
      emit_(answer);
      return;
    }
    enter(number, "set-up of the timed state");
    added.prepare_timed();
    if (added.wants_graph()) {
      enter(number, "capture of the CUDA graph");
      added.capture();
    }
    answer.allocated_bytes = device_.allocated_bytes();
    emit_(answer);
  });
}

void Session::on(const protocol::WriteCheck& command) {
  guarded(command.slot, "check", [&] {
    {
      const DenormalsKept ieee;
      const Setup setup = setup_of(command.slot, command.configuration, command.seed);
      require_factory(command.configuration.workload)(setup)->write_check(command.path);
    }
    device_.empty_cache();
    emit_(protocol::Done{.slot = command.slot});
  });
}

void Session::on(const protocol::Measure& command) {
  guarded(command.slot, command.kind == SampleKind::warm_up ? "warm-up" : "samples", [&] {
    Slot& measured = slot(command.slot);
    if (command.kind == SampleKind::measured && !std::exchange(profiling_, true)) device_.start_profiler();
    protocol::Samples batch{.slot = command.slot};
    std::int64_t sent_at = monotonic_ns();
    const std::map<std::string, double> own_before = measured.counters();
    const machine::CounterSnapshot before = machine::read_counters(getpid());
    {
      std::optional<trace::Range> range;
      if (command.kind == SampleKind::warm_up) range.emplace(trace::Name::WARMUP);
      for (int i = 0; i < command.samples; ++i) {
        batch.samples.push_back(measured.sample(command.kind, command.steps_per_sample));
        if (monotonic_ns() - sent_at < kStreamInterval_ns) continue;
        emit_(std::exchange(batch, protocol::Samples{.slot = command.slot}));
        sent_at = monotonic_ns();
      }
    }
    if (!batch.samples.empty()) emit_(batch);
    protocol::Done done{.slot = command.slot,
                        .counters = machine::difference(before, machine::read_counters(getpid()))};
    for (const auto& [name, sum] : measured.counters()) done.counters[name] = sum - own_before.at(name);
    emit_(done);
  });
}

void Session::on(const protocol::RunCheck& command) {
  guarded(command.slot, "check", [&] {
    emit_(protocol::Done{.slot = command.slot, .check = slot(command.slot).check_afterwards()});
  });
}

void Session::on(const protocol::Verify& command) {
  guarded(command.slot, "verification", [&] {
    protocol::Done done{.slot = command.slot, .check = slot(command.slot).verify()};
    try {
      if (done.check->passed) done.notes = slot(command.slot).notes();
    } catch (...) {  // the times are right all the same
      done.notes = {describe_failure(std::current_exception(), "notes on what ran").reason};
    }
    emit_(done);
  });
}

void Session::on(const protocol::Observe& command) {
  const std::string_view pass = protocol::to_text(command.pass);
  guarded(command.slot, fmt::format("{} pass", pass), [&] {
    if (command.pass != protocol::Pass::memory)
      throw Error(ErrorKind::internal, fmt::format("this worker has no pass \"{}\"", pass));
    emit_(protocol::Done{.slot = command.slot, .memory = slot(command.slot).observe_memory()});
  });
}

void Session::on(const protocol::Release& command) {
  guarded(command.slot, "release", [&] {
    release(command.slot);
    emit_(protocol::Done{.slot = command.slot});
  });
}

}  // namespace bench::worker
