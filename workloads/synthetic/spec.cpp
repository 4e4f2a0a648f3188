#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/registry/ranks.hpp"
#include "harness/registry/registry.hpp"
#include "workloads/synthetic/behaviour.hpp"

namespace bench::synthetic {
namespace {

std::vector<std::string> behaviour_names() {
  std::vector<std::string> names;
  for (const BehaviourRow& row : kBehaviours) names.emplace_back(row.name);
  return names;
}

// "...: ok (sleep spin drift), skipped (unsupported), ..."
std::string behaviour_help() {
  std::string help = "what a step does, or how the case ends: ";
  for (std::size_t i = 0; i < kBehaviours.size(); ++i) {
    const Status status = kBehaviours[i].ends_as;
    const bool first = i == 0 || kBehaviours[i - 1].ends_as != status;
    const bool last = i + 1 == kBehaviours.size() || kBehaviours[i + 1].ends_as != status;
    if (first) help += fmt::format("{}{} (", i == 0 ? "" : ", ", to_text(status));
    help += fmt::format("{}{}", kBehaviours[i].name, last ? ")" : " ");
  }
  return help;
}

std::vector<Parameter> make_parameters() {
  return {
      {.name = "behaviour",
       .help = behaviour_help(),
       .kind = ParameterKind::choice,
       .choices = behaviour_names(),
       .default_value = "sleep"},
      {.name = "duration",
       .help = "of one step",
       .unit = "us",
       .kind = ParameterKind::integer,
       .default_value = "1000",
       .minimum = 0,
       .maximum = 3.6e9},
      {.name = "noise",
       .help = "give or take up to this share of the duration, drawn from the seed",
       .unit = "%",
       .kind = ParameterKind::real,
       .default_value = "0",
       .minimum = 0,
       .maximum = 100},
      {.name = "phases",
       .help = "equal parts that a step is divided into",
       .kind = ParameterKind::integer,
       .default_value = "1",
       .minimum = 1,
       .maximum = 16},
      {.name = "bytes",
       .help = "allocated by each step of allocate and leak",
       .unit = "bytes",
       .kind = ParameterKind::bytes,
       .default_value = "1MiB",
       .minimum = 1},
      {.name = "at",
       .help = "the step, from 1 and warm-up included, in which fail ... wrong-after strike; 0: the check",
       .kind = ParameterKind::integer,
       .default_value = "1",
       .minimum = 0,
       .maximum = 1e9},
      registry::ranks_parameter(),
      {.name = "on-rank",
       .help = "the one rank on which fail ... wrong-after strike; absent: on every rank",
       .kind = ParameterKind::integer,
       .minimum = 0,
       .maximum = registry::kMostRanks - 1},
  };
}

std::vector<registry::Preset> make_presets() {
  return {
      {.name = "demo",
       .summary = "one case of every status, to see what a report says of it",
       // 1024 TiB: more than a 64-bit process can address, so out of memory on every machine.
       .options = {{"behaviour",
                    "sleep,drift,allocate,unsupported,fail-in-setup,fail,crash,hang,wrong-result,"
                    "wrong-after"},
                   {"bytes", "1024TiB"},
                   {"phases", "2"},
                   {"timeout", "5s"}}},
      {.name = "noise",
       .summary = "the same step with more and more noise: what the interval of the median makes of it",
       .options = {{"noise", "0,5,20,50"}, {"steps", "50"}}},
  };
}

const BehaviourRow& behaviour_of(const Case& configuration) {
  return require_behaviour(configuration.text("behaviour"));
}

// Leaves only the parameters that the behaviour uses, so that equal cases have equal ids.
void canonicalize(Case& configuration, const std::set<std::string>& /*named*/) {
  const BehaviourRow& behaviour = behaviour_of(configuration);
  if (!behaviour.has_steps())
    for (const char* name : {"duration", "noise", "phases"}) configuration.erase(name);
  // A case on one rank has the id that it always had.
  if (registry::ranks_of(configuration) == 1) configuration.erase(registry::kRanks);
  if (behaviour.uses != Uses::steps_and_at) configuration.erase("on-rank");
  if (behaviour.uses != Uses::steps_and_bytes) configuration.erase("bytes");
  if (behaviour.uses != Uses::steps_and_at) configuration.erase("at");
}

std::vector<registry::UsageError> validate(const Case& configuration) {
  std::vector<registry::UsageError> errors;
  if (behaviour_of(configuration).behaviour == Behaviour::wrong_after && configuration.integer("at") == 0)
    errors.push_back(
        {"at", "wrong-after strikes in a step, 1 or later; --behaviour wrong-result is wrong in the check"});
  const int ranks = registry::ranks_of(configuration);
  if (configuration.has("on-rank") && configuration.integer("on-rank") >= ranks)
    errors.push_back(
        {"on-rank", fmt::format("ranks are numbered from 0: of {} the last is {}", ranks, ranks - 1)});
  return errors;
}

registry::Support supports(const Case& configuration, const std::string& /*device*/,
                           const machine::Machine&) {
  if (behaviour_of(configuration).behaviour == Behaviour::unsupported)
    return {.yes = false, .reason = "behaviour unsupported runs on no machine, on purpose"};
  return {};
}

Work work(const Case& /*configuration*/) {
  return {.amounts = {amounts::tokens(kTokensPerStep),
                      amounts::model_flop(static_cast<double>(kTokensPerStep * kFlopPerToken))},
          .formula = fmt::format("{} flop a token, made up", kFlopPerToken)};
}

std::optional<double> step_s(const Case& configuration) {
  if (!configuration.has("duration")) return std::nullopt;
  return static_cast<double>(configuration.integer("duration")) / 1e6;
}

std::optional<std::string> refuse_fault(const Case& /*configuration*/, std::string_view fault) {
  if (fault.empty() || fault == kWrongSum) return std::nullopt;
  return fmt::format("synthetic knows no fault \"{}\"; valid: {}", printable(fault), kWrongSum);
}

registry::WorkloadSpec make_spec() {
  return {.name = "synthetic",
          .summary = "sleeps, allocates, fails, crashes, hangs or gives wrong results on request",
          .default_timing = Timing::blocking,
          .parameters = make_parameters(),
          .presets = make_presets(),
          .canonicalize = canonicalize,
          .validate = validate,
          .supports = supports,
          .work = work,
          .step_s = step_s,
          .refuse_fault = refuse_fault,
          .arithmetic = nullptr,
          .quantities = nullptr};
}

const registry::Registration registration{make_spec()};

}  // namespace
}  // namespace bench::synthetic
