#include "harness/cli/plan_file.hpp"

#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/settings.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/registry/registry.hpp"
#include "reports/load.hpp"

namespace bench::cli {
namespace {

using nlohmann::ordered_json;
using protocol::Reader;

// Above 0 and no longer than an option may say.
double seconds(const Reader& reader, const std::string& name) {
  const double value = reader.real(name);
  if (value <= 0 || value > kLongestS)
    reader.fail(name, fmt::format("{} is not between 0 and 30 days", value));
  return value;
}

template <class Number>
Number whole_number(const Reader& reader, const std::string& name, Number least, Number most) {
  const Number value = reader.integer<Number>(name, least);
  if (value > most) reader.fail(name, fmt::format("{} is above {}", value, most));
  return value;
}

Policy policy_from(const Reader& reader) {
  Policy policy;
  if (reader.member("steps").is_string()) {
    if (reader.text("steps") != "auto") reader.fail("steps", "expected an integer or \"auto\"");
    policy.steps.reset();
  } else {
    policy.steps = whole_number(reader, "steps", 1, kMostSteps);
  }
  policy.time_budget_s = seconds(reader, "time_budget_s");
  policy.timeout_s = seconds(reader, "timeout_s");
  policy.seed = whole_number<std::uint64_t>(reader, "seed", 0, kLargestSeed);
  return policy;
}

std::string text_of(const Reader& reader, const std::string& name, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return to_text(Value{value.get<double>()});
  reader.fail(name, "expected a number or a string, found " + protocol::found(value));
}

registry::PlannedCase case_from(const Reader& reader, const registry::WorkloadSpec& spec,
                                const Policy& policy) {
  if (reader.has("maximized"))  // as earlier builds wrote it: what it measured was not what it says
    reader.fail("maximized", "this build reads \"max\" as the parameter's value; plan it anew");
  registry::Options options;
  reader.members("parameters", [&](const std::string& name, const ordered_json& value) {
    options.emplace_back(name, text_of(reader, name, value));
  });
  try {
    return registry::one_case(spec, options, policy);
  } catch (const Error& error) {
    reader.fail("parameters", error.what());
  }
}

// What was said of the case: the rest may follow from the value that `max` comes down to.
ordered_json parameters_of(const registry::Maximum& maximum) {
  ordered_json parameters = protocol::to_json(maximum.asked)["parameters"];
  for (const auto& [name, value] : maximum.asked.values)
    if (!maximum.named.contains(name)) parameters.erase(name);
  parameters[maximum.parameter] = "max";
  return parameters;
}

}  // namespace

ordered_json to_json(const Plan& plan, const CaseRemark& remark) {
  const Policy& policy = plan.cases.front().policy;
  ordered_json json{{"workload", plan.spec->name}};
  json["policy"] = {{"steps", "auto"},
                    {"time_budget_s", policy.time_budget_s},
                    {"timeout_s", policy.timeout_s},
                    {"seed", policy.seed}};
  if (policy.steps) json["policy"]["steps"] = *policy.steps;
  json["repetitions"] = plan.repetitions;
  ordered_json cases = ordered_json::array();
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    ordered_json one = protocol::to_json(plan.cases[i].configuration);
    one.erase("workload");
    if (plan.cases[i].maximum) one["parameters"] = parameters_of(*plan.cases[i].maximum);
    if (remark) remark(i, one);
    cases.push_back(std::move(one));
  }
  json["cases"] = std::move(cases);
  return json;
}

std::string plan_file_content(const Plan& plan, const std::vector<std::string>& argv) {
  nlohmann::ordered_json json{{"argv", argv}};
  json.update(to_json(plan));
  return protocol::dump(json) + "\n";
}

Plan read_plan(const std::string& path, std::vector<std::string>* argv) {
  const std::string text = reports::file_text(path);
  if (text.empty())
    throw Error(ErrorKind::usage, printable(path) + " is empty; `--dry-run --json` makes such a file");
  const ordered_json json = protocol::parse(text, path);
  const Reader reader(json, path);
  if (argv != nullptr && reader.has("argv")) *argv = reader.texts("argv");
  Plan plan;
  plan.spec = &registry::require_workload(reader.text("workload"));
  Policy policy;
  if (reader.has("policy")) {
    const Reader policy_reader = reader.object("policy");
    policy = policy_from(policy_reader);
  }
  if (reader.has("repetitions")) plan.repetitions = whole_number(reader, "repetitions", 1, kMostRepetitions);
  std::unordered_map<std::string, std::size_t> index_of;  // by id
  reader.each("cases", [&](const Reader& one) {
    plan.cases.push_back(case_from(one, *plan.spec, policy));
    if (plan.cases.back().maximum) return;  // it has no value yet
    const std::string id = plan.cases.back().configuration.id();
    const auto [known, is_new] = index_of.emplace(id, plan.cases.size() - 1);
    if (!is_new)
      one.fail("parameters", fmt::format("{} is cases[{}] already; --repeat measures each case several times",
                                         id, known->second));
  });
  if (plan.cases.empty()) reader.fail("cases", "it names no case");
  return plan;
}

}  // namespace bench::cli
