#include "reports/compare/join.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::reports {
namespace {

std::string key_of(const CaseResult& result, const std::map<std::string, std::string>& absent_means) {
  std::map<std::string, std::string> values = absent_means;
  for (const auto& [name, value] : result.configuration.values) values[name] = to_text(value);
  std::string key = result.configuration.workload;
  for (const auto& [name, value] : values) {
    key += '\0';
    key += name;
    key += '\0';
    key += value;
  }
  return key;
}

}  // namespace

CaseIndex::CaseIndex(const Side& side, const CompareOptions& options) {
  std::map<std::string, std::map<std::string, std::string>> absent_means;  // by workload
  for (const CaseResult& result : side.document->cases) {
    const std::string& workload = result.configuration.workload;
    if (options.absent_means && !absent_means.contains(workload))
      absent_means[workload] = options.absent_means(workload);
    const auto [group, is_new] = groups_.try_emplace(key_of(result, absent_means[workload]));
    if (is_new) keys_.push_back(group->first);
    Repetitions& repetitions = group->second;
    if (std::ranges::find(repetitions, result.repetition, &CaseResult::repetition) != repetitions.end())
      throw Error(ErrorKind::usage, fmt::format("{}: the case {} is in it twice", side.name,
                                                printable(result.configuration.id())));
    repetitions.push_back(&result);
  }
}

const Repetitions* CaseIndex::find(const std::string& key) const {
  const auto found = groups_.find(key);
  return found == groups_.end() ? nullptr : &found->second;
}

}  // namespace bench::reports
