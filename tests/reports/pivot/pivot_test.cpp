#include "reports/pivot/pivot.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/reports/compare/made_up_runs.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"

namespace bench::reports {
namespace {

using support::around;
using support::error_of;
using support::made_up_case;

CaseResult a_case(const std::string& attention, std::int64_t context, std::int64_t us) {
  CaseResult result = made_up_case("small", around(us), static_cast<double>(us) * 1e4);
  result.configuration.set("attention", attention);
  result.configuration.set("context", context);
  return result;
}

// Attention by context; naive runs out of memory at 4096, and sdpa was not measured at 256.
Document sweep() {
  std::vector<CaseResult> cases{a_case("naive", 1024, 60'000), a_case("naive", 256, 4'000),
                                a_case("naive", 4096, 900'000), a_case("sdpa", 1024, 15'000),
                                a_case("sdpa", 4096, 200'000)};
  cases[2].status = Status::out_of_memory;
  return support::made_up_run(std::move(cases));
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.heading);
  return names;
}

Table table_of(const Document& document, const PivotRequest& request) {
  return pivot_table(make_pivot({{"a", &document}}, request));
}

TEST(Pivot, PutsAnyParametersIntoRowsAndColumns) {
  const Table table = table_of(sweep(), {.rows = {"context"}, .columns = {"attention"}, .values = {"step"}});
  EXPECT_EQ(table.title, "step by context and attention");
  EXPECT_EQ(headings(table), (std::vector<std::string>{"context", "step, naive", "step, sdpa"}));
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"256", "4.00 ± 0.01", "–"}));
  EXPECT_EQ(table.rows[1][0], "1024");
  EXPECT_EQ(table.rows[2][1], "out of memory");
}

TEST(Pivot, TakesSeveralValuesWithTheirOwnUnits) {
  const Table table = table_of(
      sweep(),
      {.rows = {"context"}, .columns = {"attention"}, .values = {"step_ns", "peak_allocated_bytes"}});
  ASSERT_EQ(table.columns.size(), 5U);
  EXPECT_EQ(table.columns[1].unit, "ms");
  EXPECT_EQ(table.columns[3].heading, "peak allocated, naive");
  EXPECT_EQ(table.columns[3].unit, "MiB");
}

TEST(Pivot, ExplainsIntervalsWhereACellHasOne) {
  const Document document = sweep();
  const auto markdown = [&](const std::string& value) {
    return pivot_format_named("markdown")
        .render(make_pivot({{"a", &document}},
                           {.rows = {"context"}, .columns = {"attention"}, .values = {value}}));
  };
  EXPECT_NE(markdown("step").find("± their 95% intervals"), std::string::npos);
  EXPECT_EQ(markdown("peak_allocated").find("±"), std::string::npos);
}

TEST(Pivot, ByItselfChoosesWhatVaries) {
  EXPECT_EQ(headings(table_of(sweep(), {})),
            (std::vector<std::string>{"attention", "step, 256", "step, 1024", "step, 4096"}));
}

TEST(Pivot, ACellHoldsOneCase) {
  const Document document = sweep();
  EXPECT_EQ(
      error_of(ErrorKind::usage, [&] { table_of(document, {.rows = {"context"}, .values = {"step"}}); }),
      "one cell would hold several cases, attention naive and sdpa: add attention to --rows or --columns");
}

