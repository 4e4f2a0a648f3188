#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/cli/plan.hpp"
#include "harness/core/document.hpp"
#include "harness/scheduler/sweep.hpp"

// Going on with a run that ended before its time. Its directory says everything: plan.json what was asked
// for, cases.jsonl what has been done.
namespace bench::cli {

struct Resumed {
  std::vector<std::string> argv;  // of the command that began the run
  RunRequest request;  // as the run was begun, with `resume`, `force`, `quiet` and `json` as they are now
  Plan plan;
  std::optional<Document> document;  // nullopt: it ended before the journal's first line
};

// Throws Error(usage) unless a run was begun there.
void require_run_directory(const std::string& directory);

// Reads the run that typed.resume names. The journal's torn last line must have been cut off. Throws
// Error(usage): no run there, damage, cases that the plan does not have, options typed now that differ from
// those that the run was begun with.
Resumed read_resumed(const RunRequest& typed);

// The case_key of each case of the plan that the document has; of one that was asked for with `max`, at a
// smaller value too. Throws Error(usage) for a case that the plan does not have or measures otherwise.
std::unordered_set<std::string> finished_cases(const Plan& plan, const Document& document,
                                               const std::string& directory);

// What was refused for want of memory that can be had now is not finished: nobody tried it.
void forget_outgrown_refusals(scheduler::Sweep& sweep, const Document& before);

}  // namespace bench::cli
