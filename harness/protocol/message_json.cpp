#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

// ---- commands -----------------------------------------------------------------------------------

ordered_json message(const Prepare& prepare) {
  return {{"command", "prepare"},
          {"slot", prepare.slot},
          {"case", to_json(prepare.configuration)},
          {"seed", prepare.seed},
          {"cache", to_text(prepare.cache)},
          {"timing", to_text(prepare.timing)},
          {"headline", to_text(prepare.headline)},
          {"check", prepare.check},
          {"inject_fault", prepare.inject_fault},
          {"check_file", prepare.check_file}};
}

Command prepare_from(const Reader& reader) {
  reader.only({"command", "slot", "case", "seed", "cache", "timing", "headline", "check", "inject_fault",
               "check_file"});
  const Reader configuration = reader.object("case");
  return Prepare{
      .slot = reader.integer<int>("slot", 0),
      .configuration = case_from(configuration),
      .seed = reader.integer<std::uint64_t>("seed"),
      .cache = cache_from(reader),
      .timing = timing_from(reader),
      .headline = reader.choice("headline", headline_from_text, {Headline::host_time, Headline::device_time}),
      .check = reader.boolean("check"),
      .inject_fault = reader.text("inject_fault"),
      .check_file = reader.text("check_file")};
}

ordered_json message(const WriteCheck& check) {
  return {{"command", "write_check"},
          {"slot", check.slot},
          {"case", to_json(check.configuration)},
          {"seed", check.seed},
          {"path", check.path}};
}

Command write_check_from(const Reader& reader) {
  reader.only({"command", "slot", "case", "seed", "path"});
  const Reader configuration = reader.object("case");
  return WriteCheck{.slot = reader.integer<int>("slot", 0),
                    .configuration = case_from(configuration),
                    .seed = reader.integer<std::uint64_t>("seed"),
                    .path = reader.text("path")};
}

ordered_json message(const Measure& measure) {
  return {{"command", "measure"},
          {"slot", measure.slot},
          {"kind", to_text(measure.kind)},
          {"samples", measure.samples},
          {"steps_per_sample", measure.steps_per_sample}};
}

Command measure_from(const Reader& reader) {
  reader.only({"command", "slot", "kind", "samples", "steps_per_sample"});
  return Measure{
      .slot = reader.integer<int>("slot", 0),
      .kind = reader.choice("kind", sample_kind_from_text, {SampleKind::warm_up, SampleKind::measured}),
      .samples = reader.integer<int>("samples", 0),
      .steps_per_sample = reader.integer<int>("steps_per_sample", 1)};
}

ordered_json message(const RunCheck& check) {
  return {{"command", "check"}, {"slot", check.slot}};
}

Command run_check_from(const Reader& reader) {
  reader.only({"command", "slot"});
  return RunCheck{.slot = reader.integer<int>("slot", 0)};
}

ordered_json message(const Verify& verify) {
  return {{"command", "verify"}, {"slot", verify.slot}};
}

Command verify_from(const Reader& reader) {
  reader.only({"command", "slot"});
  return Verify{.slot = reader.integer<int>("slot", 0)};
}

ordered_json message(const Observe& observe) {
  return {{"command", "observe"}, {"slot", observe.slot}, {"pass", to_text(observe.pass)}};
}

Command observe_from(const Reader& reader) {
  reader.only({"command", "slot", "pass"});
  return Observe{.slot = reader.integer<int>("slot", 0),
                 .pass = reader.choice("pass", pass_from_text, {Pass::memory, Pass::trace, Pass::counters})};
}

ordered_json message(const Release& release) {
  return {{"command", "release"}, {"slot", release.slot}};
}

Command release_from(const Reader& reader) {
  reader.only({"command", "slot"});
  return Release{.slot = reader.integer<int>("slot", 0)};
}

ordered_json message(const Quit&) {
  return {{"command", "quit"}};
}

Command quit_from(const Reader& reader) {
  reader.only({"command"});
  return Quit{};
}

// ---- events -------------------------------------------------------------------------------------

ordered_json event(std::string_view name, int slot, int rank) {
  return {{"event", name}, {"slot", slot}, {"rank", rank}};
}

ordered_json message(const Hello& hello) {
  auto json = event("hello", hello.slot, hello.rank);
  json["protocol"] = hello.protocol;
  json["program"] = hello.program;
  json["build_id"] = hello.build_id;
  json["devices"] = hello.devices;
  json["libraries"] = to_json(hello.libraries);
  json["conditions"] = to_json(hello.conditions);
  json["empty_sample_ns"] = hello.empty_sample_ns;
  return json;
}

Event hello_from(const Reader& reader) {
  // Lenient: a stale worker's greeting must be read as far as its build id, by which it is refused.
  return Hello{
      .slot = reader.integer<int>("slot", 0),
      .rank = reader.integer<int>("rank", 0),
      .protocol = reader.integer<int>("protocol"),
      .program = reader.text("program"),
      .build_id = reader.text("build_id"),
      .devices = reader.texts("devices"),
      .libraries = reader.text_map("libraries"),
      .conditions = reader.text_map("conditions"),
      .empty_sample_ns = reader.has("empty_sample_ns") ? reader.integer<std::int64_t>("empty_sample_ns") : 0};
}

ordered_json message(const Prepared& prepared) {
  auto json = event("prepared", prepared.slot, prepared.rank);
  json["check"] = to_json(prepared.check);
  json["phase_names"] = prepared.phase_names;
  json["allocated_bytes"] = prepared.allocated_bytes;
  if (prepared.compile_ns) json["compile_ns"] = *prepared.compile_ns;
  return json;
}