TEST(Pivot, SeveralRunsAreAParameter) {
  const Document one = support::made_up_run({made_up_case("small", around(10'000))});
  const Document two = support::made_up_run({made_up_case("small", around(20'000))});
  const Table table = pivot_table(make_pivot({{"old", &one}, {"new", &two}}, {.rows = {"run"}}));
  EXPECT_EQ(table.rows,
            (std::vector<std::vector<std::string>>{{"old", "9.99 ± 0.04"}, {"new", "19.99 ± 0.07"}}));
}

TEST(Pivot, RepetitionsAreOneCell) {
  const Document document =
      support::made_up_run({made_up_case("small", {10'000}, 1, 0), made_up_case("small", {12'000}, 1, 1),
                            made_up_case("small", {11'000}, 1, 2)});
  const Table table = table_of(document, {.rows = {"size"}});
  EXPECT_EQ(table.rows[0][1], "11.0");
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_NE(table.notes[0].find("measured up to 3 times: its cell is the median"), std::string::npos);
}

TEST(Pivot, WhatACaseLacksIsNoEmptyName) {
  EXPECT_EQ(key_text(PivotKey{"sdpa", "", "256", ""}), "sdpa, 256");
  EXPECT_EQ(key_text(PivotKey{"", ""}), "–");
  EXPECT_EQ(key_text(PivotKey{}), "");
}

TEST(Pivot, UnknownNamesAreToldTheNearest) {
  const Document document = sweep();
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { table_of(document, {.rows = {"contxt"}}); }),
            "--rows: no case has a parameter \"contxt\"; did you mean context?");
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { table_of(document, {.values = {"stepp"}}); }),
            "--value: no case has \"stepp\"; did you mean step?");
  EXPECT_EQ(error_of(ErrorKind::usage, [] { pivot_format_named("svgg"); }),
            "--rows, --columns and --value have no format \"svgg\"; did you mean svg?");
}

TEST(SvgChart, DrawsALinePerColumnOverANumericAxis) {
  const Document document = sweep();
  const std::string svg = svg_chart(
      make_pivot({{"a", &document}}, {.rows = {"context"}, .columns = {"attention"}, .values = {"step"}}));
  support::expect_golden(svg, "tests/golden/reports/chart-lines.svg");
  // Log axes: 256, 1024 and 4096 are equally far apart, and 5 ms and 50 ms as far as 20 ms and 200 ms.
  EXPECT_NE(svg.find(">× out of memory</text>"), std::string::npos);
}

TEST(SvgChart, LargeNumbersBesideTheAxisAreShortened) {
  std::vector<CaseResult> cases{a_case("naive", 256, 1), a_case("naive", 1024, 1)};
  for (CaseResult& result : cases)
    result.summaries = {{.metric = "tokens_per_second", .unit = "1/s", .value = 4e8}};
  const Document document = support::made_up_run(std::move(cases));
  const std::string svg =
      svg_chart(make_pivot({{"a", &document}}, {.rows = {"context"}, .values = {"tokens_per_second"}}));
  EXPECT_NE(svg.find(">400M</text>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("000,000</text>"), std::string::npos);
}

TEST(SvgChart, DrawsBarsOverNames) {
  const Document document = sweep();
  support::expect_golden(
      svg_chart(make_pivot({{"a", &document}}, {.rows = {"attention"}, .columns = {"context"}})),
      "tests/golden/reports/chart-bars.svg");
}

TEST(SvgChart, HostileTextStaysText) {
  const std::string hostile =
      "\x1b]0;x\x07|`<script>alert(1)</script>&\"'\r\n\xff ünïcödé ünïcödé ünïcödé ünïcödé";
  for (const std::string row : {"attention", "context"}) {
    Document document = support::made_up_run({a_case(hostile, 1, 10), a_case(hostile + "2", 2, 20)});
    document.run.workload = hostile;
    document.cases[1].status = Status::failed;
    const std::string svg = svg_chart(make_pivot(
        {{hostile, &document}}, {.rows = {row}, .columns = {row == "context" ? "attention" : "context"}}));
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find_first_of("\x1b\x07\xff"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
  }
}

// Each once made the ticks endless: no power of ten below a subnormal number, no number above the largest.
TEST(SvgChart, OfAnyNumbersHasAFewTicks) {
  constexpr double kSubnormal = 5e-324, kLargest = std::numeric_limits<double>::max();
  for (const auto& [first, second] : {std::pair(kSubnormal, 1.0),
                                      {kSubnormal, kLargest},
                                      {1.0, kLargest},
                                      {kLargest, kLargest},
                                      {kSubnormal, kSubnormal}})
    for (const bool lines : {true, false}) {
      std::vector<CaseResult> cases{a_case("sdpa", 256, 1'000), a_case("sdpa", 512, 1'000)};
      for (CaseResult& result : cases)
        result.summaries = {
            {.metric = "factor", .unit = "1", .value = &result == &cases[0] ? first : second}};
      if (!lines) cases[1].configuration.set("attention", std::string("naive"));
      const Document document = support::made_up_run(std::move(cases));
      const std::string svg =
          svg_chart(make_pivot({{"a", &document}}, {.rows = {lines ? "context" : "attention"},
                                                    .columns = {lines ? "attention" : "context"},
                                                    .values = {"factor"}}));
      std::size_t ticks = 0;
      for (auto at = svg.find("class=\"grid\""); at != std::string::npos;
           at = svg.find("class=\"grid\"", at + 1))
        ++ticks;
      EXPECT_GE(ticks, 2U) << first << " to " << second;
      EXPECT_LE(ticks, 12U) << first << " to " << second;
      EXPECT_EQ(svg.find("nan"), std::string::npos) << first << " to " << second;
    }
}

TEST(SvgChart, OfOnePointAndOfZerosHasNoNan) {
  Document document = support::made_up_run({a_case("naive", 256, 10)});
  for (const PivotRequest& request :
       {PivotRequest{.rows = {"context"}}, PivotRequest{.rows = {"attention"}}}) {
    document.cases[0].summaries[0].value = 0;
    const std::string svg = svg_chart(make_pivot({{"a", &document}}, request));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

}  // namespace
}  // namespace bench::reports
