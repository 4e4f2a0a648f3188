#include <algorithm>

#include <gtest/gtest.h>

#include "reports/results_table.hpp"
#include "tests/support/example_document.hpp"

namespace bench::reports {
namespace {

using support::example_document;

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.heading);
  return names;
}

std::vector<std::string> cells(const Table& table, const std::string& heading) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].heading != heading) continue;
    std::vector<std::string> found;
    for (const auto& row : table.rows) found.push_back(row[i]);
    return found;
  }
  ADD_FAILURE() << "no column " << heading;
  return {};
}

// The example without the cases that are not ok.
Document ok_cases() {
  Document document = example_document();
  std::erase_if(document.cases, [](const CaseResult& result) { return result.status != Status::ok; });
  return document;
}

bool any_contains(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != line.npos; });
}

TEST(ResultsTable, WhatAllCasesShareStandsAboveAndWhatVariesIsAColumn) {
  const Table table = results_table(ok_cases());
  EXPECT_EQ(table.title, "model on cpu");
  EXPECT_EQ(table.common.front(), "vocabulary 10000");
  EXPECT_EQ(table.common.back(), "lr 0.001");
  EXPECT_EQ(headings(table),
            (std::vector<std::string>{"size", "context", "parameters", "step", "forward", "backward",
                                      "optimizer", "tokens/s", "model GFLOP/s", "peak allocated"}));
  EXPECT_EQ(table.key_columns, 2U);
  EXPECT_EQ(table.columns[0].alignment, Alignment::left);
  EXPECT_EQ(table.columns[1].alignment, Alignment::right);
  EXPECT_EQ(cells(table, "context"), (std::vector<std::string>{"256", "512", "256"}));
}

TEST(ResultsTable, RepetitionsOfACaseAreToldApart) {
  Document document = ok_cases();
  document.cases.resize(1);
  document.cases.push_back(document.cases[0]);
  document.cases.back().repetition = 1;
  EXPECT_EQ(cells(results_table(document), "repetition"), (std::vector<std::string>{"0", "1"}));
}

TEST(ResultsTable, ATimeIsItsMedianAndTheFartherEndOfItsInterval) {
  Document document = ok_cases();
  document.cases.resize(1);
  Summary& step = document.cases[0].summaries[1];
  step.value = 3'487e6;
  step.low = 3'480e6;
  step.high = 3'508e6;
  EXPECT_EQ(cells(results_table(document), "step").front(), "3487 ± 21");
  step.low = 3'400e6;
  EXPECT_EQ(cells(results_table(document), "step").front(), "3487 ± 87");
  step.low.reset();
  step.high.reset();
  EXPECT_EQ(cells(results_table(document), "step").front(), "3487");
}

TEST(ResultsTable, AStatusColumnAppearsOnlyWithACaseThatIsNotOk) {
  const Table table = results_table(example_document());
  EXPECT_EQ(table.key_columns, 3U);
  EXPECT_EQ(cells(table, "status"),
            (std::vector<std::string>{"ok", "ok", "ok", "out of memory", "incorrect"}));
  EXPECT_EQ(cells(table, "step")[3], "–");
  ASSERT_EQ(table.problems.size(), 2U);
  EXPECT_EQ(table.problems[0],
            "size:large/context:256: out of memory: set-up: 14.4 GiB asked for, 11.2 GiB left");
}

// A wrong result gets no time, even if a document holds one.
TEST(ResultsTable, NumbersOfACaseThatIsNotOkAreNeverShown) {
  Document document = ok_cases();
  document.cases[0].status = Status::incorrect;
  const Table table = results_table(document);
  for (std::size_t i = table.key_columns; i < table.columns.size(); ++i) EXPECT_EQ(table.rows[0][i], "–");
}

TEST(ResultsTable, AParameterThatACaseLacksIsADash) {
  Document document = ok_cases();
  document.cases[1].configuration.set("checkpoint", "every-2");
  document.cases[2].configuration.set("checkpoint", "none");
  EXPECT_EQ(cells(results_table(document), "checkpoint"), (std::vector<std::string>{"–", "every-2", "none"}));
}

// lr has one value, and only the cases with an optimizer have it: a column of its own would tell nothing.
TEST(ResultsTable, OneValueThatOnlySomeCasesHaveIsSaidAboveTheTable) {
  Document document = ok_cases();
  document.cases[1].configuration.set("momentum", 0.5);
  document.cases[1].configuration.set("beta1", 0.9);
  const Table table = results_table(document);
  EXPECT_EQ(table.common.back(), "where it applies: momentum 0.5, beta1 0.9");
  EXPECT_EQ(std::ranges::count(table.columns, "momentum", &Column::heading), 0);
}

