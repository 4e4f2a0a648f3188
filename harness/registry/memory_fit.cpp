#include "harness/registry/memory_fit.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::registry {
namespace {

Case with(const Case& configuration, std::string_view parameter, std::int64_t value) {
  Case changed = configuration;
  changed.set(parameter, value);
  return changed;
}

// Below what the case has; predicted to fit outright.
std::optional<std::int64_t> smaller_that_fits(const WorkloadSpec& spec, const Case& configuration,
                                              const Parameter& parameter, const MemoryRoom& room) {
  for (const std::int64_t value : powers_of_two(parameter)) {
    if (value >= configuration.integer(parameter.name)) continue;
    const Case smaller = with(configuration, parameter.name, value);
    if (!is_possible(spec, smaller)) continue;
    const auto prediction = predict_memory(spec, smaller, room.device);
    if (prediction && prediction->peak_bytes() <= room.bytes) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MemoryPrediction> predict_memory(const WorkloadSpec& spec, const Case& configuration,
                                               const std::string& device) {
  if (!spec.memory) return std::nullopt;
  return spec.memory(configuration, device);
}

bool cannot_fit(const std::optional<MemoryPrediction>& prediction, const MemoryRoom& room) {
  return prediction && room.bytes > 0 &&
         static_cast<double>(prediction->peak_bytes()) > kMemoryDoubt * static_cast<double>(room.bytes);
}

Remark explain_misfit(const WorkloadSpec& spec, const Case& configuration, const MemoryPrediction& prediction,
                      const MemoryRoom& room) {
  std::vector<std::string> parts, tried, remedies;
  for (const auto& [category, bytes] : prediction.peak_by_category)
    if (bytes > 0) parts.push_back(fmt::format("{} {}", category, format_bytes(bytes)));
  for (const Parameter& parameter : spec.parameters) {
    if (!parameter.has_max || !configuration.has(parameter.name)) continue;
    tried.push_back("--" + parameter.name);
    if (const auto value = smaller_that_fits(spec, configuration, parameter, room))
      remedies.push_back(fmt::format("--{} {}", parameter.name, *value));
  }
  RemarkValues values{{"predicted_bytes", prediction.peak_bytes()},
                      {"categories", join(parts, ", ")},
                      {"room_bytes", room.bytes}};
  if (!remedies.empty())
    values.emplace_back("smaller", join(remedies, " or "));
  else if (!tried.empty())
    values.emplace_back("tried", join(tried, " and no "));
  return remark(RemarkCode::predicted_not_to_fit, std::move(values));
}

std::vector<std::int64_t> powers_of_two(const Parameter& parameter) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = std::int64_t{1} << 62; power >= 1; power /= 2) {
    const auto value = static_cast<double>(power);
    if (value >= parameter.minimum && value <= parameter.maximum) powers.push_back(power);
  }
  return powers;
}

bool is_possible(const WorkloadSpec& spec, const Case& configuration) {
  return !spec.validate || spec.validate(configuration).empty();
}

}  // namespace bench::registry
