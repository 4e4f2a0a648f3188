#include "harness/cli/plan_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/registry/registry.hpp"

namespace bench::cli {
namespace {

using nlohmann::ordered_json;
using protocol::Reader;

std::string content_of(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{} could not be read: {}", printable(path),
                            errno != 0 ? std::strerror(errno) : "it is empty; `--dry-run --json` makes one"));
  return text;
}

Policy policy_from(const Reader& reader) {
  Policy policy;
  if (reader.member("steps").is_string()) {
    if (reader.text("steps") != "auto") reader.fail("steps", "expected an integer or \"auto\"");
    policy.steps.reset();
  } else {
    policy.steps = reader.integer<int>("steps", 1);
  }
  policy.time_budget_s = reader.real("time_budget_s");
  policy.timeout_s = reader.real("timeout_s");
  policy.seed = reader.integer<std::uint64_t>("seed");
  return policy;
}

std::string text_of(const Reader& reader, const std::string& name, protocol::JsonView value) {
  if (value.is_string()) return std::string(value.text());
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return to_text(Value{value.real()});
  reader.fail(name, "expected a number or a string, found " + value.found());
}

registry::PlannedCase case_from(const Reader& reader, const registry::WorkloadSpec& spec,
                                const Policy& policy) {
  registry::Options options;
  reader.members("parameters", [&](const std::string& name, protocol::JsonView value) {
    options.emplace_back(name, text_of(reader, name, value));
  });
  registry::PlannedCase planned;
  try {
    planned = registry::one_case(spec, options, policy);
  } catch (const Error& error) {
    reader.fail("parameters", error.what());
  }
  if (reader.has("maximized")) planned.maximized = reader.text("maximized");
  if (!planned.maximized.empty() && !planned.configuration.has(planned.maximized))
    reader.fail("maximized", "the case has no such parameter");
  return planned;
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
    if (!plan.cases[i].maximized.empty()) one["maximized"] = plan.cases[i].maximized;
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
  const ordered_json json = protocol::parse(content_of(path), path);
  const Reader reader(json, path);
  if (argv != nullptr && reader.has("argv")) *argv = reader.texts("argv");
  Plan plan;
  plan.spec = &registry::require_workload(reader.text("workload"));
  Policy policy;
  if (reader.has("policy")) {
    const Reader policy_reader = reader.object("policy");
    policy = policy_from(policy_reader);
  }
  if (reader.has("repetitions")) plan.repetitions = reader.integer<int>("repetitions", 1);
  reader.each("cases", [&](const Reader& one) { plan.cases.push_back(case_from(one, *plan.spec, policy)); });
  if (plan.cases.empty()) reader.fail("cases", "it names no case");
  return plan;
}

}  // namespace bench::cli
