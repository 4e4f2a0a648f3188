#include "harness/cli/run_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/recorded_conditions.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/sweep.hpp"

namespace bench::cli {
namespace {

constexpr const char* kMark = "resumed_with";
constexpr std::string_view kBetweenMarks = " | ";  // of one resumption and the next

// The marks with one more, unless it is among them.
std::string marked(const std::string& marks, const std::string& mark) {
  if (marks.empty()) return mark;
  const std::string all = fmt::format("{}{}{}", kBetweenMarks, marks, kBetweenMarks);
  if (all.find(fmt::format("{}{}{}", kBetweenMarks, mark, kBetweenMarks)) != std::string::npos) return marks;
  return fmt::format("{}{}{}", marks, kBetweenMarks, mark);
}

}  // namespace

RunRecord::RunRecord(Document before, const Document& now, Resumption how)
    : document_(std::move(before)), now_(now), how_(std::move(how)) {
  written_header_ = protocol::journal_header_line(document_);
  document_.run.planned_cases = now.run.planned_cases;
  for (const CaseResult& result : document_.cases)
    index_of_.emplace(scheduler::case_key(result.configuration, result.repetition), index_of_.size());
  differ(differences(document_, now_));
}

void RunRecord::differ(const std::vector<std::string>& clauses) {
  if (!clauses.empty() && !how_.force)
    throw Error(ErrorKind::usage,
                fmt::format("--resume {}: {}; --force continues all the same and marks the results",
                            printable(how_.directory), join(clauses, "; ")));
  differing_ = clauses;
}

void RunRecord::begin(const WorkerFacts& workers) {
  now_.environment.libraries.insert(workers.libraries.begin(), workers.libraries.end());
  now_.conditions.insert(workers.conditions.begin(), workers.conditions.end());
  differ(differences(document_, now_));
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
  std::vector<std::string> clauses;
  for (const ConditionDifference& difference : differing_conditions(before, now))
    if (difference.resumed() == Judgement::refused)
      clauses.push_back(fmt::format("{}: {}, was {}", difference.what,
                                    difference.after.empty() ? "not set" : difference.after,
                                    difference.before.empty() ? "not set" : difference.before));
  return clauses;
}

}  // namespace bench::cli
