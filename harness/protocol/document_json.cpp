#include <optional>

#include <fmt/format.h>

#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const RunInfo& run) {
  ordered_json json{{"argv", run.argv},
                    {"workload", run.workload},
                    {"label", run.label},
                    {"seed", run.seed},
                    {"git_commit", run.git_commit},
                    {"build_ids", protocol::to_json(run.build_ids)},
                    {"device", run.device},
                    {"begin_utc", run.begin_utc},
                    {"end_utc", run.end_utc},
                    {"planned_cases", run.planned_cases},
                    {"complete", run.complete}};
  if (!run.measured_by.empty()) json["measured_by"] = run.measured_by;
  return json;
}

RunInfo run_from(const Reader& reader) {
  RunInfo run;
  run.argv = reader.texts("argv");
  run.workload = reader.text("workload");
  run.label = reader.text("label");
  run.seed = reader.integer<std::uint64_t>("seed");
  run.git_commit = reader.text("git_commit");
  run.build_ids = reader.text_map("build_ids");
  run.device = reader.text("device");
  run.begin_utc = reader.text("begin_utc");
  run.end_utc = reader.text("end_utc");
  run.planned_cases = reader.integer<std::int64_t>("planned_cases", 0);
  run.complete = reader.boolean("complete");
  if (reader.has("measured_by")) run.measured_by = reader.text("measured_by");
  return run;
}

ordered_json to_json(const Gpu& gpu) {
  ordered_json json{{"index", gpu.index}};
  const auto add = [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  };
  add("cuda_index", gpu.cuda_index);
  json["name"] = gpu.name;
  json["uuid"] = gpu.uuid;
  json["pci_bus_id"] = gpu.pci_bus_id;
  json["driver_version"] = gpu.driver_version;
  json["cuda_driver_version"] = gpu.cuda_driver_version;
  json["memory_total_bytes"] = gpu.memory_total_bytes;
  json["memory_free_bytes"] = gpu.memory_free_bytes;
  add("power_limit_w", gpu.power_limit_w);
  add("power_limit_default_w", gpu.power_limit_default_w);
  add("sm_clock_max_mhz", gpu.sm_clock_max_mhz);
  add("memory_clock_max_mhz", gpu.memory_clock_max_mhz);
  add("ecc", gpu.ecc);
  add("mig", gpu.mig);
  add("persistence", gpu.persistence);
  json["compute_mode"] = gpu.compute_mode;
  add("temperature_c", gpu.temperature_c);
  add("other_processes", gpu.other_processes);
  add("other_processes_bytes", gpu.other_processes_bytes);
  json["slowdowns"] = gpu.slowdowns;
  return json;
}

Gpu gpu_from(const Reader& reader) {
  const auto integer_if = [&](const char* name) {
    return reader.has(name) ? std::optional(reader.integer<std::int64_t>(name)) : std::nullopt;
  };
  const auto boolean_if = [&](const char* name) {
    return reader.has(name) ? std::optional(reader.boolean(name)) : std::nullopt;
  };
  Gpu gpu;
  gpu.index = reader.integer<std::int64_t>("index", 0);
  gpu.cuda_index = integer_if("cuda_index");
  gpu.name = reader.text("name");
  gpu.uuid = reader.text("uuid");
  gpu.pci_bus_id = reader.text("pci_bus_id");
  gpu.driver_version = reader.text("driver_version");
  gpu.cuda_driver_version = reader.text("cuda_driver_version");
  gpu.memory_total_bytes = reader.integer<std::int64_t>("memory_total_bytes");
  gpu.memory_free_bytes = reader.integer<std::int64_t>("memory_free_bytes");
  gpu.power_limit_w = reader.real_if("power_limit_w");
  gpu.power_limit_default_w = reader.real_if("power_limit_default_w");
  gpu.sm_clock_max_mhz = integer_if("sm_clock_max_mhz");
  gpu.memory_clock_max_mhz = integer_if("memory_clock_max_mhz");
  gpu.ecc = boolean_if("ecc");
  gpu.mig = boolean_if("mig");
  gpu.persistence = boolean_if("persistence");
  gpu.compute_mode = reader.text("compute_mode");
  gpu.temperature_c = integer_if("temperature_c");
  gpu.other_processes = integer_if("other_processes");
  gpu.other_processes_bytes = integer_if("other_processes_bytes");
  gpu.slowdowns = reader.texts("slowdowns");
  return gpu;
}

