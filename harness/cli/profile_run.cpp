#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/exit_code.hpp"
#include "harness/cli/run_verbs.hpp"
#include "harness/cli/run_workers.hpp"
#include "harness/cli/stderr_terminal.hpp"
#include "harness/scheduler/run_directory.hpp"
#include "harness/scheduler/run_sweep.hpp"

namespace bench::cli {

int profile_run(RunSetup& setup, const scheduler::Interrupts& interrupts) {
  const std::filesystem::path directory = scheduler::make_temporary_directory();
  StderrTerminal terminal;
  scheduler::SystemClock clock;
  auto progress = choose_progress(setup.request.quiet, terminal, clock);
  announce(setup, *progress);
  std::vector<CaseResult> cases;
  const auto stopped_by =
      with_workers(setup, directory, clock, interrupts, [&](scheduler::WorkerPrograms& programs) {
        scheduler::run_sweep(setup.sweep, programs, clock, *progress,
                             [&](CaseResult&& result) { cases.push_back(std::move(result)); });
      });
  progress.reset();  // clears the live line
  if (const auto signal = interrupts.signal()) return 128 + *signal;
  if (stopped_by) throw *stopped_by;
  for (const CaseResult& result : cases)
    if (result.status != Status::ok)
      tell(fmt::format("{}: {}: {}", result.configuration.id(), to_text(result.status), result.reason.text));
  const int code = exit_code(cases);
  if (code == 0) std::filesystem::remove_all(directory);
  tell(code == 0 ? "profiled steps ran; nothing was checked and nothing written"
                 : fmt::format("logs: {}", (directory / "logs").string()));
  return code;
}

}  // namespace bench::cli
