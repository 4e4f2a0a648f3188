#include "harness/cli/resume.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/cli/plan_file.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/scheduler/sweep.hpp"
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
    compare("--" + option, text, setting(begun, {}, option).value_or(""));
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
      refuse(directory, fmt::format("it holds no {}, so nothing was begun in it that could go on", file));
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

std::unordered_set<std::string> finished_cases(const Plan& plan, const Document& document,
                                               const std::string& directory) {
  struct Asked {
    std::string key;
    const registry::PlannedCase* planned;
  };
  // By the key of what may have become of it: itself, and of `max` every smaller value that is not itself
  // asked for.
  std::unordered_map<std::string, Asked> asked_as;
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    for (const registry::PlannedCase& planned : plan.cases) {
      const std::string key = scheduler::case_key(planned.configuration, repetition);
      asked_as[key] = {key, &planned};
    }
    for (const registry::PlannedCase& planned : plan.cases) {
      registry::PlannedCase tried = planned;
      while (scheduler::make_smaller(*plan.spec, tried))
        asked_as.emplace(scheduler::case_key(tried.configuration, repetition),
                         Asked{scheduler::case_key(planned.configuration, repetition), &planned});
    }
  }
  std::unordered_set<std::string> finished;
  for (const CaseResult& result : document.cases) {
    const std::string key = scheduler::case_key(result.configuration, result.repetition);
    const auto asked = asked_as.find(key);
    if (asked == asked_as.end())
      refuse(directory, fmt::format("cases.jsonl has {}, which plan.json has not", key));
    if (!(asked->second.planned->policy == result.policy))
      refuse(directory, fmt::format("cases.jsonl measured {} otherwise than plan.json says", key));
    finished.insert(asked->second.key);
  }
  return finished;
}

void forget_outgrown_refusals(scheduler::Sweep& sweep, const Document& before) {
  for (const CaseResult& result : before.cases) {
    if (!scheduler::was_predicted_not_to_fit(result)) continue;
    const registry::PlannedCase planned{.configuration = result.configuration, .policy = result.policy};
    if (!scheduler::is_refused(sweep, planned))
      sweep.finished.erase(scheduler::case_key(result.configuration, result.repetition));
  }
}

}  // namespace bench::cli
