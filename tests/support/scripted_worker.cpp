#include "tests/support/scripted_worker.hpp"

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
  std::string operator()(const protocol::Observe&) const { return "memory"; }
  std::string operator()(const protocol::Release&) const { return "release"; }
  std::string operator()(const protocol::Quit&) const { return "quit"; }
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
    for (std::size_t phase = 0; phase < phase_names.size(); ++phase)
      sample.phase_ns.push_back(sample.host_ns / static_cast<std::int64_t>(phase_names.size()));
    clock_.advance_ns(sample.host_ns);
    if (clock_.now_ns() > deadline_ns) return ended(Reply::Kind::timed_out, "the deadline passed");
    if (sample.kind == SampleKind::measured && replaced > 0) {
      --replaced;
      sample.kind = SampleKind::replaced;
    }
    const protocol::Event event = protocol::Samples{.samples = {sample}};
    listener(&event);
  }
  return answered(protocol::Done{.counters = counters});
}

Reply ScriptedWorker::ask(const protocol::Command& command, std::int64_t deadline_ns,
                          const scheduler::EventListener& listener) {
  const std::string name = std::visit(NameOf{}, command);
  if (const auto* m = std::get_if<protocol::Measure>(&command))
    asked.push_back(fmt::format("{} {}x{}", name, m->samples, m->steps_per_sample));
  else
    asked.push_back(name);
  if (const auto* prepare = std::get_if<protocol::Prepare>(&command)) prepared.push_back(*prepare);
  if (const auto* written = std::get_if<protocol::WriteCheck>(&command)) checks_written.push_back(*written);

  if (auto& answers = instead[name]; !answers.empty()) {
    Reply reply = answers.front();
    answers.erase(answers.begin());
    return reply;
  }
  if (const auto* m = std::get_if<protocol::Measure>(&command)) return measure(*m, deadline_ns, listener);
  if (std::holds_alternative<protocol::Prepare>(command))
    return answered(protocol::Prepared{.check = prepared.back().check ? check : Check{},
                                       .phase_names = phase_names,
                                       .compile_ns = compile_ns});
  if (std::holds_alternative<protocol::RunCheck>(command)) return answered(protocol::Done{.check = check});
  if (std::holds_alternative<protocol::Verify>(command))
    return answered(protocol::Done{.check = verification});
  if (std::holds_alternative<protocol::Observe>(command)) return answered(protocol::Done{.memory = memory});
  return answered(protocol::Done{});
}

}  // namespace bench::support
