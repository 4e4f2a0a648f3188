#include <vector>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/run_directory.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"

namespace bench::cli {

int command_report(const ReportRequest& request) {
  const reports::Format& format = reports::format_named(request.format);
  const std::string run = request.run.empty() ? scheduler::latest_run_directory() : request.run;
  std::vector<std::string> notes;
  const std::string text = format.render(reports::load_document(run, &notes));
  for (const std::string& note : notes) tell(fmt::format("bench: {}", note));
  if (request.output.empty())
    print(text);
  else
    scheduler::write_whole_file(request.output, text);
  return 0;
}

}  // namespace bench::cli
