#include "reports/compare/differences.hpp"

#include <fmt/format.h>

#include "harness/core/recorded_conditions.hpp"

namespace bench::reports {
namespace {

// "not set" of what a person may set, "unknown" of what was read or said.
std::string shown(const std::string& value, const ConditionDifference& difference) {
  if (!value.empty()) return value;
  return difference.unknown ? "unknown" : "not set";
}

}  // namespace

Differences differences(const Side& base, const Side& other) {
  Differences result;
  for (const ConditionDifference& difference : differing_conditions(*base.document, *other.document)) {
    if (difference.compared() == Judgement::ignored) continue;
    (difference.compared() == Judgement::refused ? result.refused : result.noted)
        .push_back(fmt::format("{} is {} in {} and {} in {}", difference.what,
                               shown(difference.before, difference), base.name,
                               shown(difference.after, difference), other.name));
  }
  for (const Side* side : {&base, &other})
    for (const RecordedCondition& condition : recorded_conditions(*side->document))
      if (condition.row->marks_profiler)
        result.refused.push_back(fmt::format("{} was measured under a profiler: {} is {}", side->name,
                                             condition.name, condition.value));
  for (const Side* side : {&base, &other}) {
    const RunInfo& run = side->document->run;
    if (!run.complete)
      result.noted.push_back(fmt::format("{} is incomplete: {} of {} planned cases are in it", side->name,
                                         side->document->cases.size(), run.planned_cases));
  }
  return result;
}

}  // namespace bench::reports
