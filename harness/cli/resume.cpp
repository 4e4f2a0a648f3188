#include "harness/cli/resume.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/plan_file.hpp"
#include "harness/cli/settings.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/registry/maximum.hpp"
#include "harness/scheduler/maxima.hpp"
#include "reports/load.hpp"

namespace bench::cli {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("--resume {}: {}", printable(directory), why));
}

// An option that is typed with --resume must say what the run was begun with.
void refuse_differing(const RunRequest& typed, const RunRequest& begun) {
  const auto compare = [&](const std::string& option, const std::string& now, const std::string& before,
                           const std::string& unsaid = "") {
    if (now == unsaid || now == before) return;
    refuse(typed.resume,
           fmt::format("the run was begun {}, not with {} {}; leave it out, or start a new run",
                       before.empty() ? "without " + option : fmt::format("with {} {}", option, before),
                       option, now));
  };
  compare("WORKLOAD", typed.workload, begun.workload);
  compare("--preset", typed.preset, begun.preset);
  compare("--device", typed.device, begun.device, "auto");
  compare("--out", typed.out, begun.out);
  compare("--label", typed.label, begun.label);
  compare("--memory-limit", typed.memory_limit, begun.memory_limit);
  compare("--inject-fault", typed.inject_fault, begun.inject_fault);
  compare("--filter", typed.filter, begun.filter);
  compare("--exclude", typed.exclude, begun.exclude);
  compare("--cases", typed.cases, begun.cases);
  compare("--zip", join(typed.zips, " "), join(begun.zips, " "));
  for (const auto& [option, text] : typed.options)
    compare("--" + option, text, given(begun.options, option).value_or(""));
  const auto compare_flag = [&](const char* option, bool now, bool before) {
    if (now && !before)
      refuse(typed.resume,
             fmt::format("the run was begun without {}; leave it out, or start a new run", option));
  };
  compare_flag("--host-defaults", typed.host_defaults, begun.host_defaults);
  compare_flag("--profile", typed.profile, begun.profile);
}

RunRequest request_from(const std::vector<std::string>& argv, const std::string& plan_path) {
  if (argv.empty())
    throw Error(ErrorKind::usage, printable(plan_path) + ": it does not say which command began the run");
  const Request request = parse_command_line({argv.begin() + 1, argv.end()});
  if (const auto* run = std::get_if<RunRequest>(&request)) return *run;
  throw Error(ErrorKind::usage, printable(plan_path) + ": the command in it is no run");
}

std::optional<Document> read_journal(const fs::path& journal) {
  std::error_code ignored;
  if (fs::file_size(journal, ignored) == 0) return std::nullopt;
  return reports::load_document(journal.string());
}

}  // namespace

void require_run_directory(const std::string& directory) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) refuse(directory, "there is no such run directory");
  for (const char* const file : {"plan.json", "cases.jsonl"})
    if (!fs::exists(fs::path(directory) / file, ignored))
      refuse(directory, fmt::format("it holds no {}, so there is no run to continue", file));
}

Resumed read_resumed(const RunRequest& typed) {
  const fs::path directory = typed.resume;
  const std::string plan_path = (directory / "plan.json").string();
  // Of thousands of cases both take a while, and the plan is read on one processor.
  auto document = std::async(std::launch::async, read_journal, directory / "cases.jsonl");
  Resumed resumed;
  resumed.plan = read_plan(plan_path, &resumed.argv);
  resumed.request = request_from(resumed.argv, plan_path);
  refuse_differing(typed, resumed.request);
  resumed.request.resume = typed.resume;
  resumed.request.force = typed.force;
  resumed.request.quiet = typed.quiet;
  resumed.request.json = typed.json;
  resumed.document = document.get();
  return resumed;
}

