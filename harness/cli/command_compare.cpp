#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/run_names.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/registry.hpp"
#include "harness/scheduler/files.hpp"
#include "reports/compare/comparison.hpp"

namespace bench::cli {
namespace {

// "1%" -> 0.01. A bare number is refused: nobody knows whether 1 means 1% or everything.
double share_from(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(0, text.empty() ? 0 : text.size() - 1);
  const auto value = number_from<double>(digits);
  if (!text.ends_with('%') || !value || !(*value >= 0 && *value < 1000))
    throw Error(ErrorKind::usage,
                fmt::format("--threshold: \"{}\" is not a share such as 1% or 0.5%", printable(text)));
  return *value / 100;
}

const std::vector<std::pair<std::string, reports::FailOn>>& fail_on_names() {
  static const std::vector<std::pair<std::string, reports::FailOn>> names{
      {"slower", reports::FailOn::slower},
      {"memory", reports::FailOn::memory},
      {"kernels", reports::FailOn::kernels},
      {"bytes", reports::FailOn::bytes},
  };
  return names;
}

std::vector<reports::FailOn> fail_on_from(const std::string& text) {
  std::vector<reports::FailOn> kinds;
  std::vector<std::string> valid;
  for (const auto& [name, kind] : fail_on_names()) valid.push_back(name);
  for (const std::string& word : split(text, ',')) {
    const auto found = std::ranges::find(valid, word);
    if (found == valid.end())
      throw Error(ErrorKind::usage,
                  fmt::format("--fail-on: \"{}\" is unknown{}", printable(word), did_you_mean(word, valid)));
    kinds.push_back(fail_on_names()[static_cast<std::size_t>(found - valid.begin())].second);
  }
  return kinds;
}

std::map<std::string, std::string> absent_means(const std::string& workload) {
  std::map<std::string, std::string> meanings;
  const registry::WorkloadSpec* spec = registry::find_workload(workload);
  if (spec == nullptr) return meanings;
  const auto add = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters)
      if (!parameter.absent_means.empty()) meanings[parameter.name] = parameter.absent_means;
  };
  add(spec->parameters);
  add(registry::measurement_parameters(*spec));
  return meanings;
}

}  // namespace

int command_compare(const CompareRequest& request) {
  const reports::CompareFormat& format = reports::compare_format_named(request.format);
  std::vector<reports::FailOn> fail_on;
  if (request.fail_on) fail_on = fail_on_from(*request.fail_on);
  reports::CompareOptions options{.threshold = share_from(request.threshold),
                                  .metrics = {},
                                  .despite_differences = request.despite_differences,
                                  .absent_means = absent_means};
  if (!request.metrics.empty()) options.metrics = split(request.metrics, ',');
  if (request.runs.size() < 2)
    throw Error(ErrorKind::usage, "bench compare needs a base and at least one run to hold against it");

  refuse_to_overwrite(request.runs, request.output);
  std::vector<Document> documents = load_documents(request.runs);
  keep_matching(documents, request.runs, request.filter, request.exclude);
  const std::vector<std::string> names = names_of(request.runs, documents);
  std::vector<reports::Side> sides;
  for (std::size_t i = 0; i < documents.size(); ++i) sides.push_back({names[i], &documents[i]});
  const reports::Comparison comparison =
      reports::compare(sides.front(), {sides.begin() + 1, sides.end()}, options);

  const std::string text = format.render(comparison);
  if (request.output.empty())
    print(text);
  else
    scheduler::write_whole_file(request.output, text);

  std::vector<std::string> regressions;
  for (const reports::FailOn kind : fail_on)
    for (const std::string& regression : reports::regressions(comparison, kind))
      if (std::ranges::find(regressions, regression) == regressions.end()) regressions.push_back(regression);
  for (const std::string& regression : regressions) tell(printable(fmt::format("bench: {}", regression)));
  const bool slower = std::ranges::find(fail_on, reports::FailOn::slower) != fail_on.end();
  const double alarms = reports::expected_false_alarms(comparison);
  if (slower && !regressions.empty() && alarms >= 1)
    tell(
        fmt::format("bench: up to {:.2g} of these times would be called slower by chance alone; measure both "
                    "sides again and see which stay slower",
                    alarms));
  if (!regressions.empty()) return 3;
  if (!request.strict) return 0;
  const std::vector<std::string> questions = reports::open_questions(comparison);
  for (const std::string& question : questions)
    tell(printable(fmt::format("bench: undecided under --strict: {}", question)));
  return questions.empty() ? 0 : 4;
}

}  // namespace bench::cli
