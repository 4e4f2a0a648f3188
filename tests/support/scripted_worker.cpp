#include "tests/support/scripted_worker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace bench::support {
namespace {

using scheduler::Reply;

struct NameOf {
  std::string operator()(const protocol::Prepare&) const { return "prepare"; }
  std::string operator()(const protocol::WriteCheck&) const { return "write_check"; }
  std::string operator()(const protocol::Measure& m) const {
    return m.kind == SampleKind::warm_up ? "warm-up" : "sample";
  }
  std::string operator()(const protocol::RunCheck&) const { return "check"; }
  std::string operator()(const protocol::Verify&) const { return "verify"; }
  std::string operator()(const protocol::Observe& o) const { return std::string(to_text(o.pass)); }
  std::string operator()(const protocol::Release&) const { return "release"; }
  std::string operator()(const protocol::Quit&) const { return "quit"; }
};

struct SlotOf {
  int operator()(const protocol::Quit&) const { return 0; }
  int operator()(const auto& command) const { return command.slot; }
};

Reply answered(protocol::Event event) {
  return {.kind = Reply::Kind::answered, .event = std::move(event), .reason = {}};
}

}  // namespace

Reply ScriptedWorker::measure(const protocol::Measure& command, std::int64_t deadline_ns,
                              const scheduler::EventListener& listener) {
  for (int i = 0; i < command.samples; ++i) {
    Sample sample{.begin_ns = clock_.now_ns(), .steps = command.steps_per_sample, .kind = command.kind};
    for (int step = 0; step < command.steps_per_sample; ++step) sample.host_ns += step_ns(steps_done_++);
    if (sample.kind == SampleKind::measured && replaced > 0) {
      --replaced;
      sample.kind = SampleKind::replaced;
    }
    const std::int64_t rank_0_ns = sample.host_ns;
    std::int64_t slowest_ns = 0;
    std::vector<protocol::Event> events;
    for (const double factor : rank_factors) {
      sample.host_ns = static_cast<std::int64_t>(static_cast<double>(rank_0_ns) * factor);
      sample.phase_ns.clear();
      for (std::size_t phase = 0; phase < phase_names.size(); ++phase)
        sample.phase_ns.push_back(sample.host_ns / static_cast<std::int64_t>(phase_names.size()));
      slowest_ns = std::max(slowest_ns, sample.host_ns);
      events.push_back(protocol::Samples{.slot = command.slot, .rank = sample.rank, .samples = {sample}});
      ++sample.rank;
    }
    clock_.advance_ns(slowest_ns);
    if (clock_.now_ns() > deadline_ns) return ended(Reply::Kind::timed_out, "");
    for (const protocol::Event& event : events) listener(&event);
  }
  return answered(protocol::Done{.slot = command.slot, .counters = counters});
}

Reply ScriptedWorker::ask(const protocol::Command& command, std::int64_t deadline_ns,
                          const scheduler::EventListener& listener) {
  const std::string name = std::visit(NameOf{}, command);
  const int slot = std::visit(SlotOf{}, command);
  std::string line = slot == 0 ? name : fmt::format("{}: {}", slot, name);
  if (const auto* m = std::get_if<protocol::Measure>(&command))
    line += fmt::format(" {}x{}", m->samples, m->steps_per_sample);
  asked.push_back(std::move(line));
  if (const auto* prepare = std::get_if<protocol::Prepare>(&command)) prepared.push_back(*prepare);
  if (const auto* written = std::get_if<protocol::WriteCheck>(&command)) checks_written.push_back(*written);

  if (auto& answers = instead[name]; !answers.empty()) {
    Reply reply = answers.front();
    answers.erase(answers.begin());
    return reply;
  }
  if (std::holds_alternative<protocol::Prepare>(command)) {
    if (check.passed || !prepared.back().check) slots_.insert(slot);
    return answered(protocol::Prepared{.slot = slot,
                                       .check = prepared.back().check ? check : Check{},
                                       .phase_names = phase_names,
                                       .compile_ns = compile_ns});
  }
  if (std::holds_alternative<protocol::WriteCheck>(command)) return answered(protocol::Done{.slot = slot});
  if (!slots_.contains(slot)) return fail(slot, fmt::format("slot {} holds no prepared case", slot));
  if (const auto* m = std::get_if<protocol::Measure>(&command)) return measure(*m, deadline_ns, listener);
  if (const auto* o = std::get_if<protocol::Observe>(&command)) return observe(*o);
  if (std::holds_alternative<protocol::RunCheck>(command))
    return answered(protocol::Done{.slot = slot, .check = check});
  if (std::holds_alternative<protocol::Verify>(command))
    return answered(protocol::Done{.slot = slot, .check = verification});
  if (std::holds_alternative<protocol::Release>(command)) slots_.erase(slot);
  return answered(protocol::Done{.slot = slot});
}

Reply ScriptedWorker::observe(const protocol::Observe& command) {
  if (slots_.size() > 1) return fail(command.slot, "another slot is prepared");
  if (command.pass == protocol::Pass::memory)
    return answered(protocol::Done{.slot = command.slot, .memory = memory});
  if (command.pass == protocol::Pass::counters && !pass_counters.empty())
    return answered(protocol::Done{.slot = command.slot, .counters = pass_counters});
  return fail(command.slot, fmt::format("scripted-worker has no pass {}", to_text(command.pass)));
}

// As a real worker does, it drops the case.
Reply ScriptedWorker::fail(int slot, std::string reason) {
  slots_.erase(slot);
  return answered(protocol::Failed{.slot = slot, .status = Status::failed, .reason = std::move(reason)});
}

}  // namespace bench::support
