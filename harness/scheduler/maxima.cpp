#include "harness/scheduler/maxima.hpp"

#include "harness/registry/maximum.hpp"

namespace bench::scheduler {
namespace {

Remark largest_note(const std::string& parameter, const std::string& value) {
  return remark(RemarkCode::max_is_largest, {{"parameter", parameter}, {"value", value}});
}

std::string value_in(const Case& configuration, const std::string& parameter) {
  return to_text(*configuration.find(parameter));
}

}  // namespace

Maxima::Maxima(const Sweep& sweep) : sweep_(sweep) {
  for (std::size_t index = 0; index < sweep.cases.size(); ++index)
    if (sweep.cases[index].maximum) first_.emplace(sweep.cases[index].configuration.id(), index);
}

registry::PlannedCase Maxima::planned(std::size_t index) const {
  registry::PlannedCase planned = sweep_.cases[index];
  if (const auto found = found_.find(index); found != found_.end()) planned.configuration = found->second;
  return planned;
}

bool Maxima::is_answered(registry::PlannedCase& planned) const {
  if (!planned.maximum) return false;
  for (;;) {
    const auto known = ended_.find(planned.configuration.id());
    if (known == ended_.end()) return false;
    if (known->second != Status::out_of_memory || !registry::make_smaller(*sweep_.spec, planned)) return true;
  }
}

void Maxima::end(std::size_t index, const Case& configuration, Status status) {
  if (first_.empty()) return;
  ended_[configuration.id()] = status;
  if (sweep_.cases[index].maximum && status != Status::out_of_memory) found_[index] = configuration;
}

std::optional<Remark> Maxima::note(std::size_t index, const registry::PlannedCase& first,
                                   const CaseResult& result) const {
  if (result.status == Status::out_of_memory) return std::nullopt;  // the reason says it
  if (!first.maximum) {
    const auto same = first_.empty() ? first_.end() : first_.find(result.configuration.id());
    if (same == first_.end()) return std::nullopt;
    const std::string& parameter = sweep_.cases[same->second].maximum->parameter;
    return largest_note(parameter, value_in(result.configuration, parameter));
  }
  const std::string& parameter = first.maximum->parameter;
  const std::string value = value_in(result.configuration, parameter);
  const std::string tried_first = value_in(first.configuration, parameter);
  if (value != tried_first)
    return remark(RemarkCode::max_came_down,
                  {{"parameter", parameter}, {"value", value}, {"tried", tried_first}});
  if (found_.contains(index))
    return remark(RemarkCode::max_as_before, {{"parameter", parameter}, {"value", value}});
  return largest_note(parameter, value);
}

}  // namespace bench::scheduler
