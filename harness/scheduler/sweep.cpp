#include "harness/scheduler/sweep.hpp"

#include <utility>

#include <fmt/format.h>

namespace bench::scheduler {

std::string case_key(const Case& configuration, int repetition) {
  return fmt::format("{} {}", configuration.id(), repetition);
}

std::string program_of(const Sweep& sweep, const Case& configuration) {
  return sweep.spec->program ? sweep.spec->program(configuration) : "";
}

namespace {

// Why it is a skipped row; empty: it is none.
Remark reason_to_skip(const Sweep& sweep, const registry::PlannedCase& planned) {
  if (planned.policy.timing == Timing::graph && sweep.device == "cpu")
    return remark(RemarkCode::graph_needs_cuda);
  const Case& configuration = planned.configuration;
  if (sweep.spec->supports) {
    registry::Support supported = sweep.spec->supports(configuration, sweep.device, sweep.machine);
    if (!supported.yes) return said(std::move(supported.reason));
  }
  const auto unavailable = sweep.unavailable.find(program_of(sweep, configuration));
  return unavailable == sweep.unavailable.end() ? Remark{} : said(unavailable->second);
}

}  // namespace

std::optional<Refusal> refusal(const Sweep& sweep, const registry::PlannedCase& planned) {
  if (Remark reason = reason_to_skip(sweep, planned); !reason.empty())
    return Refusal{Status::skipped, std::move(reason)};
  const registry::WorkloadSpec& spec = *sweep.spec;
  const auto prediction = registry::predict_memory(spec, planned.configuration, sweep.device);
  if (!registry::cannot_fit(prediction, sweep.room)) return std::nullopt;
  return Refusal{Status::out_of_memory,
                 registry::explain_misfit(spec, planned.configuration, *prediction, sweep.room)};
}

bool is_refused(const Sweep& sweep, const registry::PlannedCase& planned) {
  return !reason_to_skip(sweep, planned).empty() ||
         registry::cannot_fit(registry::predict_memory(*sweep.spec, planned.configuration, sweep.device),
                              sweep.room);
}

bool was_predicted_not_to_fit(const CaseResult& result) {
  return result.reason.code == RemarkCode::predicted_not_to_fit;
}

std::set<std::string> programs_of(const Sweep& sweep) {
  std::set<std::string> programs;
  for (const auto& planned : sweep.cases) {
    if (is_refused(sweep, planned)) continue;
    programs.insert(program_of(sweep, planned.configuration));
    programs.insert("");
  }
  return programs;
}

}  // namespace bench::scheduler
