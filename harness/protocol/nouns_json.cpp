#include "harness/protocol/nouns_json.hpp"

#include <cmath>
#include <limits>
#include <variant>

#include "harness/protocol/json.hpp"

namespace bench::protocol {

using nlohmann::ordered_json;

// ---- Case ---------------------------------------------------------------------------------------

ordered_json value_to_json(const Value& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
    return bench::to_text(value);  // JSON has no such number, and the case must keep its name
  }
  return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

Value value_from(const Reader& reader, std::string_view member, const std::string& name,
                 const ordered_json& json) {
  const auto fail = [&](const std::string& problem) {
    reader.fail(fmt::format("{}.{}", member, name), problem);
  };
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_number()) fail("expected an integer, a number or a string, found " + found(json));
  if (!json.is_number_integer()) return json.get<double>();
  const auto integer = integer_of<std::int64_t>(json);
  if (!integer) fail(json.dump() + " is out of range");
  return *integer;
}

ordered_json to_json(const Case& configuration) {
  auto parameters = ordered_json::object();
  for (const auto& [name, value] : configuration.values) parameters[name] = value_to_json(value);
  return {{"id", configuration.id()},
          {"workload", configuration.workload},
          {"parameters", std::move(parameters)}};
}

Case case_from(const Reader& reader) {
  Case configuration;
  configuration.workload = reader.text("workload");
  reader.members("parameters", [&](const std::string& name, const ordered_json& json) {
    configuration.values.emplace_back(name, value_from(reader, "parameters", name, json));
  });
  return configuration;
}

Case case_from_json(const ordered_json& json, const std::string& where) {
  return case_from(Reader(json, where));
}

// ---- Sample -------------------------------------------------------------------------------------

ordered_json to_json(const Sample& sample) {
  ordered_json json{{"begin_ns", sample.begin_ns}, {"host_ns", sample.host_ns}};
  if (sample.device_ns) json["device_ns"] = *sample.device_ns;
  json["phase_ns"] = sample.phase_ns;
  json["steps"] = sample.steps;
  json["kind"] = to_text(sample.kind);
  json["rank"] = sample.rank;
  return json;
}

ordered_json to_json(const std::vector<Sample>& samples) {
  auto json = ordered_json::array();
  for (const Sample& sample : samples) json.push_back(to_json(sample));
  return json;
}

Sample sample_from(const Reader& reader) {
  Sample sample;
  sample.begin_ns = reader.integer<std::int64_t>("begin_ns");
  sample.host_ns = reader.integer<std::int64_t>("host_ns");
  if (reader.has("device_ns")) sample.device_ns = reader.integer<std::int64_t>("device_ns");
  sample.phase_ns = reader.integers("phase_ns");
  sample.steps = reader.integer<int>("steps", 1);
  sample.kind = reader.choice("kind", sample_kind_from_text,
                              {SampleKind::warm_up, SampleKind::measured, SampleKind::replaced});
  sample.rank = reader.integer<int>("rank", 0);
  return sample;
}

std::vector<Sample> samples_from(const Reader& reader, std::string_view name) {
  std::vector<Sample> samples;
  reader.each(name, [&](const Reader& item) { samples.push_back(sample_from(item)); });
  return samples;
}

// ---- Check, MemoryReport ------------------------------------------------------------------------

// An error or a bound that is not finite (a loss that became NaN) is left out, and reads as one that no bound
// allows.
ordered_json to_json(const Check& check) {
  auto items = ordered_json::array();
  for (const CheckItem& item : check.items) {
    ordered_json json{{"what", item.what}};
    if (std::isfinite(item.error)) json["error"] = item.error;
    if (std::isfinite(item.allowed)) json["allowed"] = item.allowed;
    items.push_back(std::move(json));
  }
  return {{"passed", check.passed}, {"reason", check.reason}, {"items", std::move(items)}};
}

Check check_from(const Reader& reader) {
  Check check;
  check.passed = reader.boolean("passed");
  check.reason = reader.text("reason");
  reader.each("items", [&](const Reader& item) {
    check.items.push_back({.what = item.text("what"),
                           .error = item.real_if("error").value_or(std::numeric_limits<double>::infinity()),
                           .allowed = item.real_if("allowed").value_or(0)});
  });
  return check;
}

ordered_json to_json(const MemoryReport& memory) {
  auto categories = ordered_json::object();
  for (const auto& [name, bytes] : memory.peak_by_category) categories[name] = bytes;
  ordered_json json{{"before_bytes", memory.before_bytes},
                    {"peak_allocated_bytes", memory.peak_allocated_bytes},
                    {"peak_by_category", std::move(categories)}};
  for (const PhaseMemory& phase : memory.phases)
    json["phases"].push_back({{"phase", phase.phase},
                              {"before_bytes", phase.before_bytes},
                              {"peak_allocated_bytes", phase.peak_allocated_bytes}});
  return json;
}

MemoryReport memory_from(const Reader& reader) {
  MemoryReport memory;
  memory.before_bytes = reader.integer<std::int64_t>("before_bytes");
  memory.peak_allocated_bytes = reader.integer<std::int64_t>("peak_allocated_bytes");
  const Reader categories = reader.object("peak_by_category");
  reader.members("peak_by_category", [&](const std::string& name, const ordered_json&) {
    memory.peak_by_category.emplace_back(name, categories.integer<std::int64_t>(name));
  });
  if (reader.has("phases"))
    reader.each("phases", [&](const Reader& phase) {
      memory.phases.push_back({.phase = phase.text("phase"),
                               .before_bytes = phase.integer<std::int64_t>("before_bytes"),
                               .peak_allocated_bytes = phase.integer<std::int64_t>("peak_allocated_bytes")});
    });
  return memory;
}

// ---- small things -------------------------------------------------------------------------------

ordered_json to_json(const std::map<std::string, double>& values) {
  auto json = ordered_json::object();
  for (const auto& [name, value] : values) {
    if (std::isfinite(value)) json[name] = value;
  }
  return json;
}

ordered_json to_json(const std::map<std::string, std::string>& values) {
  auto json = ordered_json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

CacheState cache_from(const Reader& reader) {
  return reader.choice("cache", cache_state_from_text, {CacheState::hot, CacheState::cold});
}

Timing timing_from(const Reader& reader) {
  return reader.choice("timing", timing_from_text, {Timing::blocking, Timing::back_to_back, Timing::graph});
}

Status status_from(const Reader& reader) {
  return reader.choice("status", status_from_text,
                       {Status::ok, Status::skipped, Status::incorrect, Status::out_of_memory, Status::failed,
                        Status::timed_out, Status::crashed});
}

}  // namespace bench::protocol
