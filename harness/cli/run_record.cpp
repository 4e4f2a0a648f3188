#include "harness/cli/run_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/sweep.hpp"

namespace bench::cli {
namespace {

constexpr const char* kMark = "resumed_with";
constexpr std::string_view kBetweenMarks = " | ";  // of one resumption and the next

std::string clause(const std::string& what, const std::string& then, const std::string& here) {
  return fmt::format("{}: {}, was {}", what, here, then);
}

std::string gpus_of(const Environment& environment) {
  std::vector<std::string> names;
  for (const Gpu& gpu : environment.gpus)
    names.push_back(fmt::format("{} {} (driver {})", gpu.name, gpu.uuid, gpu.driver_version));
  return names.empty() ? "none" : join(names, ", ");
}

// The marks with one more, unless it is among them.
std::string marked(const std::string& marks, const std::string& mark) {
  if (marks.empty()) return mark;
  const std::string all = fmt::format("{}{}{}", kBetweenMarks, marks, kBetweenMarks);
  if (all.find(fmt::format("{}{}{}", kBetweenMarks, mark, kBetweenMarks)) != std::string::npos) return marks;
  return fmt::format("{}{}{}", marks, kBetweenMarks, mark);
}

}  // namespace

RunRecord::RunRecord(Document before, const Document& now, Resumption how)
    : document_(std::move(before)), how_(std::move(how)) {
  written_header_ = protocol::journal_header_line(document_);
  document_.run.planned_cases = now.run.planned_cases;
  for (const CaseResult& result : document_.cases)
    index_of_.emplace(scheduler::case_key(result.configuration, result.repetition), index_of_.size());
  differ(differences(document_, now));
}

void RunRecord::differ(const std::vector<std::string>& clauses) {
  if (!clauses.empty() && !how_.force)
    throw Error(ErrorKind::usage,
                fmt::format("--resume {}: {}; --force goes on all the same and marks the results",
                            printable(how_.directory), join(clauses, "; ")));
  differing_.insert(differing_.end(), clauses.begin(), clauses.end());
}

void RunRecord::begin(const WorkerFacts& workers) {
  differ(differences(document_, workers));
  if (!differing_.empty()) {
    std::string& marks = document_.conditions[kMark];
    marks = marked(marks, join(differing_, "; "));
  }
  // What is there is from the beginning and stays.
  document_.run.build_ids.insert(workers.build_ids.begin(), workers.build_ids.end());
  document_.environment.libraries.insert(workers.libraries.begin(), workers.libraries.end());
  document_.conditions.insert(workers.conditions.begin(), workers.conditions.end());
  const std::string header = protocol::journal_header_line(document_);
  if (header != written_header_) journal_->append(header);
  written_header_ = header;
  begun_ = true;
}

void RunRecord::add(CaseResult&& result) {
  const std::string line = journal_ == nullptr ? "" : protocol::journal_case_line(result);
  auto& cases = document_.cases;
  const auto [known, is_new] =
      index_of_.emplace(scheduler::case_key(result.configuration, result.repetition), cases.size());
  if (is_new)
    cases.push_back(std::move(result));
  else
    cases[known->second] = std::move(result);
  if (journal_ != nullptr) journal_->append(line);
}

std::vector<std::string> differences(const Document& before, const Document& now) {
  std::vector<std::string> found;
  const auto compare = [&](const std::string& what, const std::string& then, const std::string& here) {
    if (then != here) found.push_back(clause(what, then, here));
  };
  const auto build = [](const Document& document) {
    const auto id = document.run.build_ids.find("bench");
    return id == document.run.build_ids.end() ? std::string("unknown") : id->second;
  };
  const Environment& was = before.environment;
  const Environment& is = now.environment;
  compare("bench's build", build(before), build(now));
  compare("device", before.run.device, now.run.device);
  compare("operating system", was.host_os, is.host_os);
  compare("CPU", was.cpu_model, is.cpu_model);
  compare("usable cores", fmt::format("{}", was.cpus_allowed), fmt::format("{}", is.cpus_allowed));
  compare("memory", format_bytes(was.memory_total_bytes), format_bytes(is.memory_total_bytes));
  if (before.run.device != "cpu") compare("GPUs", gpus_of(was), gpus_of(is));
  for (const auto& [name, value] : now.conditions) {
    const auto then = before.conditions.find(name);
    compare(name, then == before.conditions.end() ? "not set" : then->second, value);
  }
  return found;
}

std::vector<std::string> differences(const Document& before, const WorkerFacts& now) {
  std::vector<std::string> found;
  const auto compare = [&](const auto& then, const auto& here) {
    for (const auto& [name, value] : here)
      if (const auto was = then.find(name); was != then.end() && was->second != value)
        found.push_back(clause(name, was->second, value));
  };
  // Of builds there is one: a worker of another than bench's is refused.
  compare(before.environment.libraries, now.libraries);
  compare(before.conditions, now.conditions);
  return found;
}

}  // namespace bench::cli
