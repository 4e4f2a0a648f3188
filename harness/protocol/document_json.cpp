#include <algorithm>
#include <future>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <variant>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/document_text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const RunInfo& run) {
  return {{"argv", run.argv},
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

// Everything but the cases.
void add_head(ordered_json& json, const Document& document) {
  json["schema_version"] = document.schema_version;
  json["method_version"] = document.method_version;
  json["run"] = to_json(document.run);
  json["environment"] = to_json(document.environment);
  json["conditions"] = protocol::to_json(document.conditions);
}

int refuse_newer(const Reader& reader) {
  const int version = reader.integer<int>("schema_version", 1);
  if (version > kSchemaVersion) {
    reader.fail("", fmt::format("written by a newer bench (schema {}; this one reads {}): update this bench",
                                version, kSchemaVersion));
  }
  return version;
}

// A case may be in a document once a repetition.
class SeenCases {
 public:
  void add(const CaseResult& result, const Reader& reader) {
    if (!seen_.emplace(result.configuration.id(), result.repetition).second)
      reader.fail("", fmt::format("the case {} was there already", result.configuration.id()));
  }

 private:
  std::set<std::pair<std::string, int>> seen_;
};

Document head_from(const Reader& reader) {
  Document document;
  document.schema_version = refuse_newer(reader);
  document.method_version = reader.integer<int>("method_version", 1);
  const Reader run = reader.object("run");
  document.run = run_from(run);
  const Reader environment = reader.object("environment");
  document.environment = environment_from(environment);
  document.conditions = reader.text_map("conditions");
  return document;
}

}  // namespace

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
    seen.add(document.cases.back(), item);
  });
  return document;
}

DocumentText read_document_text(std::string_view text, const std::string& where) {
  DocumentText read;
  SeenCases seen;
  read.head = parse_streaming(
      text, where, "cases", [&](const ordered_json& before, const ordered_json& element, std::size_t index) {
        const Reader reader(before, where);
        if (index == 0 && reader.has("schema_version")) refuse_newer(reader);
        const Reader item = reader.item("cases", index, element);
        read.cases.push_back(case_result_from(item));
        seen.add(read.cases.back(), item);
      });
  return read;
}

Document document_from_text(DocumentText&& text, const std::string& where) {
  Document document = document_from_json(text.head, where);  // its cases are what is no object
  document.cases = std::move(text.cases);
  return document;
}

// ---- journal ------------------------------------------------------------------------------------

std::string journal_header_line(const Document& document) {
  ordered_json json{{"kind", "run"}};
  add_head(json, document);
  return dump(json);
}

std::string journal_case_line(const CaseResult& result) {
  ordered_json json{{"kind", "case"}};
  json.update(to_json(result));
  return dump(json);
}

namespace {

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
};

// Those with anything on them.
std::vector<Line> lines_of(std::istream& journal) {
  std::vector<Line> lines;
  Line line;
  while (std::getline(journal, line.text)) {
    ++line.number;
    if (line.text.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

struct NoJson {};  // a torn line, if it is the last one
using Entry = std::variant<NoJson, CaseResult, Document>;

enum class Place { first, between, last };

Entry entry_from(const Line& line, const std::string& where, Place place) {
  const std::string here = fmt::format("{}: line {}", where, line.number);
  ordered_json json;
  try {
    json = parse(line.text, here);
  } catch (const Error&) {
    if (place == Place::last) return NoJson{};
    throw;
  }
  const Reader reader(json, here);
  const std::string& kind = reader.text("kind");
  if (kind == "run") return head_from(reader);
  if (kind == "case" && place != Place::first) return case_result_from(reader);
  reader.fail("kind",
              fmt::format("expected \"{}\", found \"{}\"", place == Place::first ? "run" : "case", kind));
}

// Of all lines, in order. Each processor reads a part: a journal of 10,000 cases has 40 MB.
std::vector<Entry> entries_of(const std::vector<Line>& lines, const std::string& where) {
  std::vector<Entry> entries(lines.size());
  const auto read = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      entries[i] = entry_from(lines[i], where,
                              i == 0                  ? Place::first
                              : i + 1 == lines.size() ? Place::last
                                                      : Place::between);
  };
  constexpr std::size_t kWorthAThread = 500;
  const std::size_t parts = std::clamp<std::size_t>(lines.size() / kWorthAThread, 1,
                                                    std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(
        std::async(std::launch::async, read, lines.size() * part / parts, lines.size() * (part + 1) / parts));
  read(0, lines.size() / parts);
  for (std::future<void>& other : others) other.get();  // in order: the first error is the one that is told
  return entries;
}

}  // namespace

Document document_from_journal(std::istream& journal, const std::string& where,
                               std::vector<std::string>* notes) {
  const std::vector<Line> lines = lines_of(journal);
  if (lines.empty())
    throw Error(ErrorKind::usage, printable(where) + " is empty: the run ended before it had begun");

  Document document;
  std::map<std::pair<std::string, int>, std::size_t> index_of;  // by id and repetition
  std::size_t number = 0;
  for (Entry& entry : entries_of(lines, where)) {
    const std::string here = fmt::format("{}: line {}", printable(where), lines[number++].number);
    if (auto* head = std::get_if<Document>(&entry)) {
      head->cases = std::move(document.cases);
      document = std::move(*head);
    } else if (auto* result = std::get_if<CaseResult>(&entry)) {
      const auto [known, is_new] =
          index_of.emplace(std::pair(result->configuration.id(), result->repetition), document.cases.size());
      if (is_new)
        document.cases.push_back(std::move(*result));
      else
        document.cases[known->second] = std::move(*result);
    } else if (notes != nullptr) {
      notes->push_back(here + " is torn (the run was killed while writing it) and is left out");
    }
  }
  document.run.complete = false;
  return document;
}

}  // namespace bench::protocol
