#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/protocol/json.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;
using support::error_of;
using support::example_document;

Document through_text(const Document& document) {
  return document_from_json(parse(dump(to_json(document)), "run.json"), "run.json");
}

// The sentence that reading the example gives after `edit` has damaged it.
template <class Edit>
std::string damaged(Edit&& edit) {
  ordered_json json = to_json(example_document());
  edit(json);
  return error_of(ErrorKind::usage, [&] { document_from_json(json, "run.json"); });
}

TEST(DocumentJson, EverythingSurvivesTheText) {
  EXPECT_EQ(through_text(example_document()), example_document());
  EXPECT_EQ(through_text(support::empty_document()), support::empty_document());
}

TEST(DocumentJson, CountsAbove2To53StayExact) {
  Document document = example_document();
  document.cases[0].memory->peak_allocated_bytes = 9'007'199'254'740'993;  // no double is this number
  const std::string text = dump(to_json(document));
  EXPECT_NE(text.find("\"peak_allocated_bytes\":9007199254740993,"), std::string::npos);
  EXPECT_EQ(through_text(document).cases[0].memory->peak_allocated_bytes, 9'007'199'254'740'993);
  EXPECT_EQ(through_text(document).run.seed, std::numeric_limits<std::uint64_t>::max());
}

TEST(DocumentJson, ParametersKeepTheirTypes) {
  const Case configuration{.workload = "w",
                           .values = {{"integer", std::int64_t{1}},
                                      {"real", 1.0},
                                      {"tenth", 0.1},
                                      {"text", "1"},
                                      {"least", std::numeric_limits<std::int64_t>::min()}}};
  const ordered_json json = parse(dump(to_json(configuration)), "case");
  EXPECT_EQ(case_from_json(json, "case"), configuration);
  EXPECT_EQ(json["id"], configuration.id());
}

TEST(DocumentJson, ParametersKeepTheirOrder) {
  const Case configuration{.workload = "w", .values = {{"z", std::int64_t{1}}, {"a", std::int64_t{2}}}};
  EXPECT_EQ(dump(to_json(configuration)), R"({"id":"w/z:1/a:2","workload":"w","parameters":{"z":1,"a":2}})");
}

TEST(DocumentJson, AutomaticStepsAndAbsentLimitsSurvive) {
  Document document = example_document();
  document.cases[0].policy.steps.reset();
  document.cases[0].policy.time_budget_s = std::numeric_limits<double>::infinity();
  document.cases[0].policy.timing = Timing::back_to_back;
  document.cases[0].policy.cache = CacheState::cold;
  EXPECT_EQ(through_text(document), document);
}

TEST(DocumentJson, NotANumberIsNeverWritten) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CaseResult result = example_document().cases[0];
  result.summaries[1].value = nan;
  result.summaries[2].low = infinity;
  result.summaries[2].mean = nan;
  result.work.amounts[1].per_step = infinity;
  result.counters["share"] = nan;
  result.check->items[0].error = nan;
  result.configuration.values[9].second = infinity;
  const std::string text = dump(to_json(result));
  EXPECT_EQ(text.find("null"), std::string::npos) << text;

  const CaseResult read = case_result_from_json(parse(text, "case"), "case");
  ASSERT_EQ(read.summaries.size(), result.summaries.size() - 1);
  EXPECT_EQ(read.summaries[1].metric, "forward");
  EXPECT_FALSE(read.summaries[1].low);
  EXPECT_FALSE(read.summaries[1].high);  // half an interval is none
  EXPECT_EQ(read.warnings.back().text, "step is left out: its value is not a finite number");
  EXPECT_EQ(read.work.flop(), 0);
  EXPECT_FALSE(read.counters.contains("share"));
  EXPECT_EQ(read.check->items[0].error, infinity);
  EXPECT_EQ(read.configuration.text("lr"), "inf");
}

TEST(DocumentJson, BytesThatAreNoUtf8DoNotStopTheWriting) {
  Document document = example_document();
  document.run.label = "\xc3(\xff";
  document.conditions["\xfe"] = "\x80";
  const Document read = through_text(document);
  EXPECT_EQ(read.run.label, "\xEF\xBF\xBD(\xEF\xBF\xBD");
  EXPECT_EQ(read.conditions.at("\xEF\xBF\xBD"), "\xEF\xBF\xBD");
}

TEST(DocumentJson, WhatTurnsTextAroundIsWrittenAsAnEscapeAndStaysTheSameData) {
  Document document = example_document();
  document.run.label = "\u202d“a”\u202e b\u2066c\u2069";
  const std::string text = dump(to_json(document));
  EXPECT_NE(text.find("\"label\":\"\\u202d“a”\\u202e b\\u2066c\\u2069\""), std::string::npos);
  EXPECT_EQ(through_text(document), document);
}

