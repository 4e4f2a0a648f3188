#include "reports/formats.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::reports {
namespace {

nlohmann::ordered_json exported(const std::string& format, const Document& document) {
  return protocol::parse(format_named(format).render(document), format);
}

// Each entry's `member`, once.
std::vector<std::string> distinct(const nlohmann::ordered_json& entries, const std::string& member) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) {
    const std::string text = entry[member].get<std::string>();
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return texts;
}

TEST(Formats, ExportsKeepProcessesApart) {
  const Document document = support::gpu_document();  // one case in two processes
  const std::string id = document.cases[0].configuration.id();
  const auto rates = exported("github-action-benchmark-rates", document);
  EXPECT_EQ(distinct(rates, "name").size(), rates.size());
  EXPECT_EQ(rates[0]["name"], id + " tokens_per_second");
  EXPECT_EQ(rates[3]["name"], id + " process 1 tokens_per_second");

  const auto rows = exported("google-benchmark", document)["benchmarks"];
  const std::vector<std::string> names = distinct(rows, "name");
  EXPECT_EQ(names[0], id);
  EXPECT_EQ(names[names.size() / 2], id + "/process:1");
  EXPECT_EQ(std::ranges::count(rows, nlohmann::ordered_json(id), [](const auto& row) { return row["name"]; }),
            10);

  const auto states = exported("nvbench", document)["benchmarks"][0]["states"];
  EXPECT_EQ(distinct(states, "name"),
            (std::vector<std::string>{"Device=0 repetition=0", "Device=0 repetition=1"}));
}

TEST(Formats, NamesForGithubAreUniqueWhateverADocumentHolds) {
  Document document = support::example_document();
  document.cases[0].summaries.push_back(document.cases[0].summaries[1]);
  document.cases[0].summaries.back().unit = "bytes";
  const auto entries = exported("github-action-benchmark", document);
  EXPECT_EQ(distinct(entries, "name").size(), entries.size());
}

// A step that the clock cannot see is a result.
TEST(Formats, ATimeOfZeroIsExported) {
  Document document = support::example_document();
  document.cases.resize(1);
  CaseResult& result = document.cases[0];
  for (Sample& sample : result.samples) sample.host_ns = 0;
  for (Summary& summary : result.summaries)
    if (summary.kind == Quantity::time) summary.value = 0;
  EXPECT_EQ(exported("google-benchmark", document)["benchmarks"][0]["real_time"], 0);
  EXPECT_EQ(exported("google-benchmark", document)["benchmarks"][0]["name"], result.configuration.id());
  EXPECT_EQ(exported("github-action-benchmark", document)[0]["value"], 0);
  EXPECT_EQ(exported("nvbench", document)["benchmarks"][0]["states"][0]["summaries"][0]["data"][0]["value"],
            "0");
}

// libbenchmark writes counters beside a row's own members.
TEST(Formats, ACounterCalledAsAMemberOfARowIsKept) {
  Document document = support::example_document();
  document.cases[0].summaries.push_back({.metric = "threads", .unit = "1", .value = 8});
  const auto row = exported("google-benchmark", document)["benchmarks"][0];
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["threads-2"], 8);
}

TEST(Formats, AreFoundByName) {
  for (const Format& format : formats()) {
    EXPECT_EQ(&format_named(format.name), &format);
    EXPECT_FALSE(format.summary.empty());
  }
}

TEST(Formats, AnUnknownNameIsToldTheNearest) {
  EXPECT_EQ(support::error_of(ErrorKind::usage, [] { format_named("markdwon"); }),
            "unknown format \"markdwon\"; did you mean markdown?");
}

// nvbench calls the device's times its own: of two ranks a step is one sample, as long as the slower.
TEST(Formats, NvbenchTakesTheSlowestRanksDeviceTime) {
  Document document = support::example_document();
  CaseResult& result = document.cases.front();
  result.samples.clear();
  for (const std::int64_t slower : {3000, 5000})
    for (const int rank : {0, 1})
      result.samples.push_back({.host_ns = 9000, .device_ns = rank == 0 ? slower : 1000, .rank = rank});
  const auto json = nlohmann::json::parse(format_named("nvbench").render(document));
  for (const auto& summary : json["benchmarks"][0]["states"][0]["summaries"])
    if (summary["tag"] == "nv/cold/time/gpu/median") {
      EXPECT_EQ(summary["data"][0]["value"], "4e-06") << summary;
      return;
    }
  FAIL() << json["benchmarks"][0]["states"][0]["summaries"];
}

// Whatever a document holds, each printer gives text that ends its line and holds no control character but
// newlines.
TEST(Formats, NoneIsMovedByHostileText) {
  const std::string hostile = "\x1b]0;x\x07|`<script>\r\n=1+1,\"\xff\xc2\x85\u202e\u2066";
  Document document = support::example_document();
  document.run.label = document.run.workload = document.run.device = document.run.git_commit = hostile;
  document.run.argv = {hostile};
  document.run.begin_utc = hostile;
  document.run.build_ids = {{hostile, hostile}};
  document.environment.cpu_model = document.environment.host_os = hostile;
  document.environment.libraries = {{hostile, hostile}};
  Gpu gpu;
  gpu.cuda_index = 0;
  gpu.name = gpu.driver_version = hostile;
  document.environment.gpus = {gpu};
  document.conditions = {{hostile, hostile}};
  for (CaseResult& result : document.cases) {
    result.configuration.workload = hostile;
    result.configuration.values.emplace_back(hostile, hostile);
    result.reason = result.stop_reason = said(hostile);
    result.warnings = result.notes = {said(hostile)};
    if (result.check) result.check->items.push_back({hostile, 1, 0});
    for (Summary& summary : result.summaries) summary.metric = summary.heading = summary.unit = hostile;
  }
  for (const Format& format : formats()) {
    const std::string text = format.render(document);
    EXPECT_EQ(text.back(), '\n') << format.name;
    EXPECT_EQ(text.find_first_of("\x1b\x07\xff"), std::string::npos) << format.name;
    for (const char* direction : {"\u202e", "\u2066"})
      EXPECT_EQ(text.find(direction), std::string::npos) << format.name;
    if (format.name == "markdown") {
      // Only code, where it is inert, may hold a tag.
      for (std::size_t at = text.find("<script"); at != text.npos; at = text.find("<script", at + 1)) {
        EXPECT_NE(text.substr(text.rfind('\n', at), at - text.rfind('\n', at)).find("``"), text.npos);
      }
    }
  }
}

// A file that a disk or a person has damaged is refused in words, or read and printed; nothing else happens.
TEST(Formats, ADamagedDocumentIsRefusedOrPrinted) {
  const std::string whole = format_named("json").render(support::example_document());
  std::mt19937 random(20'261'130);
  int refused = 0, printed = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (int i = 0; i <= round % 3; ++i) {
      // Any byte for any other is mostly refused; a digit for another is mostly another document.
      const bool digits = round % 2 == 0;
      std::size_t at = random() % text.size();
      while (digits && (text[at] < '0' || text[at] > '9')) at = (at + 1) % text.size();
      text[at] = digits ? "0123456789-."[random() % 12] : static_cast<char>(random() % 256);
    }
    try {
      const Document document = protocol::document_from_json(protocol::parse(text, "run.json"), "run.json");
      for (const Format& format : formats()) EXPECT_FALSE(format.render(document).empty());
      ++printed;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(printed, 50);
}

TEST(Formats, ADocumentOfNothingIsPrinted) {
  for (const Format& format : formats()) EXPECT_FALSE(format.render(Document{}).empty()) << format.name;
}

}  // namespace
}  // namespace bench::reports
