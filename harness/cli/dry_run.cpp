#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/plan_file.hpp"
#include "harness/cli/run_verbs.hpp"
#include "harness/cli/run_workers.hpp"
#include "harness/core/units.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/progress.hpp"
#include "harness/scheduler/sweep_estimate.hpp"
#include "reports/results_table.hpp"
#include "reports/terminal_table.hpp"

namespace bench::cli {
namespace {

struct DryRun {
  const Plan& plan;
  const scheduler::Sweep& sweep;
  std::string worker;  // the line that runs one case by hand, up to the case's id
};

std::optional<registry::MemoryPrediction> memory_of(const DryRun& dry, std::size_t index) {
  return registry::predict_memory(*dry.plan.spec, dry.plan.cases[index].configuration, dry.sweep.device);
}

std::string quoted(const std::string& text) {
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") ==
          std::string::npos &&
      !text.empty())
    return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// Peers' cases are started by bench alone.
std::string worker_line(const DryRun& dry, std::size_t index) {
  const registry::PlannedCase& planned = dry.plan.cases[index];
  if (!scheduler::program_of(dry.sweep, planned.configuration).empty()) return "";
  return fmt::format("{} {} --warmup {} --steps {} --seed {}", dry.worker, quoted(planned.configuration.id()),
                     planned.policy.warmup_steps, planned.policy.steps.value_or(10), planned.policy.seed);
}

// The cases as results that have no samples, so that they are shown as results are.
Document as_document(const DryRun& dry, const scheduler::SweepEstimate& estimate) {
  Document document;
  document.run.workload = dry.plan.spec->name;
  document.run.device = dry.sweep.device;
  for (std::size_t i = 0; i < dry.plan.cases.size(); ++i) {
    const registry::PlannedCase& planned = dry.plan.cases[i];
    CaseResult result{.configuration = planned.configuration, .policy = planned.policy};
    if (const auto memory = memory_of(dry, i))
      result.summaries.push_back({.metric = "predicted_peak",
                                  .heading = "predicted peak",
                                  .unit = "bytes",
                                  .kind = Quantity::memory,
                                  .value = static_cast<double>(memory->peak_bytes())});
    if (const auto refused = scheduler::refusal(dry.sweep, planned)) {
      result.status = refused->status;
      result.reason = refused->reason;
    } else {
      result.summaries.push_back({.metric = "expected_duration",
                                  .heading = "expected duration",
                                  .unit = "ns",
                                  .kind = Quantity::time,
                                  .value = estimate.case_s(i) * 1e9});
    }
    document.cases.push_back(std::move(result));
  }
  return document;
}

// "OMP_NUM_THREADS=2 ... bench-worker --device cpu --case": what a shell needs to start what bench starts.
std::string worker_by_hand(const std::map<std::string, std::string>& environment, const std::string& program,
                           const std::string& device) {
  std::string line;
  for (const auto& [name, value] : environment) line += fmt::format("{}={} ", name, quoted(value));
  return line + fmt::format("{} --device {} --case", quoted(program), device);
}

// A table of the cases with their predicted memory and expected duration, why some will not be tried, the
// total, and the worker's line.
std::string dry_run_text(const DryRun& dry) {
  const scheduler::SweepEstimate estimate(dry.sweep);
  const Document planned = as_document(dry, estimate);
  reports::Table table = reports::cases_table(planned);
  table.notes.clear();
  for (std::size_t row = 0; table.status_column && row < table.rows.size(); ++row)
    if (planned.cases[row].status == Status::ok) table.rows[row][*table.status_column] = "to be run";
  std::string text = reports::terminal_table(table);
  const std::size_t cases = dry.plan.cases.size();
  text += fmt::format("\n{} {}{}: about {}; warm-up and samples take at most {}{}\n", cases,
                      cases == 1 ? "case" : "cases",
                      dry.plan.repetitions == 1 ? "" : fmt::format(" {} times", dry.plan.repetitions),
                      format_seconds_left(estimate.total_s()), format_seconds_left(estimate.at_most_s()),
                      scheduler::beyond_timeout_text(estimate.beyond_timeout()));
  if (dry.sweep.room.bytes > 0)
    text += fmt::format("memory for the tensors of a case: {}\n", format_bytes(dry.sweep.room.bytes));
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string line = worker_line(dry, i);
    if (line.empty() || scheduler::refusal(dry.sweep, dry.plan.cases[i])) continue;
    return text + "one case by hand:\n  " + line + "\n";
  }
  return text;
}

// The plan as --cases reads it, with the same facts of each case.
std::string dry_run_json(const DryRun& dry) {
  const scheduler::SweepEstimate estimate(dry.sweep);
  nlohmann::ordered_json json = to_json(dry.plan, [&](std::size_t i, nlohmann::ordered_json& one) {
    if (const auto memory = memory_of(dry, i)) {
      one["predicted_peak_bytes"] = memory->peak_bytes();
      for (const auto& [category, bytes] : memory->peak_by_category)
        one["predicted_peak_by_category"][category] = bytes;
    }
    if (const auto refused = scheduler::refusal(dry.sweep, dry.plan.cases[i])) {
      one["status"] = to_text(refused->status);
      one["reason"] = refused->reason.text;
    }
    one["expected_s"] = estimate.case_s(i);
    if (const std::string line = worker_line(dry, i); !line.empty()) one["worker"] = line;
  });
  json["expected_s"] = estimate.total_s();
  json["at_most_s"] = estimate.at_most_s();
  json["beyond_timeout"] = estimate.beyond_timeout();
  json["memory_room_bytes"] = dry.sweep.room.bytes;
  return protocol::dump(json, 2) + "\n";
}

}  // namespace

int dry_run(RunSetup& setup) {
  if (const std::string cut = limit_that_is_cut(setup.request, setup.machine); !cut.empty()) tell(cut);
  find_torch(setup.sweep);
  const RunMachine& machine = setup.machine;
  const DryRun dry{.plan = setup.plan,
                   .sweep = setup.sweep,
                   .worker = worker_by_hand(machine.conditions.environment, machine.device.worker_program,
                                            machine.device.device)};
  print(setup.request.json ? dry_run_json(dry) : dry_run_text(dry));
  return 0;
}

}  // namespace bench::cli