ordered_json to_json(const Environment& environment) {
  ordered_json json{{"host_os", environment.host_os},
                    {"cpu_model", environment.cpu_model},
                    {"cpus_online", environment.cpus_online},
                    {"cpus_allowed", environment.cpus_allowed},
                    {"virtual_machine", environment.virtual_machine},
                    {"memory_total_bytes", environment.memory_total_bytes},
                    {"memory_available_bytes", environment.memory_available_bytes},
                    {"libraries", protocol::to_json(environment.libraries)},
                    {"variables", protocol::to_json(environment.variables)},
                    {"facts", protocol::to_json(environment.facts)}};
  if (!environment.gpus.empty()) json["gpus"] = ordered_json::array();
  for (const Gpu& gpu : environment.gpus) json["gpus"].push_back(to_json(gpu));
  return json;
}

Environment environment_from(const Reader& reader) {
  Environment environment;
  environment.host_os = reader.text("host_os");
  environment.cpu_model = reader.text("cpu_model");
  environment.cpus_online = reader.integer<std::int64_t>("cpus_online");
  environment.cpus_allowed = reader.integer<std::int64_t>("cpus_allowed");
  environment.virtual_machine = reader.boolean("virtual_machine");
  environment.memory_total_bytes = reader.integer<std::int64_t>("memory_total_bytes");
  environment.memory_available_bytes = reader.integer<std::int64_t>("memory_available_bytes");
  environment.libraries = reader.text_map("libraries");
  environment.variables = reader.text_map("variables");
  environment.facts = reader.text_map("facts");
  if (reader.has("gpus"))
    reader.each("gpus", [&](const Reader& item) { environment.gpus.push_back(gpu_from(item)); });
  return environment;
}

}  // namespace

void add_head(ordered_json& json, const Document& document) {
  json["schema_version"] = kSchemaVersion;
  json["method_version"] = document.method_version;
  json["run"] = to_json(document.run);
  json["environment"] = to_json(document.environment);
  json["conditions"] = protocol::to_json(document.conditions);
}

void refuse_newer(const Reader& reader) {
  const int version = reader.integer<int>("schema_version", 1);
  if (version > kSchemaVersion) {
    reader.fail("", fmt::format("written by a newer bench (schema {}; this one reads {}): update this bench",
                                version, kSchemaVersion));
  }
}

Document head_from(const Reader& reader) {
  Document document;
  refuse_newer(reader);
  document.method_version = reader.integer<int>("method_version", 1);
  const Reader run = reader.object("run");
  document.run = run_from(run);
  const Reader environment = reader.object("environment");
  document.environment = environment_from(environment);
  document.conditions = reader.text_map("conditions");
  return document;
}

// ---- one file -----------------------------------------------------------------------------------

ordered_json to_json(const Document& document) {
  auto json = ordered_json::object();
  add_head(json, document);
  auto cases = ordered_json::array();
  for (const CaseResult& result : document.cases) cases.push_back(to_json(result));
  json["cases"] = std::move(cases);
  return json;
}

Document document_from_json(const ordered_json& json, const std::string& where) {
  const Reader reader(json, where);
  Document document = head_from(reader);
  SeenCases seen;
  reader.each("cases", [&](const Reader& item) {
    document.cases.push_back(case_result_from(item));
    seen.require_new(document.cases.back(), item);
  });
  return document;
}

}  // namespace bench::protocol