// ... unless it is all that tells two rows apart.
TEST(ResultsTable, OneValueThatTellsRowsApartIsAColumn) {
  Document document = ok_cases();
  document.cases[1] = document.cases[0];
  document.cases[1].configuration.set("layers", std::int64_t{4});
  EXPECT_EQ(cells(results_table(document), "layers"), (std::vector<std::string>{"–", "4", "–"}));
}

TEST(ResultsTable, MetricsOfLaterCasesStandWhereTheirOwnOrderPutsThem) {
  Document document = ok_cases();
  auto& first = document.cases[0].summaries;
  std::erase_if(first, [](const Summary& summary) { return summary.metric == "forward"; });
  const Table table = results_table(document);
  const auto place = [&](const std::string& heading) {
    return std::ranges::find(table.columns, heading, &Column::heading) - table.columns.begin();
  };
  EXPECT_EQ(place("forward"), place("step") + 1);
}

// A case has `warmup` only where it is not the default, so the policy fills the column.
TEST(ResultsTable, AnAxisOfMeasuringShowsItsValueInEveryRow) {
  Document document = ok_cases();
  document.cases[1].policy.warmup_steps = 0;
  document.cases[1].configuration.set("warmup", std::int64_t{0});
  document.cases[2].policy.timing = Timing::back_to_back;
  const Table table = results_table(document);
  EXPECT_EQ(cells(table, "warmup"), (std::vector<std::string>{"2", "0", "2"}));
  EXPECT_EQ(cells(table, "timing"), (std::vector<std::string>{"blocking", "blocking", "back-to-back"}));
}

TEST(ResultsTable, OneCaseNeedsNoKey) {
  Document document = ok_cases();
  document.cases.resize(1);
  const Table table = results_table(document);
  EXPECT_EQ(table.key_columns, 0U);
  EXPECT_EQ(table.common.front(), "size small");
  EXPECT_FALSE(any_contains(table.notes, "size:small"));
}

TEST(ResultsTable, NotesSayHowTheNumbersWereTaken) {
  Document document = ok_cases();
  document.cases.resize(1);
  EXPECT_EQ(
      results_table(document).notes[0],
      "times: median of 10 steps ± 95% interval (its farther end), blocking, after 2 warm-up steps; rates "
      "follow from the median step");
  document.cases[0].steps_per_sample = 7;
  document.cases[0].policy.timing = Timing::back_to_back;
  EXPECT_EQ(
      results_table(document).notes[0],
      "times: median of 10 samples of 7 steps each ± 95% interval (its farther end), back-to-back, after 2 "
      "warm-up steps; rates follow from the median step");
}

TEST(ResultsTable, NotesNameTheCaseNearestToTheBoundOfItsCheck) {
  EXPECT_TRUE(any_contains(results_table(ok_cases()).notes,
                           "checked before timing: largest error 0.91 of its bound (gradient of "
                           "blocks.0.attention.query, size:small/context:256)"));
  Document document = ok_cases();
  for (CaseResult& result : document.cases) result.check->items.clear();
  EXPECT_TRUE(any_contains(results_table(document).notes, "no check before timing is on record (all cases)"));
}

TEST(ResultsTable, OnlyAnEarlyStopIsWorthANote) {
  Document document = ok_cases();
  EXPECT_TRUE(
      any_contains(results_table(document).notes,
                   "stopped: time budget of 60 s used: 4 steps, 10 asked for (size:medium/context:256)"));
  document.cases[2].stop_reason = remark(RemarkCode::steps_taken, {{"samples", 1}, {"steps_per_sample", 1}});
  EXPECT_FALSE(any_contains(results_table(document).notes, "stopped"));
}

TEST(ResultsTable, AWarningOfManyCasesIsSaidOnce) {
  Document document = ok_cases();
  document.cases[2].warnings.clear();
  EXPECT_TRUE(
      any_contains(results_table(document).notes, "others during the samples (size:small/context:256)"));
  while (document.cases.size() < 6) {
    document.cases.push_back(document.cases[0]);
    document.cases.back().configuration.set("context", static_cast<std::int64_t>(document.cases.size()));
  }
  EXPECT_TRUE(
      any_contains(results_table(document).notes,
                   "(size:small/context:256, size:small/context:4, size:small/context:5 and 1 more)"));
}

TEST(ResultsTable, AnIncompleteRunSaysSo) {
  Document document = ok_cases();
  document.run.complete = false;
  EXPECT_EQ(results_table(document).notes[0], "the run is incomplete: 3 of 5 planned cases are here");
}

TEST(ResultsTable, OfNoCasesHasNoColumns) {
  const Table table = results_table(support::empty_document());
  EXPECT_TRUE(table.columns.empty());
  EXPECT_TRUE(table.rows.empty());
}

}  // namespace
}  // namespace bench::reports
