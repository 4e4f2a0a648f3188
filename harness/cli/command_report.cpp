#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/run_names.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/run_directory.hpp"
#include "reports/formats.hpp"
#include "reports/html/html.hpp"
#include "reports/pivot/pivot.hpp"

namespace bench::cli {
namespace {

std::vector<std::string> list_from(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : split(text, ',');
}

std::vector<reports::NamedRun> named(const std::vector<std::string>& runs,
                                     const std::vector<Document>& documents) {
  const std::vector<std::string> names = names_of(runs, documents);
  std::vector<reports::NamedRun> result;
  for (std::size_t i = 0; i < documents.size(); ++i) result.push_back({names[i], &documents[i]});
  return result;
}

std::vector<Document> load(const ReportRequest& request, const std::vector<std::string>& runs) {
  std::vector<Document> documents = load_documents(runs);
  keep_matching(documents, runs, request.filter, request.exclude);
  return documents;
}

std::string pivoted(const reports::PivotFormat& format, const ReportRequest& request,
                    const std::vector<reports::NamedRun>& runs) {
  return format.render(reports::make_pivot(runs, {.rows = list_from(request.rows),
                                                  .columns = list_from(request.columns),
                                                  .values = list_from(request.value)}));
}

}  // namespace

int command_report(const ReportRequest& request) {
  const bool pivot =
      request.format == "svg" || !request.rows.empty() || !request.columns.empty() || !request.value.empty();
  // A misspelt format is told before any file is looked for.
  const reports::PivotFormat* const table = pivot ? &reports::pivot_format_named(request.format) : nullptr;
  const reports::Format* const whole = pivot ? nullptr : &reports::format_named(request.format);
  std::vector<std::string> runs = request.runs;
  if (runs.empty()) runs.push_back(scheduler::latest_run_directory());
  refuse_to_overwrite(runs, request.output);
  std::string text;
  if (table != nullptr) {
    const std::vector<Document> documents = load(request, runs);
    text = pivoted(*table, request, named(runs, documents));
  } else if (runs.size() == 1) {
    text = whole->render(load(request, runs).front());
  } else if (request.format == "html") {
    const std::vector<Document> documents = load(request, runs);
    text = reports::html_report(named(runs, documents));
  } else {
    throw Error(
        ErrorKind::usage,
        "several runs make one page with --format html, one table with --rows, --columns or --value; `bench "
        "compare` holds them against the first");
  }
  if (request.output.empty())
    print(text);
  else
    scheduler::write_whole_file(request.output, text);
  return 0;
}

}  // namespace bench::cli
