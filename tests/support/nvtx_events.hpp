#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Reads what tests/support/nvtx_recorder.cpp wrote. A process is recorded when it starts with
//   NVTX_INJECTION64_PATH=<the library nvtx_recorder>   NVTX_RECORDER_OUTPUT=<a file, which is appended to>
namespace bench::testing {

struct NvtxEvent {
  std::string event;        // domain, string (a registration), push, pop, start, end, mark
  std::string domain;       // empty for NVTX's default domain
  std::string name;         // for pop and end: of the range that they close; empty when there is none
  bool registered = false;  // the name came as a registered string
  std::optional<std::int64_t> payload;
  int level = 0;  // push, pop: how many ranges of this thread and domain are around it; -1: nothing to pop
  std::uint64_t id = 0;  // start, end
  int process = 0;
  int thread = 0;
  std::int64_t ns = 0;  // CLOCK_MONOTONIC
};

// In the order written. `process` 0: of every process that wrote to the file.
inline std::vector<NvtxEvent> read_nvtx_events(const std::string& path, int process = 0) {
  std::vector<NvtxEvent> events;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    NvtxEvent event;
    event.event = json.at("event");
    event.domain = json.at("domain");
    event.name = json.at("name");
    event.registered = json.value("registered", false);
    if (json.contains("payload")) event.payload = json["payload"].get<std::int64_t>();
    event.level = json.value("level", 0);
    event.id = json.value("id", std::uint64_t{0});
    event.process = json.at("process");
    event.thread = json.at("thread");
    event.ns = json.at("ns");
    if (process == 0 || event.process == process) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace bench::testing