TEST(DocumentJson, ATypeErrorNamesTheWayToTheMember) {
  EXPECT_EQ(damaged([](auto& json) { json["cases"][1]["samples"][0]["host_ns"] = "fast"; }),
            "run.json: cases[1].samples[0].host_ns: expected an integer, found a string");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][1]["samples"][0]["host_ns"] = 1.5; }),
            "run.json: cases[1].samples[0].host_ns: expected an integer, found the number 1.5");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][1]["samples"][0]["phase_ns"][1] = nullptr; }),
            "run.json: cases[1].samples[0].phase_ns[1]: expected an integer, found null");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0] = 3; }),
            "run.json: cases[0]: expected an object, found the number 3");
  EXPECT_EQ(damaged([](auto& json) { json["cases"] = ordered_json::object(); }),
            "run.json: cases: expected an array, found an object");
  EXPECT_EQ(damaged([](auto& json) { json["run"]["argv"][1] = 7; }),
            "run.json: run.argv[1]: expected a string, found the number 7");
  EXPECT_EQ(
      damaged([](auto& json) { json["cases"][0]["parameters"]["context"] = true; }),
      "run.json: cases[0].parameters.context: expected an integer, a number or a string, found a boolean");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["memory"]["peak_by_category"]["gradients"] = "2"; }),
            "run.json: cases[0].memory.peak_by_category.gradients: expected an integer, found a string");
  EXPECT_EQ(damaged([](auto& json) { json["environment"]["libraries"]["torch"] = 2; }),
            "run.json: environment.libraries.torch: expected a string, found the number 2");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][2]["policy"]["steps"] = "many"; }),
            "run.json: cases[2].policy.steps: expected an integer or \"auto\"");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["summaries"][3]["value"] = nullptr; }),
            "run.json: cases[0].summaries[3].value: expected a number, found null");
}

TEST(DocumentJson, AnImpossibleValueIsRefused) {
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["samples"][0]["steps"] = 0; }),
            "run.json: cases[0].samples[0].steps: 0 is below 1");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["samples"][0]["phase_ns"] = {1}; }),
            "run.json: cases[0].samples[0].phase_ns: 1 entries for 3 phase names");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["status"] = "fine"; }),
            "run.json: cases[0].status: \"fine\" is none of ok, skipped, incorrect, out_of_memory, failed, "
            "timed_out, "
            "crashed");
  EXPECT_EQ(
      damaged([](auto& json) { json["cases"][0]["samples"][0]["host_ns"] = 9'223'372'036'854'775'808U; }),
      "run.json: cases[0].samples[0].host_ns: 9223372036854775808 is out of range");
}

TEST(DocumentJson, AMissingMemberIsNamed) {
  EXPECT_EQ(damaged([](auto& json) { json.erase("schema_version"); }), "run.json: schema_version: missing");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0].erase("workload"); }),
            "run.json: cases[0].workload: missing");
  EXPECT_EQ(damaged([](auto& json) { json["cases"][0]["summaries"][0].erase("unit"); }),
            "run.json: cases[0].summaries[0].unit: missing");
}

// A reader that forgets a member would pass every test above.
TEST(DocumentJson, EveryMemberButTheOptionalOnesIsRequired) {
  const ordered_json whole = to_json(example_document());
  const auto required = [&](const std::string& pointer, std::initializer_list<std::string_view> optional) {
    for (const auto& [name, value] : whole.at(ordered_json::json_pointer(pointer)).items()) {
      ordered_json json = whole;
      json.at(ordered_json::json_pointer(pointer)).erase(name);
      const bool is_optional = std::find(optional.begin(), optional.end(), name) != optional.end();
      if (is_optional) {
        EXPECT_NO_THROW(document_from_json(json, "run.json")) << pointer << "/" << name;
      } else {
        EXPECT_NE(error_of(ErrorKind::usage, [&] { document_from_json(json, "run.json"); })
                      .find(name + ": missing"),
                  std::string::npos)
            << pointer << "/" << name;
      }
    }
  };
  required("", {});
  required("/run", {});
  required("/environment", {});
  required("/cases/0", {"id", "stop_reason", "first_step_ns", "check", "verification", "memory"});
  required("/cases/0/policy", {"time_budget_s", "timeout_s"});
  required("/cases/0/samples/0", {"device_ns"});
  required("/cases/0/work", {});
  required("/cases/0/work/amounts/0", {"rate_heading"});
  required("/cases/0/check", {});
  required("/cases/0/check/items/0", {"error", "allowed"});
  required("/cases/0/memory", {"phases"});
  required("/cases/0/memory/phases/0", {});
  required("/cases/0/summaries/1",
           {"source", "low", "high", "mean", "standard_deviation", "minimum", "p10", "p90"});
}

TEST(DocumentJson, AGpusMembersAreRequiredUnlessADriverMayNotTell) {
  const ordered_json whole = to_json(support::gpu_document());
  const std::set<std::string> required{"index",
                                       "name",
                                       "uuid",
                                       "pci_bus_id",
                                       "driver_version",
                                       "cuda_driver_version",
                                       "compute_mode",
                                       "memory_total_bytes",
                                       "memory_free_bytes",
                                       "slowdowns"};
  for (const auto& [name, value] : whole["environment"]["gpus"][0].items()) {
    ordered_json json = whole;
    json["environment"]["gpus"][0].erase(name);
    if (required.contains(name)) {
      EXPECT_THROW(document_from_json(json, "run.json"), Error) << name;
    } else {
      EXPECT_NO_THROW(document_from_json(json, "run.json")) << name;
    }
  }
}

TEST(DocumentJson, UnknownMembersAreIgnored) {
  ordered_json json = to_json(example_document());
  json["novelty"] = 1;
  json["run"]["novelty"] = ordered_json::array({1, 2});
  json["cases"][0]["novelty"] = nullptr;
  json["cases"][0]["samples"][0]["novelty"] = "x";
  EXPECT_EQ(document_from_json(json, "run.json"), example_document());
}

TEST(DocumentJson, ANewerSchemaIsRefusedBeforeItsMembersAreRead) {
  EXPECT_EQ(damaged([](auto& json) {
              json = {{"schema_version", 3}};
            }),
            "run.json: written by a newer bench (schema 3; this one reads 2): update this bench");
}

}  // namespace
}  // namespace bench::protocol
