#include <algorithm>

#include <gtest/gtest.h>

#include "reports/results_table.hpp"

// One row a configuration, with each mode's cell from its own case.
namespace bench::reports {
namespace {

using Values = std::vector<std::pair<std::string, Value>>;

CaseResult measured(Values values, double step_ms, double flop, double peak_mib) {
  CaseResult result{.configuration = {.workload = "model", .values = std::move(values)}};
  result.work.amounts = {amounts::model_flop(flop)};
  using enum Quantity;
  result.summaries = {{"parameters", "parameters", "1", count, {}, 1000},
                      {"step", "step", "ns", time, TimeSource{}, step_ms * 1e6, {}, {}, 10},
                      {"forward", "forward", "ns", time, {}, step_ms * 4e5, {}, {}, 10},
                      {"tokens_per_second", "", "tokens/s", rate, {}, 1e6 / step_ms, {}, {}, 10},
                      {"peak_allocated", "peak allocated", "bytes", memory, {}, peak_mib * (1 << 20)}};
  return result;
}
CaseResult forward(const std::string& size, double step_ms) {
  return measured({{"size", size}, {"mode", "forward"}}, step_ms, 1, 100);
}
CaseResult train(const std::string& size, double step_ms, const std::string& optimizer = "adamw") {
  return measured({{"size", size}, {"mode", "train-step"}, {"optimizer", optimizer}}, step_ms, 3, 400);
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.heading);
  return names;
}

TEST(ModeRows, ModesAreColumnsOfOneRow) {
  Document document;
  document.cases = {train("small", 30), forward("small", 10), train("large", 300), forward("large", 100)};
  const Table table = results_table(document);
  EXPECT_EQ(headings(table),
            (std::vector<std::string>{"size", "parameters", "forward", "train-step", "tokens/s (train-step)",
                                      "peak forward", "peak train-step"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"small", "1000", "10.0", "30.0", "33,333", "100", "400"}));
  EXPECT_EQ(table.rows[1],
            (std::vector<std::string>{"large", "1000", "100.0", "300.0", "3333", "100", "400"}));
  EXPECT_EQ(table.key_columns, 1u);
}

TEST(ModeRows, WhereNothingWasTimedEveryCaseSaysHowItEnded) {
  Document document;
  document.cases = {train("small", 30), forward("small", 10)};
  for (CaseResult& each : document.cases) {
    each.status = Status::out_of_memory;
    each.summaries.clear();
  }
  const Table table = results_table(document);
  EXPECT_EQ(headings(table), (std::vector<std::string>{"mode", "status"}));
  EXPECT_EQ(table.rows, (std::vector<std::vector<std::string>>{{"train-step", "out of memory"},
                                                               {"forward", "out of memory"}}));
}

// attention's memory: other metrics in each mode.
TEST(ModeRows, EveryModesOwnNumbersHaveAColumnOfTheirName) {
  Document document;
  for (const char* size : {"small", "large"})
    document.cases.insert(document.cases.end(), {train(size, 30), forward(size, 10)});
  for (CaseResult& each : document.cases) {
    const bool is_forward = each.configuration.text("mode") == "forward";
    each.summaries.push_back({.metric = "fwd_peak_mem_scores",
                              .heading = "fwd peak mem scores",
                              .unit = "1",
                              .value = is_forward ? 1.0 : 3.0});
    if (!is_forward)
      each.summaries.push_back({.metric = "bwd_peak_mem",
                                .heading = "bwd peak mem",
                                .unit = "bytes",
                                .kind = Quantity::memory,
                                .value = 5.0 * (1 << 20)});
  }
  const std::vector<std::string> names = headings(results_table(document));
  EXPECT_EQ(std::vector<std::string>(names.end() - 3, names.end()),
            (std::vector<std::string>{"fwd peak mem scores (forward)", "fwd peak mem scores (train-step)",
                                      "bwd peak mem"}));
}

TEST(ModeRows, OutOfMemoryInOneModeLeavesTheOthers) {
  Document document;
  document.cases = {forward("small", 10), train("small", 30), forward("7B", 1000), train("7B", 1)};
  document.cases[3].status = Status::out_of_memory;
  document.cases[3].reason = said("predicted 51 GiB");
  const Table table = results_table(document);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1][2], "1000.0");
  EXPECT_EQ(table.rows[1][3], "out of memory");
  EXPECT_EQ(table.rows[1][4], "–");
  ASSERT_EQ(table.problems.size(), 1u);
  EXPECT_NE(table.problems[0].find("predicted 51 GiB"), std::string::npos);
}

TEST(ModeRows, AModeThatWasNotAskedForIsADash) {
  Document document;
  document.cases = {forward("small", 10), train("small", 30), forward("large", 100)};
  const Table table = results_table(document);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"large", "1000", "100.0", "–", "–", "100", "–"}));
}

TEST(ModeRows, WhatOnlySomeModesHaveMakesRowsThatShareTheOtherModes) {
  Document document;
  document.cases = {forward("small", 10), train("small", 30), train("small", 20, "adamw-fused")};
  const Table table = results_table(document);
  EXPECT_EQ(headings(table)[0], "optimizer");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "adamw");
  EXPECT_EQ(table.rows[1][0], "adamw-fused");
  EXPECT_EQ(table.rows[0][2], "10.0");
  EXPECT_EQ(table.rows[1][2], "10.0");
  EXPECT_EQ(table.rows[1][3], "20.0");
}

TEST(ModeRows, RepetitionsAreRowsOfTheirOwn) {
  Document document;
  document.cases = {forward("small", 10), train("small", 30), forward("small", 11), train("small", 31)};
  document.cases[2].repetition = document.cases[3].repetition = 1;
  const Table table = results_table(document);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(headings(table)[0], "repetition");
  EXPECT_EQ(table.rows[1][2], "11.0");
}

TEST(ModeRows, WhereNothingMergesThePhasesStay) {
  Document document;
  document.cases = {forward("small", 10), train("large", 30)};
  EXPECT_EQ(results_table(document), cases_table(document));
  document.cases = {train("small", 10), train("large", 30)};
  EXPECT_NE(std::ranges::count(headings(results_table(document)), "forward"), 0);
}

TEST(ModeRows, ASingleConfigurationIsOneRow) {
  Document document;
  document.run.workload = "model";
  document.cases = {forward("small", 10), train("small", 30)};
  const Table table = results_table(document);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][0], "model");
}

}  // namespace
}  // namespace bench::reports
