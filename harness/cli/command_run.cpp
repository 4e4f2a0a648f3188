#include <filesystem>
#include <memory>
#include <utility>

#include "harness/cli/commands.hpp"
#include "harness/cli/plan.hpp"
#include "harness/cli/plan_file.hpp"
#include "harness/cli/resume.hpp"
#include "harness/cli/run_machine.hpp"
#include "harness/cli/run_verbs.hpp"
#include "harness/registry/registry.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/journal.hpp"
#include "harness/scheduler/run_directory.hpp"

namespace bench::cli {
namespace {

namespace fs = std::filesystem;

int begin_run(RunSetup& setup, const std::vector<std::string>& argv,
              const scheduler::Interrupts& interrupts) {
  RunRecord record(describe(setup, argv));
  const fs::path directory = scheduler::make_run_directory(setup.request.out, setup.request.workload);
  // First: it has one owner.
  record.keep_in(std::make_unique<scheduler::Journal>((directory / "cases.jsonl").string()));
  scheduler::write_whole_file((directory / "plan.json").string(), plan_file_content(setup.plan, argv));
  return measure_run(setup, std::move(record), directory, interrupts);
}

// Goes on with what the earlier parts of the run say of it.
RunRecord take_up(RunSetup& setup, Resumed& resumed) {
  const RunRequest& request = setup.request;
  Document now = describe(setup, resumed.argv);
  Document before = resumed.document ? std::move(*resumed.document) : Document{};
  mark_finished(setup.sweep, results_by_place(setup.plan, before, request.resume), before, request.resume);
  if (!resumed.document) return RunRecord(std::move(now));
  if (setup.sweep.finished.size() == setup.sweep.size()) return RunRecord(std::move(before));
  return RunRecord(std::move(before), now, {request.resume, request.force});
}

int resume_run(const RunRequest& request) {
  require_run_directory(request.resume);
  // Locked and mended before it is read.
  auto journal = std::make_unique<scheduler::Journal>((fs::path(request.resume) / "cases.jsonl").string(),
                                                      scheduler::Journal::Start::resumed);
  Resumed resumed = read_resumed(request);
  const scheduler::Interrupts interrupts;
  RunSetup setup = set_up_run(resumed.request, read_run_machine(resumed.request), std::move(resumed.plan));
  RunRecord record = take_up(setup, resumed);
  record.keep_in(std::move(journal));
  return measure_run(setup, std::move(record), request.resume, interrupts);
}

}  // namespace

int command_run(const RunRequest& request, const std::vector<std::string>& argv) {
  if (!request.resume.empty()) return resume_run(request);
  const scheduler::Interrupts interrupts;
  registry::require_workload(request.workload);
  RunMachine machine = read_run_machine(request);
  Plan plan = make_plan(request, machine.room);
  RunSetup setup = set_up_run(request, std::move(machine), std::move(plan));
  if (request.dry_run) return dry_run(setup);
  if (request.profile) return profile_run(setup, interrupts);
  return begin_run(setup, argv, interrupts);
}

}  // namespace bench::cli
