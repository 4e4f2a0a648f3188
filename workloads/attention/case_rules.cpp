#include "workloads/attention/case_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "workloads/attention/problem.hpp"

namespace bench::attention {
namespace {

// A total that a person may give instead of the parameter that follows from it.
struct Total {
  const char* name;    // tokens
  const char* sets;    // batch
  const char* each;    // sequence
  const char* pieces;  // in words
};
constexpr Total kTotals[] = {{"tokens", "batch", "sequence", "sequences"},
                             {"d-model", "heads", "d-head", "heads"}};

void resolve(Case& configuration, const Total& total, const std::set<std::string>& named) {
  if (!configuration.has(total.name)) return;
  const std::int64_t all = configuration.integer(total.name);
  const std::int64_t each = configuration.integer(total.each);
  if (all % each != 0 || named.contains(total.sets)) return;
  if (configuration.has(total.sets)) {
    configuration.set(total.sets, all / each);
    configuration.erase(total.name);
    return;
  }
  // In the total's place, which is declared next to it: an appended parameter would be last in the id.
  const auto place =
      std::ranges::find(configuration.values, total.name, [](const auto& v) { return v.first; });
  *place = {total.sets, all / each};
}

registry::UsageError complaint(const Case& configuration, const Total& total) {
  const std::int64_t all = configuration.integer(total.name);
  const std::int64_t each = configuration.integer(total.each);
  if (all % each == 0)
    return {total.name, fmt::format("it sets --{}, which is given too: leave one of them out", total.sets)};
  const std::int64_t below = all / each * each;
  return {total.name,
          fmt::format("{} does not divide into {} of {}; {}", all, total.pieces, each,
                      below == 0 ? fmt::format("the least that does is {}", each)
                                 : fmt::format("the nearest that do are {} and {}", below, below + each))};
}

}  // namespace

void canonicalize(Case& configuration, const std::set<std::string>& named) {
  for (const Total& total : kTotals) resolve(configuration, total, named);
  if (configuration.has("keys") && configuration.integer("keys") == configuration.integer("sequence"))
    configuration.erase("keys");
  if (!configuration.has("keys") && configuration.text("causal") == to_text(Causal::bottom_right))
    configuration.set("causal", std::string(to_text(Causal::yes)));
}

std::vector<registry::UsageError> validate(const Case& configuration) {
  std::vector<registry::UsageError> errors;
  for (const Total& total : kTotals)
    if (configuration.has(total.name)) errors.push_back(complaint(configuration, total));
  if (!errors.empty()) return errors;
  // 2^63 bytes is where LibTorch's own counts overflow.
  const Problem problem = problem_of(configuration);
  if (score_matrix_bytes(problem) >= 9.2e18)
    errors.push_back({"sequence", "the scores would be a tensor of more than 2^63 bytes"});
  else if (4.0 * double(problem.batch) * double(std::max<std::int64_t>(1, problem.heads)) *
               double(std::max(problem.queries, problem.keys)) * double(problem.d_head) >=
           9.2e18)
    errors.push_back({"sequence", "the inputs would be tensors of more than 2^63 bytes"});
  return errors;
}

}  // namespace bench::attention
