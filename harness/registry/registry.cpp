#include "harness/registry/registry.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::registry {
namespace {

// Function-local statics: registrations run before main in an order that nobody chose.
std::vector<std::unique_ptr<const WorkloadSpec>>& owned() {
  static std::vector<std::unique_ptr<const WorkloadSpec>> specs;
  return specs;
}

std::vector<const WorkloadSpec*>& sorted() {
  static std::vector<const WorkloadSpec*> specs;
  return specs;
}

}  // namespace

Registration::Registration(WorkloadSpec spec) {
  owned().push_back(std::make_unique<const WorkloadSpec>(std::move(spec)));
  auto& specs = sorted();
  specs.push_back(owned().back().get());
  std::sort(specs.begin(), specs.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
}

const std::vector<const WorkloadSpec*>& workloads() {
  return sorted();
}

const WorkloadSpec* find_workload(std::string_view name) {
  for (const WorkloadSpec* spec : sorted())
    if (spec->name == name) return spec;
  return nullptr;
}

const WorkloadSpec& require_workload(std::string_view name) {
  if (const WorkloadSpec* spec = find_workload(name)) return *spec;
  std::vector<std::string> names;
  for (const WorkloadSpec* spec : sorted()) names.push_back(spec->name);
  throw Error(ErrorKind::usage,
              fmt::format("there is no workload \"{}\"{}", printable(name), did_you_mean(name, names)));
}

const Preset& require_preset(const WorkloadSpec& spec, std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : spec.presets) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw Error(ErrorKind::usage, fmt::format("workload {} has no preset \"{}\"{}", spec.name, printable(name),
                                            did_you_mean(name, names)));
}

const Preset& runnable_preset(const WorkloadSpec& spec, std::string_view name) {
  const Preset& preset = require_preset(spec, name);
  if (!preset.lacking.empty())
    throw Error(ErrorKind::usage, fmt::format("preset {} needs {}", preset.name, preset.lacking));
  return preset;
}

}  // namespace bench::registry
