#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/exit_code.hpp"
#include "harness/cli/run_verbs.hpp"
#include "harness/cli/run_workers.hpp"
#include "harness/cli/stderr_terminal.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/run_directory.hpp"
#include "harness/scheduler/run_sweep.hpp"
#include "reports/formats.hpp"
#include "reports/results_table.hpp"
#include "reports/terminal_table.hpp"

namespace bench::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "run.json";
constexpr const char* kMarkdown = "report.md";

// How this part of the run ended.
struct PartEnd {
  std::size_t measured = 0;         // cases
  std::optional<Error> stopped_by;  // nullopt: nothing, or a signal
};

// Measures what is not finished.
PartEnd measure(RunSetup& setup, RunRecord& record, const fs::path& directory,
                const scheduler::Interrupts& interrupts) {
  StderrTerminal terminal;
  scheduler::SystemClock clock;
  const auto progress = choose_progress(setup.request.quiet, terminal, clock);
  announce(setup, *progress);
  PartEnd end;
  if (setup.sweep.finished.size() == setup.sweep.size()) return end;
  end.stopped_by =
      with_workers(setup, directory, clock, interrupts, [&](scheduler::WorkerPrograms& programs) {
        record.begin(greet(programs, setup.sweep, interrupts));
        if (!record.differing().empty())
          progress->note(fmt::format("resumed although {}", join(record.differing(), "; ")));
        // Of an earlier part: they are not all any more, and where this part is killed the journal is.
        std::error_code ignored;
        for (const char* const stale : {kJson, kMarkdown}) fs::remove(directory / stale, ignored);
        scheduler::run_sweep(setup.sweep, programs, clock, *progress, [&](CaseResult&& result) {
          record.add(std::move(result));
          ++end.measured;
        });
      });
  return end;
}

std::string after_interruption(const RunSetup& setup, std::size_t measured, const std::string& directory) {
  const std::size_t finished = setup.sweep.finished.size() + measured;
  return fmt::format("bench: interrupted {}, and `bench run --resume {}` continues it",
                     finished == 0
                         ? "before the first case was finished"
                         : fmt::format("after {} of {} cases; those are kept", finished, setup.sweep.size()),
                     directory);
}

}  // namespace

int measure_run(RunSetup& setup, RunRecord record, const std::string& directory,
                const scheduler::Interrupts& interrupts) {
  const RunRequest& request = setup.request;
  auto [measured, stopped_by] = measure(setup, record, directory, interrupts);
  if (stopped_by && !request.resume.empty() && !record.begun()) throw *stopped_by;  // all stays as it was
  Document& document = record.document();
  document.run.end_utc = scheduler::utc_now();
  document.run.complete = !interrupts.signal() && !stopped_by;
  if (document.run.complete)  // a `max` that came to another row has no result
    document.run.planned_cases = static_cast<std::int64_t>(document.cases.size());

  const std::string json = reports::format_named("json").render(document);
  try {
    scheduler::write_whole_file((fs::path(directory) / kJson).string(), json);
    scheduler::write_whole_file((fs::path(directory) / kMarkdown).string(),
                                reports::format_named("markdown").render(document));
  } catch (const Error& error) {
    if (!stopped_by) stopped_by = error;
  }
  std::optional<Error> not_printed;
  try {
    if (!document.cases.empty())
      print(request.json ? json : reports::terminal_table(reports::results_table(document)));
  } catch (const Error& error) {
    not_printed = error;
  }
  if (!request.quiet) tell(fmt::format("results: {}", directory));
  if (const auto signal = interrupts.signal()) {
    tell(after_interruption(setup, measured, directory));
    return 128 + *signal;
  }
  if (stopped_by && stopped_by->kind() == ErrorKind::io)
    throw Error(ErrorKind::io, fmt::format("{}; once it can be written, `bench run --resume {}` continues it",
                                           stopped_by->what(), directory));
  if (stopped_by) throw *stopped_by;
  if (not_printed)
    throw Error(ErrorKind::io, fmt::format("{}; the results are kept, and `bench report {}` prints them",
                                           not_printed->what(), directory));
  return exit_code(document.cases);
}

}  // namespace bench::cli
