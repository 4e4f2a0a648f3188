#include "harness/protocol/older_documents.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/document_text.hpp"
#include "harness/protocol/json.hpp"

// What bench wrote before its numbers had types.
namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

std::string schema_1_text() {
  std::ifstream file(BENCH_SOURCE_DIR "/tests/golden/schema-1/model-cuda.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

ordered_json schema_1_case() {
  return parse(schema_1_text(), "run.json")["cases"][0];
}

CaseResult read(const ordered_json& json) {
  return case_result_from_json(json, "case");
}

const Summary& named(const CaseResult& result, const std::string& metric) {
  return *find_summary(result, metric);
}

TEST(OlderDocuments, NumbersGetKindsAndHeadings) {
  const CaseResult result = read(schema_1_case());
  std::vector<std::string> told;
  for (const Summary& summary : result.summaries)
    told.push_back(summary.heading + ": " + std::string(to_text(summary.kind)));
  EXPECT_EQ(told, (std::vector<std::string>{"parameters: count", "step: time", "forward: time",
                                            "backward: time", "optimizer: time", ": rate", "model: rate",
                                            "MFU: share", "peak allocated: memory"}));
}

TEST(OlderDocuments, TimesGetTheClockOfWhichTheyAreTheMedian) {
  ordered_json json = schema_1_case();
  CaseResult result = read(json);
  EXPECT_EQ(named(result, "step").source, TimeSource{TimeSource::Kind::host});
  EXPECT_EQ(named(result, "forward").source, (TimeSource{TimeSource::Kind::phase, 0}));
  EXPECT_EQ(named(result, "optimizer").source, (TimeSource{TimeSource::Kind::phase, 2}));
  EXPECT_FALSE(named(result, "tokens_per_second").source);
  EXPECT_FALSE(named(result, "peak_allocated").source);

  json["summaries"][1]["value"] = 40e6 - 10e3;  // the device's times in this document
  json["summaries"][2]["value"] = 1;
  result = read(json);
  EXPECT_EQ(named(result, "step").source, TimeSource{TimeSource::Kind::device});
  EXPECT_FALSE(named(result, "forward").source) << "no samples say this";
}

TEST(OlderDocuments, MemoryIsToldFromTrafficByItsName) {
  const auto kind = [](const std::string& metric, const std::string& unit) {
    Summary summary{.metric = metric, .unit = unit};
    add_type(summary);
    return summary.kind;
  };
  EXPECT_EQ(kind("bwd_mem_before_backward", "bytes"), Quantity::memory);
  EXPECT_EQ(kind("bwd_mem_before_backward_scores", "1"), Quantity::count);
  EXPECT_EQ(kind("bytes_moved", "bytes"), Quantity::traffic);
  EXPECT_EQ(kind("kernels", "1"), Quantity::kernels);
  EXPECT_EQ(kind("items_per_second", "items/s"), Quantity::rate);
}

TEST(OlderDocuments, WorkBecomesAmounts) {
  ordered_json json = schema_1_case();
  json["work"]["bytes_sent"] = 8;
  EXPECT_EQ(read(json).work.amounts, (std::vector{amounts::tokens(1024), amounts::model_flop(790'274'506'752),
                                                  amounts::bytes_sent(8)}));
}

TEST(OlderDocuments, TextsGetTheCodesThatReportsAndResumingAskFor) {
  ordered_json json = schema_1_case();
  CaseResult result = read(json);
  EXPECT_EQ(result.stop_reason.code, RemarkCode::steps_taken);
  EXPECT_EQ(result.stop_reason.text, "10 steps done");
  EXPECT_EQ(result.notes.at(0).code, RemarkCode::power_capped);
  EXPECT_EQ(result.notes.at(1).code, RemarkCode::said);
  EXPECT_TRUE(result.reason.empty());

  json["stop_reason"] = "time budget of 60 s used: 4 steps, 10 asked for";
  json["warnings"] = {"1 of 10 samples lie outside Tukey's fences (kept): the slowest took 2 s", "odd"};
  json["status"] = "out_of_memory";
  json["reason"] = "predicted 51.3 GiB (parameters 12.7 GiB), and 22.4 GiB can be had";
  result = read(json);
  EXPECT_EQ(result.stop_reason.code, RemarkCode::budget_used);
  EXPECT_EQ(result.warnings.at(0).code, RemarkCode::outliers);
  EXPECT_EQ(result.warnings.at(1).code, RemarkCode::said);
  EXPECT_EQ(result.reason.code, RemarkCode::said) << "it has samples: it was tried";
  json["samples"] = ordered_json::array();
  EXPECT_EQ(read(json).reason.code, RemarkCode::predicted_not_to_fit);
}

// As a document, and as a journal that a later bench has gone on with.
TEST(OlderDocuments, AreReadBesideNewOnes) {
  const std::string text = schema_1_text();
  const Document document = document_from_text(read_document_text(text, "run.json"), "run.json");
  ASSERT_EQ(document.cases.size(), 2U);
  EXPECT_EQ(document.cases[0], read(schema_1_case()));
  EXPECT_EQ(document_from_json(parse(dump(to_json(document)), "again"), "again"), document);

  ordered_json head = parse(text, "run.json");
  const ordered_json first = head["cases"][0];
  head.erase("cases");
  ordered_json run{{"kind", "run"}}, older{{"kind", "case"}};
  run.update(head);
  older.update(first);
  std::istringstream journal(dump(run) + "\n" + dump(older) + "\n" + journal_case_line(document.cases[1]) +
                             "\n");
  EXPECT_EQ(document_from_journal(journal, "cases.jsonl", nullptr).cases, document.cases);
}

}  // namespace
}  // namespace bench::protocol
