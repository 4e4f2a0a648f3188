#include "reports/compare/differences.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/core/text.hpp"

namespace bench::reports {
namespace {

class Finder {
 public:
  Finder(const Side& base, const Side& other) : base_(base), other_(other) {}

  void compare(const std::string& what, const std::string& in_base, const std::string& in_other,
               std::vector<std::string>& found) const {
    if (in_base == in_other) return;
    found.push_back(fmt::format("{} is {} in {} and {} in {}", what, shown(in_base), base_.name,
                                shown(in_other), other_.name));
  }

  void compare(const std::map<std::string, std::string>& in_base,
               const std::map<std::string, std::string>& in_other, std::vector<std::string>& found) const {
    std::set<std::string> names;
    for (const auto& [name, value] : in_base) names.insert(name);
    for (const auto& [name, value] : in_other) names.insert(name);
    for (const std::string& name : names) compare(name, of(in_base, name), of(in_other, name), found);
  }

  static std::string of(const std::map<std::string, std::string>& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  }

 private:
  static std::string shown(const std::string& value) { return value.empty() ? "not set" : value; }

  const Side& base_;
  const Side& other_;
};

std::string kind_of(const std::string& device) {
  return device.substr(0, device.find(':'));
}

// The processor that the times are of.
std::string hardware(const Document& document) {
  if (kind_of(document.run.device) != "cuda") return document.environment.cpu_model;
  const Gpu* gpu = used_gpu(document.environment, document.run.device);
  return gpu == nullptr ? "" : gpu->name;
}

std::string limit_of(const Gpu& gpu) {
  return gpu.power_limit_w ? fmt::format("{} W", *gpu.power_limit_w) : "";
}

}  // namespace

Differences differences(const Side& base, const Side& other) {
  const Document& a = *base.document;
  const Document& b = *other.document;
  const Finder finder(base, other);
  Differences result;
  finder.compare("the method version", fmt::format("{}", a.method_version),
                 fmt::format("{}", b.method_version), result.refused);
  finder.compare("the device", kind_of(a.run.device), kind_of(b.run.device), result.refused);
  if (result.refused.empty()) finder.compare("the processor", hardware(a), hardware(b), result.refused);
  finder.compare(a.conditions, b.conditions, result.refused);
  for (const Side* side : {&base, &other}) {
    const std::string profiler = Finder::of(side->document->conditions, "profiler");
    if (!profiler.empty())
      result.refused.push_back(fmt::format("{} was measured under {}", side->name, profiler));
  }

  finder.compare(a.environment.libraries, b.environment.libraries, result.noted);
  finder.compare("the operating system", a.environment.host_os, b.environment.host_os, result.noted);
  finder.compare("the number of usable CPUs", fmt::format("{}", a.environment.cpus_allowed),
                 fmt::format("{}", b.environment.cpus_allowed), result.noted);
  finder.compare("the CPU governor", Finder::of(a.environment.facts, "governor"),
                 Finder::of(b.environment.facts, "governor"), result.noted);
  finder.compare("the seed", fmt::format("{}", a.run.seed), fmt::format("{}", b.run.seed), result.noted);
  const Gpu* gpu_a = used_gpu(a.environment, a.run.device);
  const Gpu* gpu_b = used_gpu(b.environment, b.run.device);
  if (gpu_a != nullptr && gpu_b != nullptr) {
    finder.compare("the GPU driver", gpu_a->driver_version, gpu_b->driver_version, result.noted);
    finder.compare("the GPU's power limit", limit_of(*gpu_a), limit_of(*gpu_b), result.noted);
  }
  for (const Side* side : {&base, &other}) {
    const RunInfo& run = side->document->run;
    if (!run.complete)
      result.noted.push_back(fmt::format("{} is incomplete: {} of {} planned cases are in it", side->name,
                                         side->document->cases.size(), run.planned_cases));
  }
  return result;
}

}  // namespace bench::reports