ResultsByPlace results_by_place(const Plan& plan, const Document& document, const std::string& directory) {
  // By the key of what may have become of it, in the order of who has the first claim: a case itself, and of
  // `max` whatever it may have come down to.
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  const auto claim = [&](const Case& configuration, std::size_t index) {
    for (int repetition = 0; repetition < plan.repetitions; ++repetition)
      places[scheduler::case_key(configuration, repetition)].push_back(
          index + static_cast<std::size_t>(repetition) * plan.cases.size());
  };
  for (std::size_t index = 0; index < plan.cases.size(); ++index)
    if (!plan.cases[index].maximum) claim(plan.cases[index].configuration, index);
  for (std::size_t index = 0; index < plan.cases.size(); ++index)
    if (plan.cases[index].maximum)
      for (const Case& smaller : registry::cases_of(*plan.spec, *plan.cases[index].maximum))
        claim(smaller, index);

  ResultsByPlace results;
  for (std::size_t i = 0; i < document.cases.size(); ++i) {
    const CaseResult& result = document.cases[i];
    const std::string key = scheduler::case_key(result.configuration, result.repetition);
    const auto claimed = places.find(key);
    if (claimed == places.end())
      refuse(directory, fmt::format("cases.jsonl has the case {}, which plan.json does not", key));
    const auto free =
        std::ranges::find_if(claimed->second, [&](std::size_t place) { return !results.contains(place); });
    const std::size_t place = free == claimed->second.end() ? claimed->second.front() : *free;
    if (!(plan.cases[place % plan.cases.size()].policy == result.policy))
      refuse(directory, fmt::format("cases.jsonl measured {} with other settings than plan.json has", key));
    results[place] = i;  // a later one was measured as the earlier could not be
  }
  return results;
}

namespace {

// The last that was made of the row in any repetition; nullptr: nothing.
const CaseResult* last_of(std::size_t row, const scheduler::Sweep& sweep, const ResultsByPlace& results,
                          const Document& before) {
  const CaseResult* last = nullptr;
  for (std::size_t place = row; place < sweep.size(); place += sweep.cases.size())
    if (const auto result = results.find(place); result != results.end())
      last = &before.cases[result->second];
  return last;
}

void set_maxima(scheduler::Sweep& sweep, const ResultsByPlace& results, const Document& before,
                const std::string& directory) {
  for (std::size_t row = 0; row < sweep.cases.size(); ++row) {
    registry::PlannedCase& planned = sweep.cases[row];
    if (!planned.maximum) continue;
    const CaseResult* known = last_of(row, sweep, results, before);
    if (known != nullptr && !scheduler::was_predicted_not_to_fit(*known)) {
      planned.configuration = known->configuration;
      continue;
    }
    try {
      registry::set_largest(*sweep.spec, planned, sweep.room);
    } catch (const Error& error) {
      refuse(directory, error.what());
    }
  }
}

// As in a run that was not interrupted, a `max` that comes to another row is not measured.
void mark_answered(scheduler::Sweep& sweep) {
  scheduler::Maxima maxima(sweep);
  for (std::size_t place = 0; place < sweep.size(); ++place) {
    const std::size_t row = place % sweep.cases.size();
    if (row == 0) maxima.begin_repetition();
    const auto finished = sweep.finished.find(place);
    registry::PlannedCase planned = maxima.planned(row);
    if (finished != sweep.finished.end())
      maxima.end(row, planned.configuration, *finished->second);
    else if (maxima.is_answered(planned))
      sweep.finished.emplace(place, std::nullopt);
  }
}

}  // namespace

void mark_finished(scheduler::Sweep& sweep, const ResultsByPlace& results, Document& before,
                   const std::string& directory) {
  set_maxima(sweep, results, before, directory);
  std::vector<bool> stays(before.cases.size(), false);
  for (const auto& [place, result] : results) {
    const registry::PlannedCase& planned = sweep.cases[place % sweep.cases.size()];
    const CaseResult& made = before.cases[result];
    const bool has_room_now =
        scheduler::was_predicted_not_to_fit(made) && !scheduler::is_refused(sweep, planned);
    if (!has_room_now) sweep.finished.emplace(place, made.status);
    stays[result] = !has_room_now || !planned.maximum;
  }
  mark_answered(sweep);
  std::size_t index = 0;
  std::erase_if(before.cases, [&](const CaseResult&) { return !stays[index++]; });
}

}  // namespace bench::cli
