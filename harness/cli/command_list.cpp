#include <regex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/device.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/registry/registry.hpp"

namespace bench::cli {
namespace {

// Why a device cannot be used here; empty: it can.
std::string unavailable(const std::string& device) {
  try {
    choose_device(device, machine::read_machine(), own_folder());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// One line a thing, so that the pattern (and grep) can pick it; what it is called, then what it is.
std::vector<std::string> lines_of(const registry::WorkloadSpec& spec) {
  std::vector<std::string> lines{fmt::format("{:<12}{}", spec.name, spec.summary)};
  std::vector<std::pair<std::string, std::string>> things;
  std::vector<Parameter> parameters = spec.parameters;
  for (Parameter& parameter : registry::measurement_parameters(spec))
    parameters.push_back(std::move(parameter));
  for (const Parameter& parameter : parameters) {
    std::string text = parameter.help;
    if (!parameter.choices.empty()) text += ": " + join(parameter.choices, ", ");
    if (!parameter.default_value.empty()) text += fmt::format(" [{}]", parameter.default_value);
    things.emplace_back("--" + parameter.name, std::move(text));
  }
  for (const registry::Preset& preset : spec.presets)
    things.emplace_back("--preset " + preset.name,
                        preset.lacking.empty()
                            ? preset.summary
                            : fmt::format("{}; unavailable: needs {}", preset.summary, preset.lacking));
  for (const auto& [name, text] : things) lines.push_back(fmt::format("  {:<20}  {}", name, text));
  return lines;
}

nlohmann::ordered_json as_json(const registry::WorkloadSpec& spec) {
  nlohmann::ordered_json json{{"name", spec.name}, {"summary", spec.summary}};
  json["parameters"] = nlohmann::ordered_json::array();
  std::vector<Parameter> parameters = spec.parameters;
  for (Parameter& parameter : registry::measurement_parameters(spec))
    parameters.push_back(std::move(parameter));
  for (const Parameter& parameter : parameters)
    json["parameters"].push_back({{"name", parameter.name},
                                  {"help", parameter.help},
                                  {"unit", parameter.unit},
                                  {"choices", parameter.choices},
                                  {"default", parameter.default_value},
                                  {"absent_means", parameter.absent_means}});
  json["presets"] = nlohmann::ordered_json::array();
  for (const registry::Preset& preset : spec.presets) {
    nlohmann::ordered_json options = nlohmann::ordered_json::object();
    for (const auto& [name, text] : preset.options) options[name] = text;
    json["presets"].push_back({{"name", preset.name},
                               {"summary", preset.summary},
                               {"options", options},
                               {"lacking", preset.lacking}});
  }
  return json;
}

std::regex compile(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::icase);
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not a regular expression: {}", printable(pattern), error.what()));
  }
}

}  // namespace

int command_list(const ListRequest& request) {
  const std::regex pattern = compile(request.pattern);
  const auto matches = [&](const std::string& line) { return std::regex_search(line, pattern); };
  std::string text;
  nlohmann::ordered_json json{{"workloads", nlohmann::ordered_json::array()}};
  for (const registry::WorkloadSpec* spec : registry::workloads()) {
    const std::vector<std::string> lines = lines_of(*spec);
    // A workload that matches by name is shown whole; else only its lines that match.
    const bool whole = matches(lines.front());
    std::string shown;
    for (std::size_t i = 1; i < lines.size(); ++i)
      if (whole || matches(lines[i])) shown += lines[i] + "\n";
    if (!whole && shown.empty()) continue;
    text += lines.front() + "\n" + shown + "\n";
    json["workloads"].push_back(as_json(*spec));
  }
  if (text.empty())
    throw Error(ErrorKind::usage, fmt::format("nothing matches \"{}\"; `bench list` shows everything",
                                              printable(request.pattern)));

  json["devices"] = nlohmann::ordered_json::array();
  text += "Devices\n";
  for (const char* const device : {"cpu", "cuda"}) {
    const std::string why = unavailable(device);
    text += fmt::format("  {:<20}  {}\n", device, why.empty() ? "available" : "unavailable: " + why);
    json["devices"].push_back({{"name", device}, {"available", why.empty()}, {"reason", why}});
  }
  print(request.json ? protocol::dump(json, 2) + "\n" : text);
  return 0;
}

}  // namespace bench::cli
