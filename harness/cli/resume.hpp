#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
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

// By place in the sweep, which of the document's results is of it, the last where there are several.
using ResultsByPlace = std::unordered_map<std::size_t, std::size_t>;

// A case that was asked for with `max` may have any value. Throws Error(usage) for a result of a case that
// the plan does not have or measures otherwise.
ResultsByPlace results_by_place(const Plan& plan, const Document& document, const std::string& directory);

// Marks as finished what has a result, unless it was refused for want of memory that can be had now, as
// nobody tried it. `max` is what it has come to, or else what may fit here and now: throws Error(usage) as
// registry::set_largest does. Takes out of `before` what an earlier part of the run made of a `max` that
// another part has measured as another case, or is to.
void mark_finished(scheduler::Sweep& sweep, const ResultsByPlace& results, Document& before,
                   const std::string& directory);

}  // namespace bench::cli
