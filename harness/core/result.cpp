#include "harness/core/result.hpp"

#include <algorithm>

namespace bench {
namespace {

template <typename Predicate>
const Summary* first_of(const CaseResult& result, Predicate predicate) {
  const auto found = std::ranges::find_if(result.summaries, predicate);
  return found == result.summaries.end() ? nullptr : &*found;
}

}  // namespace

const Summary* headline_time(const CaseResult& result) {
  return first_of(result, is_sampled_time);
}

const Summary* find_summary(const CaseResult& result, std::string_view metric) {
  return first_of(result, [&](const Summary& summary) { return summary.metric == metric; });
}

}  // namespace bench
