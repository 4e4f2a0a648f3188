#include "harness/registry/maximum.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::registry {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("--{}: {}", option, why));
}

}  // namespace

std::vector<Case> cases_of(const WorkloadSpec& spec, const Maximum& maximum) {
  std::vector<Case> cases;
  const auto parameter = std::ranges::find(spec.parameters, maximum.parameter, &Parameter::name);
  for (const std::int64_t value : powers_of_two(*parameter)) {
    Case candidate = maximum.asked;
    candidate.set(maximum.parameter, value);
    if (spec.canonicalize) spec.canonicalize(candidate, maximum.named);
    if (is_possible(spec, candidate)) cases.push_back(std::move(candidate));
  }
  return cases;
}

void set_largest(const WorkloadSpec& spec, PlannedCase& planned, const MemoryRoom& room) {
  const std::string& parameter = planned.maximum->parameter;
  if (!spec.memory)
    refuse(parameter, fmt::format("workload {} has no formula for its memory, so no max", spec.name));
  if (room.bytes <= 0)
    refuse(parameter, "max: bench cannot tell how much memory is here; --memory-limit states it");
  std::vector<Case> candidates = cases_of(spec, *planned.maximum);
  if (candidates.empty()) return;
  if (!predict_memory(spec, candidates.back(), room.device))
    refuse(parameter,
           fmt::format("max: no formula covers the memory of {}; name a value", candidates.back().id()));
  const auto largest = std::ranges::find_if(candidates, [&](const Case& candidate) {
    return !cannot_fit(predict_memory(spec, candidate, room.device), room);
  });
  planned.configuration = std::move(largest == candidates.end() ? candidates.back() : *largest);
}

bool make_smaller(const WorkloadSpec& spec, PlannedCase& planned) {
  if (!planned.maximum) return false;
  const std::string& parameter = planned.maximum->parameter;
  const std::int64_t now = planned.configuration.integer(parameter);
  for (Case& candidate : cases_of(spec, *planned.maximum)) {
    if (candidate.integer(parameter) >= now) continue;
    planned.configuration = std::move(candidate);
    return true;
  }
  return false;
}

}  // namespace bench::registry