Event prepared_from(const Reader& reader) {
  reader.only({"event", "slot", "rank", "check", "phase_names", "allocated_bytes", "compile_ns"});
  const Reader check = reader.object("check");
  Prepared prepared{.slot = reader.integer<int>("slot", 0),
                    .rank = reader.integer<int>("rank", 0),
                    .check = check_from(check),
                    .phase_names = reader.texts("phase_names"),
                    .allocated_bytes = reader.integer<std::int64_t>("allocated_bytes")};
  if (reader.has("compile_ns")) prepared.compile_ns = reader.integer<std::int64_t>("compile_ns");
  return prepared;
}

ordered_json message(const Progress& progress) {
  auto json = event("progress", progress.slot, progress.rank);
  json["phase"] = progress.phase;
  json["done"] = progress.done;
  json["total"] = progress.total;
  return json;
}

Event progress_from(const Reader& reader) {
  reader.only({"event", "slot", "rank", "phase", "done", "total"});
  return Progress{.slot = reader.integer<int>("slot", 0),
                  .rank = reader.integer<int>("rank", 0),
                  .phase = reader.text("phase"),
                  .done = reader.integer<std::int64_t>("done"),
                  .total = reader.integer<std::int64_t>("total")};
}

ordered_json message(const Samples& samples) {
  auto json = event("samples", samples.slot, samples.rank);
  json["samples"] = to_json(samples.samples);
  return json;
}

Event samples_event_from(const Reader& reader) {
  reader.only({"event", "slot", "rank", "samples"});
  return Samples{.slot = reader.integer<int>("slot", 0),
                 .rank = reader.integer<int>("rank", 0),
                 .samples = samples_from(reader, "samples")};
}

ordered_json message(const Done& done) {
  auto json = event("done", done.slot, done.rank);
  if (done.check) json["check"] = to_json(*done.check);
  if (done.memory) json["memory"] = to_json(*done.memory);
  json["counters"] = to_json(done.counters);
  if (!done.notes.empty()) json["notes"] = done.notes;
  return json;
}

Event done_from(const Reader& reader) {
  reader.only({"event", "slot", "rank", "check", "memory", "counters", "notes"});
  Done done{.slot = reader.integer<int>("slot", 0), .rank = reader.integer<int>("rank", 0)};
  if (reader.has("check")) {
    const Reader check = reader.object("check");
    done.check = check_from(check);
  }
  if (reader.has("memory")) {
    const Reader memory = reader.object("memory");
    done.memory = memory_from(memory);
  }
  done.counters = reader.real_map("counters");
  if (reader.has("notes")) done.notes = reader.texts("notes");
  return done;
}

ordered_json message(const Failed& failed) {
  auto json = event("failed", failed.slot, failed.rank);
  json["status"] = to_text(failed.status);
  json["reason"] = failed.reason;
  json["worker_unusable"] = failed.worker_unusable;
  if (failed.at_ns != 0) json["at_ns"] = failed.at_ns;
  return json;
}

Event failed_from(const Reader& reader) {
  reader.only({"event", "slot", "rank", "status", "reason", "worker_unusable", "at_ns"});
  return Failed{.slot = reader.integer<int>("slot", 0),
                .rank = reader.integer<int>("rank", 0),
                .status = status_from(reader),
                .reason = reader.text("reason"),
                .worker_unusable = reader.boolean("worker_unusable"),
                .at_ns = reader.has("at_ns") ? reader.integer<std::int64_t>("at_ns") : 0};
}

// ---- lines --------------------------------------------------------------------------------------

template <class Message>
struct Row {
  std::string_view name;
  Message (*read)(const Reader&);
};

constexpr Row<Command> kCommands[] = {{"prepare", prepare_from}, {"write_check", write_check_from},
                                      {"measure", measure_from}, {"check", run_check_from},
                                      {"verify", verify_from},   {"observe", observe_from},
                                      {"release", release_from}, {"quit", quit_from}};
constexpr Row<Event> kEvents[] = {{"hello", hello_from},       {"prepared", prepared_from},
                                  {"progress", progress_from}, {"samples", samples_event_from},
                                  {"done", done_from},         {"failed", failed_from}};

template <class Message, std::size_t N>
Message from_line(std::string_view line, const char* member, const Row<Message> (&rows)[N]) {
  try {
    const ordered_json json = parse(line, "the line");
    const Reader reader(json, "");
    const std::string& name = reader.text(member);
    for (const Row<Message>& row : rows) {
      if (row.name == name) return row.read(reader);
    }
    reader.fail(member, fmt::format("\"{}\" is unknown", name));
  } catch (const Error& error) {
    constexpr std::size_t kQuoted = 120;
    throw Error(ErrorKind::internal,
                fmt::format("cannot read the {} `{}{}`: {}", member, printable(line.substr(0, kQuoted)),
                            line.size() > kQuoted ? "..." : "", error.what()));
  }
}

template <class Message>
std::string line_of(const Message& any) {
  return dump(std::visit([](const auto& held) { return message(held); }, any));
}

}  // namespace

std::string to_line(const Command& command) {
  return line_of(command);
}
std::string to_line(const Event& event) {
  return line_of(event);
}
Command command_from_line(std::string_view line) {
  return from_line(line, "command", kCommands);
}
Event event_from_line(std::string_view line) {
  return from_line(line, "event", kEvents);
}

}  // namespace bench::protocol
